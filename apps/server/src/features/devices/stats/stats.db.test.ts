import type { DeviceRecord } from '@isotherm/contracts/device-registry';
import type { DeviceStats } from '@isotherm/contracts/device-stats';
import { ATTENTIONS } from '@isotherm/domain/devices/attention';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Asking, asking } from '../../../testing/asking.ts';
import { expectDone, people } from '../../../testing/people.ts';
import { fridge, type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';
import { countDays } from '../../telemetry/completeness.ts';

/** Expected readings per day: the test devices measure once a minute. */
const DUE = 1_440;
const MINUTE = 60_000;
const DAY = 86_400_000;
/** The test runs at noon, so that yesterday has ended and has a partition. */
const NOW = Math.floor(Date.now() / DAY) * DAY + DAY / 2;
const YESTERDAY = Math.floor(NOW / DAY) * DAY - DAY;

let server: TestServer;
let manager: Session;
let ask: Asking['ask'];
const clock = { now: () => NOW };

beforeAll(async () => {
  server = await startTestServer({ clock });
  manager = await server.logIn('demo.manager');
  ask = asking(server, manager).ask;
});
afterAll(() => server.stop());

let last = 48_000_000;
/**
 * Creates a device that was registered the day before yesterday, with one channel for each of these
 * indicators.
 */
async function device(model: string, ...indicators: Indicator[]): Promise<string> {
  const number = String(++last);
  const item = fridge(number);
  const [sensor] = item.sensors;
  if (sensor) sensor.channels = indicators.map((indicator) => ({ indicator, name: indicator }));
  item.device.model = model;
  await server.provision(manager, [item]);
  await server.pool.query('update device set created_at = $2 where number = $1', [
    number,
    new Date(YESTERDAY - DAY),
  ]);
  return number;
}
/** Inserts readings directly into the history, because this test is about counting them. */
async function hold(number: string, indicator: Indicator, at: readonly number[], value = 5): Promise<void> {
  await server.pool.query(
    `insert into reading (channel_id, delay_s, measured_at, value)
     select c.id, 0, to_timestamp(ms / 1000.0), $4 from channel c join device d on d.id = c.device_id,
            unnest($3::float8[]) ms
      where d.number = $1 and c.indicator = $2`,
    [number, indicator, at, value],
  );
}
const every = (ms: number, from: number, to: number) =>
  Array.from({ length: Math.ceil((to - from) / ms) }, (_, i) => from + i * ms);
const count = () => countDays({ pool: server.pool, clock }, Math.floor(NOW / DAY));
const stats = (query: Record<string, string> = {}) => ask<DeviceStats>({ path: '/api/device/stats', query });
async function dayOf(number: string): Promise<{ received: number; due: number } | undefined> {
  const { rows } = await server.pool.query<{ received: number; due: number }>(
    `select received, due from device_day t join device d on d.id = t.device_id
      where d.number = $1 and day = (to_timestamp($2::float8 / 1000) at time zone 'UTC')::date`,
    [number, YESTERDAY],
  );
  return rows[0];
}

describe('completeness: received readings as a share of those expected', () => {
  const end = YESTERDAY + DAY;
  const hour = 60 * MINUTE;
  it.each([
    ['every minute', every(MINUTE, YESTERDAY, end), DUE],
    ['every minute, some seconds after the full minute', every(MINUTE, YESTERDAY + 37_000, end), DUE],
    [
      'every minute with an unsteady clock',
      every(MINUTE, YESTERDAY, end).map((at, i) => at + (i % 3) * 9_000),
      DUE,
    ],
    ['four times a minute', every(15_000, YESTERDAY, end), DUE],
    ['four times a minute for half the day', every(15_000, YESTERDAY, YESTERDAY + DAY / 2), DUE / 2],
    [
      'an hour of silence',
      every(MINUTE, YESTERDAY, end).filter(
        (at) => (at - YESTERDAY) % DAY < 8 * hour || at - YESTERDAY >= 9 * hour,
      ),
      DUE - 60,
    ],
    ['only from noon on', every(MINUTE, YESTERDAY + DAY / 2, end), DUE / 2],
    ['every other minute', every(2 * MINUTE, YESTERDAY, end), DUE / 2],
    ['nothing', [], 0],
  ])('the share of received readings is correct: %s', async (_words, at, received) => {
    const number = await device('completeness', 'temperature', 'door', 'battery');
    await hold(number, 'temperature', at);
    await count();
    const day = await dayOf(number);
    expect(day?.due).toBe(DUE);
    // The count may differ by one reading, because the gaps before the first and after the last reading of
    // the day depend on their times.
    expect(Math.abs((day?.received ?? 0) - received)).toBeLessThanOrEqual(1);
  });

  it('readings are expected from the registration on; before that, only received readings count', async () => {
    const [noon, later] = [await device('new', 'temperature'), await device('new', 'temperature')];
    await server.pool.query('update device set created_at = $2 where number = $1', [
      noon,
      new Date(YESTERDAY + DAY / 2),
    ]);
    await server.pool.query('update device set created_at = $2 where number = $1', [later, new Date(NOW)]);
    await count();
    expect(await dayOf(noon)).toEqual({ received: 0, due: DUE / 2 });
    expect(await dayOf(later)).toBeUndefined();
    await hold(later, 'temperature', every(MINUTE, YESTERDAY, end));
    await count();
    expect(await dayOf(later)).toEqual({ received: DUE, due: DUE });
  });

  it('no readings are expected of a disabled sensor, and each of several channels is counted', async () => {
    const number = await device('several', 'temperature', 'humidity');
    await hold(number, 'temperature', every(MINUTE, YESTERDAY, end));
    await count();
    expect(await dayOf(number)).toEqual({ received: DUE, due: 2 * DUE });
    await server.pool.query(
      'update sensor set disabled_at = now() where device_id = (select id from device where number = $1)',
      [number],
    );
    await server.pool.query(
      'delete from device_day where device_id = (select id from device where number = $1)',
      [number],
    );
    await count();
    expect(await dayOf(number)).toBeUndefined();
  });
});

describe('device statistics', () => {
  it('every number of the statistics equals the count of the device list with the same filter', async () => {
    const [weak, low, full] = [
      await device('stats', 'temperature', 'signal', 'battery'),
      await device('stats', 'temperature', 'signal', 'battery', 'power'),
      await device('stats', 'temperature', 'signal', 'battery'),
    ];
    const say = (number: string, indicator: Indicator, value: number) =>
      server.pool.query(
        `insert into channel_latest select c.id, now(), now(), $3 from channel c join device d on d.id = c.device_id
          where d.number = $1 and c.indicator = $2`,
        [number, indicator, value],
      );
    await say(weak, 'signal', -100);
    await say(low, 'signal', -99);
    await say(low, 'battery', 20);
    await say(full, 'battery', 21);
    await hold(full, 'temperature', every(MINUTE, YESTERDAY, YESTERDAY + DAY));
    await server.pool.query(`insert into device_presence select id, $2 from device where number = $1`, [
      full,
      new Date(NOW),
    ]);
    await count();
    const found = await stats();
    const listed = async (query: Record<string, string>) =>
      (await ask<{ items: DeviceRecord[]; total: number }>({ path: '/api/device/list', query })).total;
    expect(found.total).toBe(await listed({}));
    for (const connection of ['online', 'offline', 'never-seen'] as const)
      expect(found.connections[connection], connection).toBe(await listed({ connection }));
    for (const term of ['unlimited', 'valid', 'expiring', 'expired', 'lapsed'] as const)
      expect(found.terms[term], term).toBe(await listed({ term }));
    for (const attention of ATTENTIONS)
      expect(found.attention[attention], attention).toBe(await listed({ attention }));
    expect(found.attention).toMatchObject({ 'signal-weak': 1, 'battery-low': 1, 'battery-ending': 0 });
    expect(found.bound).toBe(await listed({ bound: 'bound' }));
    const model = found.models.find((each) => each.model === 'stats');
    expect(model).toMatchObject({ total: 3, connections: { online: 1, offline: 0, 'never-seen': 2 } });
    expect(found.signals.map(({ number }) => number)).toEqual([weak]);
    const worst = found.completeness.worst.map(({ number }) => number);
    expect(worst).not.toContain(full);
    expect(found.levels.battery).toEqual([1, 1, 0, 0, 0]);
    expect(found.levels.signal).toEqual([1, 1, 0, 0, 0]);
    expect(found.offline).toEqual({ groups: [0, 0, 0, 0], longest: [] });
    const { received, due, days } = found.completeness;
    const counted = found.organizations
      .flatMap((each) => each.days)
      .filter(({ day }) => day === days.at(-1)?.day);
    expect(counted.reduce((sum, day) => sum + day.due, 0)).toBe(days.at(-1)?.due);
    expect(days.at(-1)).toMatchObject({ batteryLow: 0, signalWeak: 0 });
    expect(days.at(-1)?.incomplete).toBe(found.attention.incomplete);
    expect(days.at(-1)?.silent).toBeGreaterThanOrEqual(2);
    expect(days.at(-1)?.day).toBe(new Date(YESTERDAY).toISOString().slice(0, 10));
    expect(received).toBe(days.reduce((sum, day) => sum + day.received, 0));
    expect(due).toBe(days.reduce((sum, day) => sum + day.due, 0));
  });

  it('devices with a low battery are counted per day, and offline devices are listed with the time since which they are offline', async () => {
    const number = await device('trends', 'temperature', 'battery', 'signal');
    await hold(number, 'temperature', every(MINUTE, YESTERDAY, YESTERDAY + DAY));
    await hold(number, 'battery', [YESTERDAY + 60 * MINUTE], 12);
    await hold(number, 'signal', [YESTERDAY + 60 * MINUTE], -111);
    await server.pool.query(`insert into device_presence select id, $2 from device where number = $1`, [
      number,
      new Date(NOW - 2 * DAY),
    ]);
    await count();
    const { completeness, offline } = await stats();
    expect(completeness.days.at(-1)).toMatchObject({ batteryLow: 1, signalWeak: 1 });
    expect(offline.groups).toEqual([0, 1, 0, 0]);
    expect(offline.longest).toMatchObject([{ number, lastSeenAt: new Date(NOW - 2 * DAY).toISOString() }]);
  });

  it('the day when a battery will be empty is forecast from its daily means, unless the device has external power', async () => {
    const [tired, fed] = [await device('battery', 'battery'), await device('battery', 'battery', 'power')];
    await server.pool.query(
      `insert into device_day (day, device_id, received, due, battery)
       select (to_timestamp($2::float8 / 1000) at time zone 'UTC')::date - n, d.id, 0, 0, 30 + 2 * n
         from device d, generate_series(1, 6) n where d.number = any($1)`,
      [[tired, fed], YESTERDAY],
    );
    for (const number of [tired, fed]) await hold(number, 'battery', [YESTERDAY + 60 * MINUTE], 30);
    await server.pool.query(
      `insert into channel_latest select c.id, now(), now(), 1 from channel c join device d on d.id = c.device_id
        where d.number = $1 and c.indicator = 'power'`,
      [fed],
    );
    await count();
    const [first, ...others] = (await stats()).batteries;
    expect(others).toEqual([]);
    expect(first).toMatchObject({ number: tired, perDay: 2 });
    // The battery lasts ten days from the start of yesterday, and one and a half days have passed.
    expect(first?.daysLeft).toBeCloseTo(8.5, 1);
  });

  it('devices are grouped by the organisations directly below, each including all below it, and own devices come last', async () => {
    const platform = people(server, await server.logIn('demo.platform'));
    await platform.organization('STATS-A', 'DEMO');
    await platform.organization('STATS-B', 'STATS-A', 'subunit');
    for (const code of ['STATS-A', 'STATS-B']) {
      const number = String(++last);
      await server.provision(manager, [fridge(number, { organizationCode: code })]);
    }
    const { organizations, total } = await stats({
      organizationId: String(await platform.organizationId('DEMO')),
    });
    expect(organizations.find(({ name }) => name === 'Organisation STATS-A')).toMatchObject({
      total: 2,
      isOwn: false,
    });
    expect(organizations.reduce((sum, each) => sum + each.total, 0)).toBe(total);
    const below = await stats({ organizationId: String(await platform.organizationId('STATS-A')) });
    expect(below.organizations.map(({ isOwn, total: each }) => [isOwn, each])).toEqual([
      [false, 1],
      [true, 1],
    ]);
    const keeper = await server.call<DeviceStats>({
      path: '/api/device/stats',
      query: { organizationId: String(await platform.organizationId('STATS-A')) },
      session: await server.logIn('demo.auditor'),
    });
    expect(expectDone(keeper).total).toBe(2);
  });
});
