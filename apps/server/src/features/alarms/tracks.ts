import type { LimitRule } from '@isotherm/domain/alarms/alarm-machine';
import type { DefrostColumns } from '@isotherm/domain/alarms/defrost';
import { defrostsOf } from '@isotherm/domain/alarms/defrost-detection';
import type { SignalColumns } from '@isotherm/domain/alarms/replay';
import { type OtherReadings, signalValues } from '@isotherm/domain/alarms/signal-values';
import { firstAtOrAfter, NO_READINGS, type Series, sliceSeries } from '@isotherm/domain/readings/series';
import type { Db } from '../../platform/db/pool.ts';
import { loadWindows } from '../telemetry/index.ts';
import type { ChannelPlan } from './rule-book.ts';

/** Readings of a channel, and for each reading the values that its rules compare with their limits. */
export interface Track {
  readings: Series;
  /** Values by rule id, for the rules that compare a derived value (signal) instead of the reading. */
  signals: SignalColumns;
  /** By rule id, for the rules that a defrost delays: the readings at which one is detected. */
  defrosts: DefrostColumns;
}

/** A part of a channel's history: from `from` (inclusive) to `to` (exclusive), epoch ms. */
export interface TrackWindow {
  plan: Pick<ChannelPlan, 'channelId' | 'versions' | 'reachMs' | 'others'>;
  from: number;
  to: number;
}

const NO_SIGNALS: SignalColumns = new Map();
const NO_DEFROSTS: DefrostColumns = new Map();
export const NO_TRACK: Track = { readings: NO_READINGS, signals: NO_SIGNALS, defrosts: NO_DEFROSTS };

/**
 * Loads the readings of these windows by channel, all together. Rules with signals or a defrost delay also need readings before
 * the window and readings of other channels.
 */
export async function loadTracks(db: Db, windows: readonly TrackWindow[]): Promise<Map<number, Track>> {
  const spans = new Map<number, { channelId: number; from: number; to: number }>();
  const need = (channelId: number, from: number, to: number) => {
    const known = spans.get(channelId);
    spans.set(channelId, {
      channelId,
      from: Math.min(from, known?.from ?? from),
      to: Math.max(to, known?.to ?? to),
    });
  };
  for (const { plan, from, to } of windows)
    for (const id of [plan.channelId, ...plan.others]) need(id, from - plan.reachMs, to);
  const series = await loadWindows(db, [...spans.values()]);
  return new Map(windows.map((window) => [window.plan.channelId, trackOf(window, series)]));
}

function trackOf({ plan, from, to }: TrackWindow, series: OtherReadings): Track {
  const known = sliceSeries(series.get(plan.channelId) ?? NO_READINGS, from - plan.reachMs, to);
  const first = firstAtOrAfter(known.at, from);
  const readings = { at: known.at.subarray(first), value: known.value.subarray(first) };
  if (plan.reachMs === 0) return { readings, signals: NO_SIGNALS, defrosts: NO_DEFROSTS };
  const signals = new Map<number, Float64Array>();
  const defrosts = new Map<number, Uint8Array>();
  for (const { rule } of plan.versions) {
    if (rule.signal) signals.set(rule.id, signalValues(rule, known, first, series));
    if (rule.defrost) defrosts.set(rule.id, defrostsOf(rule, known, first, series));
  }
  return { readings, signals, defrosts };
}

/** The part of a track that starts at a given reading. */
export function trackFrom({ readings: { at, value }, signals, defrosts }: Track, index: number): Track {
  return {
    readings: { at: at.subarray(index), value: value.subarray(index) },
    signals: new Map([...signals].map(([id, values]) => [id, values.subarray(index)])),
    defrosts: new Map([...defrosts].map(([id, flags]) => [id, flags.subarray(index)])),
  };
}

/** Returns, for a given reading, the value that each rule compares with its limit. */
export function comparedAt({ readings, signals }: Track, index: number): (rule: LimitRule) => number {
  return (rule) => (signals.get(rule.id) ?? readings.value)[index] as number;
}
