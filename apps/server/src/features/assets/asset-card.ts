import type { AssetCard, AssetState, ChannelValue } from '@isotherm/contracts/assets';
import type { AssetRow, ChannelRow, OpenAlarmRow, PendingRow } from './assets.repo.ts';

/** A channel that should have spoken this long ago is not known any more. */
const SILENT_AFTER_MS = 10 * 60_000;

export function toChannelValue(row: ChannelRow): ChannelValue {
  return {
    channelId: row.channel_id,
    name: row.name,
    indicator: row.indicator,
    value: row.value,
    measuredAt: row.measured_at?.toISOString() ?? null,
    low: row.low,
    high: row.high,
  };
}

/** Newest moment among channels, or null. */
export function lastSeen(channels: readonly ChannelRow[]): Date | null {
  let newest: Date | null = null;
  for (const { measured_at } of channels)
    if (measured_at && (!newest || measured_at > newest)) newest = measured_at;
  return newest;
}

/** Weakest battery reported among channels, percent. */
export function weakestBattery(channels: readonly ChannelRow[]): number | null {
  const values = channels
    .filter((row) => row.indicator === 'battery' && row.value !== null)
    .map((row) => row.value as number);
  return values.length > 0 ? Math.min(...values) : null;
}

/**
 * What a person should see of an asset first: its worst state and the number behind it.
 * `alarms` and `pending` come worst first.
 */
export function cardOf(
  asset: AssetRow,
  channels: readonly ChannelRow[],
  alarms: readonly OpenAlarmRow[],
  pending: readonly PendingRow[],
  now: number,
): AssetCard {
  const { state, channelId } = worstState(channels, alarms, pending, now);
  const main = channels.find((row) => row.channel_id === channelId) ?? mainChannel(channels);
  return {
    id: asset.id,
    kind: asset.kind,
    name: asset.name,
    code: asset.code,
    place: asset.place,
    organizationId: asset.organization_id,
    organizationName: asset.organization_name,
    state,
    main: main ? toChannelValue(main) : null,
    battery: weakestBattery(channels),
    lastSeenAt: lastSeen(channels)?.toISOString() ?? null,
  };
}

function mainChannel(channels: readonly ChannelRow[]): ChannelRow | undefined {
  return channels.find((row) => row.indicator === 'temperature') ?? channels[0];
}

function worstState(
  channels: readonly ChannelRow[],
  alarms: readonly OpenAlarmRow[],
  pending: readonly PendingRow[],
  now: number,
): { state: AssetState; channelId: number | null } {
  const alarm = alarms.find((row) => row.kind !== 'no-data');
  if (alarm)
    return {
      channelId: alarm.channel_id,
      state: {
        kind: 'alarm',
        alarmId: alarm.alarm_id,
        level: alarm.level,
        alarmKind: alarm.kind,
        indicator: alarm.indicator,
        since: alarm.since.toISOString(),
        limitValue: alarm.limit_value,
        recovering: alarm.state === 'recovering',
        handledBy: alarm.handled_by,
      },
    };
  const silence = alarms[0];
  if (silence)
    return { channelId: silence.channel_id, state: { kind: 'unknown', since: silence.since.toISOString() } };
  const seen = lastSeen(channels);
  const allowance = Math.max(SILENT_AFTER_MS, 3 * (channels[0]?.acquisition_interval_ms ?? 0));
  if (!seen || now - seen.getTime() > allowance)
    return { channelId: null, state: { kind: 'unknown', since: seen?.toISOString() ?? null } };
  const coming = pending[0];
  if (coming) {
    const { since, accruedMs, lastAt } = coming.state;
    return {
      channelId: coming.channel_id,
      state: {
        kind: 'pending',
        level: coming.level,
        alarmKind: coming.kind,
        indicator: coming.indicator,
        since: new Date(since).toISOString(),
        dueAt: new Date(lastAt + coming.trigger_after_ms - accruedMs).toISOString(),
        limitValue: coming.limit_value,
      },
    };
  }
  return { channelId: null, state: { kind: 'normal' } };
}

const KIND_RANK = { alarm: 0, pending: 1, unknown: 2, normal: 3 } as const;

/** Worst first, then longest, then by name. */
export function compareCards(a: AssetCard, b: AssetCard): number {
  const byKind = KIND_RANK[a.state.kind] - KIND_RANK[b.state.kind];
  if (byKind !== 0) return byKind;
  const level = (card: AssetCard) =>
    card.state.kind === 'alarm' || card.state.kind === 'pending' ? card.state.level : 0;
  const byLevel = level(b) - level(a);
  if (byLevel !== 0) return byLevel;
  const since = (card: AssetCard) => (card.state.kind === 'normal' ? '' : (card.state.since ?? ''));
  return since(a).localeCompare(since(b)) || a.name.localeCompare(b.name, 'en', { numeric: true });
}
