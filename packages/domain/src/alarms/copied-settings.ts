import type { Indicator } from '../readings/indicator.ts';

/** A channel of an asset, as far as it decides whose settings it gets. */
export interface SettingsChannel {
  channelId: number;
  indicator: Indicator;
  /** Number of the sensor on its device. */
  sensor: number;
}

/**
 * Returns for each target channel the source channel whose alert settings are copied to it: of the same
 * quantity and with the same position among the channels of that quantity. A further sensor gets the settings
 * of the first one. Channels of a quantity that the source does not have are left out.
 */
export function counterparts(
  source: readonly SettingsChannel[],
  target: readonly SettingsChannel[],
): Map<number, number> {
  const found = new Map<number, number>();
  for (const indicator of new Set(target.map((channel) => channel.indicator))) {
    const from = inOrder(source, indicator);
    const [first] = from;
    if (first === undefined) continue;
    for (const [at, to] of inOrder(target, indicator).entries()) found.set(to, from[at] ?? first);
  }
  return found;
}

const inOrder = (channels: readonly SettingsChannel[], indicator: Indicator): number[] =>
  channels
    .filter((channel) => channel.indicator === indicator)
    .sort((a, b) => a.sensor - b.sensor || a.channelId - b.channelId)
    .map(({ channelId }) => channelId);
