import { describe, expect, test } from 'vitest';
import { cardOf } from './asset-card.ts';
import type { AssetRow, AttentionRow, ChannelRow, PendingRow } from './assets.repo.ts';

const MIN = 60_000;
const NOW = Date.parse('2026-11-20T02:00:00.000Z');
const ago = (ms: number) => new Date(NOW - ms);

const ASSET: AssetRow = {
  id: 8,
  kind: 'refrigerator',
  name: 'Vaccine fridge 03',
  code: 'FR-03',
  model: '',
  place: 'Floor 2',
  status: 'normal',
  time_zone: 'Asia/Shanghai',
  latitude: null,
  longitude: null,
  organization_id: 2,
  organization_name: 'Centre',
  organization_path: '/2/',
};
const channel = (channel_id: number, over: Partial<ChannelRow> = {}): ChannelRow => ({
  asset_id: 8,
  channel_id,
  name: `Channel ${channel_id}`,
  indicator: 'temperature',
  sensor_index: 1,
  sensor_serial: '31020103-01',
  expired_at: null,
  device_id: 1,
  acquisition_interval_ms: MIN,
  upload_interval_ms: MIN,
  value: 5,
  measured_at: ago(MIN),
  low: 2,
  high: 8,
  ...over,
});
const AIR = channel(80);
const BATTERY = channel(81, { indicator: 'battery', value: 13, low: 20, high: null });
const DOOR = channel(82, { indicator: 'door', value: 1, low: null, high: null });
const alarm = (over: Partial<AttentionRow> = {}): AttentionRow => ({
  asset_id: 8,
  alarm_id: 1,
  subject: 'channel',
  channel_id: 80,
  device_id: 1,
  level: 4,
  kind: 'high',
  state: 'active',
  indicator: 'temperature',
  since: ago(10 * MIN),
  ended_at: null,
  limit_value: 8,
  peak_value: 12.4,
  acknowledged_by: null,
  alarm_count: 1,
  ...over,
});
const ended = (over: Partial<AttentionRow> = {}) =>
  alarm({ alarm_id: 2, level: 5, state: 'ended', ended_at: ago(5 * MIN), ...over });
const pending = (level: PendingRow['level']): PendingRow => ({
  asset_id: 8,
  channel_id: 80,
  level,
  kind: 'high',
  indicator: 'temperature',
  limit_value: 8,
  trigger_after_ms: 10 * MIN,
  state: {
    phase: 'pending',
    since: NOW - 4 * MIN,
    accruedMs: 3 * MIN,
    lastAt: NOW - MIN,
    peak: 9,
    peakAt: NOW - MIN,
  } as PendingRow['state'],
});
const card = (
  channels: readonly ChannelRow[],
  alarms: readonly AttentionRow[] = [],
  waiting: readonly PendingRow[] = [],
) => cardOf(ASSET, channels, alarms, waiting, NOW);

describe('state of an asset card', () => {
  test('an ended, unacknowledged alarm stays on the card with its peak value', () => {
    expect(card([AIR], [ended()])).toMatchObject({
      state: { kind: 'ended', level: 5, peakValue: 12.4, endedAt: ago(5 * MIN).toISOString() },
      attention: 1,
      silent: false,
    });
  });
  test('an open alarm comes before a more severe one that has ended, and both are counted', () => {
    expect(card([AIR], [alarm({ level: 2 }), ended({ alarm_count: 3 })])).toMatchObject({
      state: { kind: 'alarm', level: 2 },
      attention: 4,
    });
  });
  test('an asset whose temperature has no limits is not shown as within limits, even if its battery has limits', () => {
    const bare = channel(80, { value: 25, low: null, high: null });
    expect(card([bare, BATTERY]).state).toEqual({ kind: 'unset' });
    expect(card([AIR, BATTERY]).state).toEqual({ kind: 'normal' });
  });
  test('the temperature remains the main value of the card, and another channel in alarm is shown as the cause', () => {
    const low = alarm({ channel_id: 81, kind: 'low', indicator: 'battery', limit_value: 20 });
    expect(card([AIR, BATTERY], [low])).toMatchObject({ main: { channelId: 80 }, cause: { value: 13 } });
    expect(card([DOOR, BATTERY], [low])).toMatchObject({ main: { channelId: 81 }, cause: null });
    const second = channel(83, { value: 9 });
    expect(card([AIR, second], [alarm({ channel_id: 83 })])).toMatchObject({
      main: { channelId: 83 },
      cause: null,
    });
  });
  test('an open no-data alarm shows its level and who acknowledged it', () => {
    const silence = alarm({ kind: 'no-data', level: 3, acknowledged_by: 'Chen Wei', limit_value: null });
    expect(card([AIR], [silence])).toMatchObject({
      state: { kind: 'unknown', alarm: { alarmId: 1, level: 3, acknowledgedBy: 'Chen Wei' } },
      silent: true,
    });
  });
  test('an offline device makes all of its channels stale, and no others', () => {
    const offline = alarm({ kind: 'no-data', subject: 'device', channel_id: 81, limit_value: null });
    expect(card([AIR, BATTERY], [offline])).toMatchObject({ silent: true });
    expect(card([channel(80, { device_id: 2 }), BATTERY], [offline])).toMatchObject({ silent: false });
  });
  test('a temperature that is not reported is unknown, even if other channels report', () => {
    const old = channel(80, { measured_at: ago(11 * MIN) });
    expect(card([old, BATTERY])).toMatchObject({
      state: { kind: 'unknown', since: ago(11 * MIN).toISOString(), alarm: null },
      silent: true,
    });
    const slow = { ...old, upload_interval_ms: 5 * MIN };
    expect(card([slow])).toMatchObject({ state: { kind: 'normal' }, silent: false });
    expect(card([channel(80, { measured_at: null })]).state).toMatchObject({ kind: 'unknown', since: null });
    expect(card([])).toMatchObject({ state: { kind: 'unknown', since: null }, main: null, silent: true });
  });
  test('of several temperatures, the card shows the one that does not report', () => {
    const old = channel(83, { measured_at: ago(11 * MIN) });
    const never = channel(84, { measured_at: null, value: null });
    expect(card([AIR, old])).toMatchObject({
      state: { kind: 'unknown' },
      main: { channelId: 83 },
      silent: true,
    });
    expect(card([AIR, old, never])).toMatchObject({ main: { channelId: 84, value: null }, cause: null });
    expect(card([old, never]).main).toMatchObject({ channelId: 83 });
  });
  test('a pending alarm of level 4 comes before an active alarm of level 1, and its due time is shown', () => {
    const low = alarm({ level: 1, channel_id: 81, kind: 'low', indicator: 'battery' });
    expect(card([AIR, BATTERY], [low], [pending(4), pending(2)]).state).toMatchObject({
      kind: 'pending',
      level: 4,
      dueAt: new Date(NOW + 6 * MIN).toISOString(),
    });
  });
  test('an active alarm is not hidden by a pending higher level of the same channel', () => {
    const active = card([AIR, BATTERY], [alarm({ level: 4 })], [pending(5)]);
    expect(active.state).toMatchObject({ kind: 'alarm', level: 4 });
    const silence = alarm({ kind: 'no-data', subject: 'device', level: 1, limit_value: null });
    expect(card([AIR], [silence], [pending(5)]).state).toMatchObject({ kind: 'pending', level: 5 });
  });
  test('an asset whose devices have all expired says so instead of a value, but an alarm to acknowledge stays', () => {
    const expired = channel(80, { expired_at: ago(60 * MIN) });
    const later = { ...BATTERY, expired_at: ago(30 * MIN) };
    expect(card([expired, later])).toMatchObject({
      state: { kind: 'expired', since: ago(30 * MIN).toISOString() },
      main: { channelId: 80, value: null },
    });
    expect(card([expired], [ended()]).state).toMatchObject({ kind: 'ended', level: 5 });
  });
  test('an expired device does not decide the state of an asset that has another one', () => {
    const expired = channel(80, { expired_at: ago(60 * MIN), measured_at: null, value: null });
    const other = channel(83, { device_id: 2 });
    expect(card([expired, other])).toMatchObject({ state: { kind: 'normal' }, main: { channelId: 83 } });
  });
  test('an active alarm whose values are stale is marked as stale', () => {
    const old = channel(80, { value: 12, measured_at: ago(40 * MIN) });
    expect(card([old], [alarm()])).toMatchObject({ state: { kind: 'alarm' }, silent: true });
  });
});
