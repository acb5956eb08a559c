import type { ResponseOf } from '@isotherm/contracts/route';
import type { Aggregates, CurveSeries, getCurve } from '@isotherm/contracts/telemetry';
import { addReadings, createBuckets, meanOf } from '@isotherm/domain/readings/buckets';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../../platform/log.ts';
import { fridge, type Session, startTestServer, type TestServer } from '../../testing/test-server.ts';
import { loadSeries, reduceHistory } from './history.ts';
import { sealClosedDays } from './seal.ts';

const HOUR_MS = 3_600_000;
const ALLOWANCE = 300_000;
const now = Date.now();
const today = Math.floor(now / DAY_MS) * DAY_MS;
const FIRST = today - 400 * DAY_MS;

let server: TestServer;
let owner: pg.Pool;
let session: Session;
/**
 * One channel with steady readings over more than a year; the other one has gaps, excursions and late
 * readings.
 */
let steady: number;
let restless: number;

beforeAll(async () => {
  server = await startTestServer();
  owner = new pg.Pool({ connectionString: server.pool.options.connectionString, max: 2 });
  owner.on('error', () => undefined);
  const manager = await server.logIn('demo.manager');
  await server.provision(manager, [fridge('60000011'), fridge('60000012')]);
  const { rows } = await server.pool.query<{ id: number }>(
    `select c.id from channel c join device d on d.id = c.device_id
      where d.number in ('60000011', '60000012') and c.indicator = 'temperature' order by d.number`,
  );
  [steady, restless] = rows.map((row) => row.id) as [number, number];
  await insert(
    steady,
    `select t, 5 + (extract(epoch from t) / 300)::int % 7 / 10.0 from generate_series($1::timestamptz, $2, '5 minutes') t`,
    [new Date(FIRST), new Date(now)],
  );
  // Every third hour has no readings; on the fifth day the temperature is too high for some hours.
  await insert(
    restless,
    `select t, case when t between $1::timestamptz + interval '4 days 5 hours' and $1::timestamptz + interval '4 days 9 hours'
                    then 9.5 else 4 + (extract(epoch from t) / 60)::int % 11 / 10.0 end
       from generate_series($1::timestamptz, $2, '1 minute') t
      where extract(hour from t)::int % 3 <> 2 and (extract(epoch from t) / 60)::int % 97 <> 0`,
    [new Date(today - 12 * DAY_MS), new Date(now)],
  );
  await sealClosedDays({
    pool: server.pool,
    owner,
    log: createLog('silent', false),
    clock: { now: () => now },
    sealAfterMs: 0,
  });
  // These are late readings for a day that is already sealed.
  await insert(
    restless,
    `select t, 4.4 from generate_series($1::timestamptz, $1::timestamptz + interval '40 minutes', '4 minutes') t`,
    [new Date(today - 9 * DAY_MS + 2 * HOUR_MS + 30_000)],
  );
  session = await server.logIn('demo.auditor');
});
afterAll(async () => {
  await owner.end();
  await server.stop();
});

async function insert(channelId: number, select: string, values: unknown[]): Promise<void> {
  await server.pool.query(
    `insert into reading (channel_id, delay_s, measured_at, value) select ${channelId}, 0, r.* from (${select}) r`,
    values,
  );
}

async function curve(channelId: number, from: number, to: number, points: number): Promise<CurveSeries> {
  const { data } = await server.call<ResponseOf<typeof getCurve>>({
    path: '/api/telemetry/curve',
    query: {
      channels: String(channelId),
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      points: String(points),
    },
    session,
  });
  return data.series[0] as CurveSeries;
}

async function aggregates(channelId: number, query: Record<string, string>): Promise<Aggregates> {
  const { data } = await server.call<Aggregates>({
    path: '/api/telemetry/aggregates',
    query: { channels: String(channelId), ...query },
    session,
  });
  return data;
}

test('all readings are sealed except those of today and late ones', async () => {
  const { rows } = await server.pool.query(
    `select count(*) filter (where measured_at >= $1)::int as today, count(*) filter (where measured_at < $1)::int as late
       from reading where channel_id = any($2)`,
    [new Date(today), [steady, restless]],
  );
  expect(rows[0].late).toBe(11);
  expect(rows[0].today).toBeGreaterThan(0);
});

/**
 * Buckets of an hour and more are computed from summaries, shorter ones from readings: both must agree with
 * the readings.
 */
describe.each([
  ['5 minutes', 300_000, 0],
  ['an hour', HOUR_MS, 0],
  ['half a day, begun in mid-hour', DAY_MS / 2, 1_234_567],
  ['two days', 2 * DAY_MS, 0],
])('buckets of %s', (_name, step, shift) => {
  test('buckets of %s equal those computed from the readings', async () => {
    const from = today - 11 * DAY_MS;
    const bounds = Float64Array.from({ length: 21 }, (_, i) => from + i * step);
    bounds[0] = from + shift;
    const limits = { low: 2, high: 8 };
    const series = (await loadSeries(server.pool, [restless], 0, now + 1)).get(restless);
    if (!series) throw new Error('no readings');
    const expected = createBuckets(bounds);
    addReadings(expected, series, now, ALLOWANCE, limits);
    const channel = { id: restless, gapAllowanceMs: ALLOWANCE, limits };
    const reduced = await reduceHistory(server.pool, [channel], bounds, now, 10);
    const buckets = reduced.get(restless)?.buckets ?? createBuckets(bounds);
    for (const column of ['count', 'min', 'max', 'firstAt', 'lastAt', 'coveredMs', 'outsideMs'] as const)
      expect({ [column]: [...buckets[column]] }).toEqual({ [column]: [...expected[column]] });
    for (const bucket of expected.count.keys())
      if (expected.count[bucket]) expect(meanOf(buckets, bucket)).toBeCloseTo(meanOf(expected, bucket), 6);
  });
});

test('a chart over a year shows one bucket per day with true extremes', async () => {
  const series = await curve(steady, today - 365 * DAY_MS, today, 400);
  expect(series.stepMs).toBe(DAY_MS);
  expect(series.at.length).toBe(365);
  expect([Math.min(...series.min), Math.max(...series.max)]).toEqual([5, 5.6]);
  expect(series.gaps).toEqual([]);
  expect(series.statistics).toMatchObject({ count: 365 * 288, min: 5, max: 5.6, outsideMs: 0 });
  expect(series.statistics?.mean).toBeCloseTo(5.3, 2);
});

test('a short range is returned as its readings, sealed or not', async () => {
  const series = await curve(steady, today - 3 * HOUR_MS, today + HOUR_MS, 800);
  expect(series.stepMs).toBeNull();
  expect(series.at.slice(0, 3)).toEqual([0, 300_000, 600_000].map((at) => today - 3 * HOUR_MS + at));
  expect(series.min).toEqual(series.max);
});

test('a long range with few readings is returned as readings, too', async () => {
  const series = await curve(steady, FIRST - 100 * DAY_MS, FIRST + 600_000, 500);
  expect({ stepMs: series.stepMs, at: series.at }).toEqual({ stepMs: null, at: [FIRST, FIRST + 300_000] });
  expect(series.gaps.length).toBe(1);
});

test('time outside the limits and gaps are found in sealed days', async () => {
  const begin = today - 12 * DAY_MS;
  const series = await curve(restless, begin, begin + 8 * DAY_MS, 100);
  // The temperature was too high for four hours, of which two have no readings.
  expect(series.statistics?.outsideMs).toBeGreaterThan(1.9 * HOUR_MS);
  expect(series.statistics?.outsideMs).toBeLessThan(2.1 * HOUR_MS);
  expect(series.gaps.length).toBeGreaterThan(8 * 6);
});

test('a range above the limit is refused, and so is a caller without access to the channel', async () => {
  const asked = {
    path: '/api/telemetry/aggregates',
    query: {
      channels: String(steady),
      from: new Date(today - 40 * DAY_MS).toISOString(),
      to: new Date(today).toISOString(),
      period: '5-minutes',
      zone: 'UTC',
    },
    session,
  };
  expect((await server.call(asked)).status).toBe('curve.range');
  expect((await server.call({ ...asked, query: { ...asked.query, zone: 'Mars/Olympus' } })).status).toBe(
    'request.invalid',
  );
});

test('days begin at midnight of the time zone, also with daylight saving', async () => {
  // Lisbon changes between winter and summer time within this range in any year.
  const range = { from: new Date(today - 370 * DAY_MS).toISOString(), to: new Date(today).toISOString() };
  for (const zone of ['Europe/Lisbon', 'Asia/Kathmandu']) {
    const { at, to, series } = await aggregates(steady, { ...range, period: 'day', zone });
    const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
    expect(new Set(at.map((moment) => clock.format(moment)))).toEqual(new Set(['00:00']));
    const [own] = series;
    const lengths = [...at.slice(1), to].map((end, i) => end - (at[i] as number));
    expect(own?.count.slice(1, 360)).toEqual(lengths.slice(1, 360).map((length) => length / 300_000));
    expect(new Set(own?.coverage.slice(1, 360))).toEqual(new Set([100]));
    expect(new Set(lengths.map((length) => length / HOUR_MS)).size).toBe(zone === 'Europe/Lisbon' ? 3 : 1);
  }
});

test('hourly and five-minute buckets contain their coverage, and a bucket without readings has no mean', async () => {
  const from = today - 9 * DAY_MS;
  const range = { from: new Date(from).toISOString(), to: new Date(from + 4 * HOUR_MS).toISOString() };
  const hours = await aggregates(restless, { ...range, period: 'hour', zone: 'UTC' });
  expect(hours.at).toEqual([0, 1, 2, 3].map((hour) => from + hour * HOUR_MS));
  const [own] = hours.series;
  expect(own?.coverage[0]).toBe(100);
  // This hour has no readings, except for late readings that were measured in its first forty minutes.
  expect(own?.count[2]).toBe(11);
  expect(own?.mean[2]).toBeCloseTo(4.4, 1);
  expect(Math.round(own?.coverage[2] ?? 0)).toBeOneOf([67, 68]);
  const fives = await aggregates(restless, { ...range, period: '5-minutes', zone: 'Asia/Kathmandu' });
  expect(fives.at.length).toBe(48);
  const silent = fives.at.indexOf(from + 2 * HOUR_MS + 50 * 60_000);
  expect([
    fives.series[0]?.count[silent],
    fives.series[0]?.mean[silent],
    fives.series[0]?.coverage[silent],
  ]).toEqual([0, null, 0]);
});
