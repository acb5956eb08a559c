import type { AssetDetail } from '@isotherm/contracts/assets';
import type { LiveValue } from '../../features/telemetry/chart-input.ts';

/** The latest value of each channel of an asset, with its alarm level. */
export function liveValues(asset: AssetDetail): Map<number, LiveValue> {
  const live = new Map<number, LiveValue>();
  for (const { channelId, value, measuredAt } of asset.devices.flatMap(({ channels }) => channels)) {
    if (value === null || measuredAt === null) continue;
    const open = asset.alarms.filter((alarm) => alarm.channelId === channelId && alarm.state !== 'ended');
    const level = open.reduce<LiveValue['level']>(
      (gravest, alarm) => (gravest === null || alarm.level > gravest ? alarm.level : gravest),
      null,
    );
    live.set(channelId, { value, at: Date.parse(measuredAt), level });
  }
  return live;
}
