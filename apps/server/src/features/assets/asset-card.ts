import type { AssetCard, AssetState, ChannelValue } from '@isotherm/contracts/assets';
import { isSilence } from '@isotherm/domain/alarms/catalogue';
import { severity } from '@isotherm/domain/assets/attention';
import type { AssetRow, AttentionRow, ChannelRow, PendingRow } from './assets.repo.ts';

/** A channel without a reading for this long counts as unknown. */
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

/**
 * Returns the channels that decide the state: temperatures with limits, or the displayed channel if there
 * are none.
 */
function watchedChannels(channels: readonly ChannelRow[]): readonly ChannelRow[] {
  const limited = channels.filter((row) => isTemperature(row) && hasLimits(row));
  const main = mainChannel(channels, undefined);
  return limited.length > 0 || !main ? limited : [main];
}

/**
 * Returns the time of the least recent among the channels' newest readings; null if a channel has no
 * reading.
 */
function oldest(channels: readonly ChannelRow[]): Date | null {
  const [first, ...others] = channels.map((row) => row.measured_at);
  return others.reduce(
    (earliest, at) => (earliest === null || at === null ? null : at < earliest ? at : earliest),
    first ?? null,
  ) as Date | null;
}

/** Returns the channel whose newest reading is the least recent; the first one without a reading, if there is one. */
function longestSilent(channels: readonly ChannelRow[]): ChannelRow | undefined {
  const at = ({ measured_at }: ChannelRow) => measured_at?.getTime() ?? 0;
  return [...channels].sort((a, b) => at(a) - at(b))[0];
}

/** Returns the time of the newest reading among the channels, or null. */
export function lastSeen(channels: readonly ChannelRow[]): Date | null {
  let newest: Date | null = null;
  for (const { measured_at } of channels)
    if (measured_at && (!newest || measured_at > newest)) newest = measured_at;
  return newest;
}

/** Returns the lowest reported battery level among the channels, in percent. */
export function weakestBattery(channels: readonly ChannelRow[]): number | null {
  const values = channels
    .filter((row) => row.indicator === 'battery' && row.value !== null)
    .map((row) => row.value as number);
  return values.length > 0 ? Math.min(...values) : null;
}

/**
 * Builds a card: the asset's worst state, the value that matters and the cause. `alarms` are sorted worst
 * first, open ones before ended ones; `pending` is sorted worst first.
 */
export function cardOf(
  asset: AssetRow,
  all: readonly ChannelRow[],
  alarms: readonly AttentionRow[],
  pending: readonly PendingRow[],
  now: number,
): AssetCard {
  // Channels of expired devices say nothing about the asset, unless all of its devices have expired.
  const live = all.filter(({ expired_at }) => expired_at === null);
  const channels = live.length > 0 ? live : all;
  const { state, channelId } = worstState(channels, alarms, pending, now);
  const behind = channels.find((row) => row.channel_id === channelId);
  const main = mainChannel(channels, behind);
  return {
    id: asset.id,
    kind: asset.kind,
    name: asset.name,
    code: asset.code,
    place: asset.place,
    organizationId: asset.organization_id,
    organizationName: asset.organization_name,
    state: state.kind === 'normal' && main && !hasLimits(main) ? { kind: 'unset' } : state,
    main: main ? shownValue(main) : null,
    cause: behind && behind !== main ? toChannelValue(behind) : null,
    silent: main ? isSilent(main, alarms, now) : true,
    attention: alarms.reduce((sum, row) => sum + row.alarm_count, 0),
    battery: weakestBattery(channels),
    lastSeenAt: lastSeen(channels)?.toISOString() ?? null,
  };
}

/** An expired channel has no current value, even if its last reading is not hidden. */
const shownValue = (row: ChannelRow): ChannelValue =>
  row.expired_at === null ? toChannelValue(row) : { ...toChannelValue(row), value: null };

const isTemperature = (row: ChannelRow) => row.indicator === 'temperature';

/**
 * Returns the temperature that causes the state, or else the first temperature; if there is none, the
 * channel that causes the state, or else the first channel.
 */
function mainChannel(
  channels: readonly ChannelRow[],
  behind: ChannelRow | undefined,
): ChannelRow | undefined {
  if (behind && isTemperature(behind)) return behind;
  return channels.find(isTemperature) ?? behind ?? channels[0];
}

function hasLimits({ low, high }: ChannelRow): boolean {
  return low !== null || high !== null;
}

function allowance(channel: ChannelRow): number {
  return Math.max(SILENT_AFTER_MS, 3 * Math.max(channel.acquisition_interval_ms, channel.upload_interval_ms));
}

function isSilent(channel: ChannelRow, alarms: readonly AttentionRow[], now: number): boolean {
  const reported = alarms.some(
    (row) =>
      isSilence(row.kind) &&
      row.ended_at === null &&
      (row.subject === 'device'
        ? row.device_id === channel.device_id
        : row.channel_id === channel.channel_id),
  );
  return reported || channel.measured_at === null || now - channel.measured_at.getTime() > allowance(channel);
}

interface Candidate {
  state: AssetState;
  channelId: number | null;
}

function worstState(
  channels: readonly ChannelRow[],
  alarms: readonly AttentionRow[],
  pending: readonly PendingRow[],
  now: number,
): Candidate {
  const candidates: Candidate[] = alarms.map(alarmState);
  // An open alarm comes before a more severe one that has ended; the monitor page uses the same order
  // (attention.ts).
  const isOpen = alarms.some((row) => row.ended_at === null);
  const worst = isOpen ? candidates.filter(({ state }) => state.kind !== 'ended') : candidates;
  // A higher level that is pending for the same excursion does not hide the alarm that is active.
  const open = new Set(
    alarms.filter((row) => row.ended_at === null && !isSilence(row.kind)).map((row) => row.channel_id),
  );
  // Of several levels that are pending, the one that is raised next.
  const next = pending
    .filter((row) => !open.has(row.channel_id))
    .sort((a, b) => raisedAt(a) - raisedAt(b) || b.level - a.level)[0];
  if (next) worst.push(pendingState(next));
  const watched = watchedChannels(channels);
  const silent = watched.filter((row) => isSilent(row, [], now));
  if (channels.some(({ expired_at }) => expired_at !== null))
    worst.push({ channelId: null, state: { kind: 'expired', since: latestExpiry(channels) } });
  else if (channels.length === 0 || silent.length > 0)
    worst.push({
      // If others report, the card must not show the value of one of them beside *No data*.
      channelId: silent.length < watched.length ? (longestSilent(silent)?.channel_id ?? null) : null,
      state: { kind: 'unknown', since: oldest(silent)?.toISOString() ?? null, alarm: null },
    });
  const normal: Candidate = { channelId: null, state: { kind: 'normal' } };
  return worst.reduce(
    (gravest, each) => (severity(each.state) > severity(gravest.state) ? each : gravest),
    normal,
  );
}

function latestExpiry(channels: readonly ChannelRow[]): string {
  const moments = channels.map(({ expired_at }) => expired_at?.getTime() ?? 0);
  return new Date(Math.max(...moments)).toISOString();
}

function alarmState(row: AttentionRow): Candidate {
  const common = {
    alarmId: row.alarm_id,
    level: row.level,
    alarmKind: row.kind,
    indicator: row.indicator,
    since: row.since.toISOString(),
    limitValue: row.limit_value,
  };
  if (row.ended_at)
    return {
      channelId: row.channel_id,
      state: { kind: 'ended', ...common, endedAt: row.ended_at.toISOString(), peakValue: row.peak_value },
    };
  if (isSilence(row.kind)) {
    const { alarmId, level } = common;
    const alarm = { alarmId, level, acknowledgedBy: row.acknowledged_by };
    return { channelId: row.channel_id, state: { kind: 'unknown', since: common.since, alarm } };
  }
  return {
    channelId: row.channel_id,
    state: {
      kind: 'alarm',
      ...common,
      recovering: row.state === 'recovering',
      acknowledgedBy: row.acknowledged_by,
    },
  };
}

/** Time at which a pending alarm is raised if it lasts, epoch ms. */
const raisedAt = ({ state, trigger_after_ms }: PendingRow): number =>
  state.lastAt + trigger_after_ms - state.accruedMs;

function pendingState(row: PendingRow): Candidate {
  const { since } = row.state;
  return {
    channelId: row.channel_id,
    state: {
      kind: 'pending',
      level: row.level,
      alarmKind: row.kind,
      indicator: row.indicator,
      since: new Date(since).toISOString(),
      dueAt: new Date(raisedAt(row)).toISOString(),
      limitValue: row.limit_value,
    },
  };
}
