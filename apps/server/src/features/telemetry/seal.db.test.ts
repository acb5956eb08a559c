import { DAY_MS, unsealDelays } from '@isotherm/domain/readings/sealed-day';
import { createTestDatabase, type TestDatabase } from '@isotherm/testkit/test-database';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInvalidations } from '../../platform/cache/invalidations.ts';
import { createLog } from '../../platform/log.ts';
import { acceptedReadings } from '../../testing/accepted-readings.ts';
import { createCalibrationBook } from './calibrated.ts';
import { loadSeries, loadWindows } from './history.ts';
import { preparePartitions } from './partitions.ts';
import { createReadingWriter, type ReadingWriter, type StoredBatch } from './reading-writer.ts';
import { type SealerOptions, sealClosedDays } from './seal.ts';

const log = createLog('silent', false);
const now = Date.now();
const today = Math.floor(now / DAY_MS);

let database: TestDatabase;
let pool: pg.Pool;
let sealer: SealerOptions;
let writer: ReadingWriter;
const stored: StoredBatch[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.connectionString, max: 8 });
  pool.on('error', () => undefined);
  await preparePartitions(pool, true);
  sealer = { pool, owner: pool, clock: { now: () => now }, log, sealAfterMs: 0 };
  writer = createReadingWriter({
    pool,
    clock: { now: () => now },
    log,
    writers: 2,
    maxQueuedReadings: 100_000,
    calibrations: createCalibrationBook(createInvalidations(true)),
    onPositions: async () => undefined,
    onBatch: async (_tx, batch) => {
      stored.push(batch);
      return () => undefined;
    },
    onCommitted: () => undefined,
  });
});
afterAll(async () => {
  await writer.stop();
  await pool.end();
  await database.drop();
});

type Reading = readonly [at: number, value: number];

/**
 * Sends readings of one channel; channel and device have the same number. Returns the number of new
 * readings.
 */
async function send(channelId: number, readings: readonly Reading[]): Promise<number> {
  stored.length = 0;
  await writer.write({
    deviceId: channelId,
    bindingVersion: 1,
    receivedAt: now,
    readings: acceptedReadings(
      readings.map(() => channelId),
      readings.map(([at]) => at),
      readings.map(([, value]) => value),
    ),
    clock: null,
  });
  const [batch] = stored as [StoredBatch];
  return batch.fresh.length + batch.late.length;
}

async function historyOf(channelId: number): Promise<Reading[]> {
  const series = (await loadSeries(pool, [channelId], 0, now + DAY_MS)).get(channelId);
  return series ? [...series.at].map((at, i) => [at, series.value[i] as number] as const) : [];
}

async function count(sql: string): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(`select count(*)::int as n from ${sql}`);
  return rows[0]?.n ?? -1;
}

/** Readings of a day in typical patterns of loggers. */
const SHAPES: Record<string, (day: number) => Reading[]> = {
  'each minute in tenths': (day) =>
    Array.from({ length: 1440 }, (_, m) => [
      day * DAY_MS + m * 60_000,
      Math.round(50 + 9 * Math.sin(m / 30)) / 10,
    ]),
  'several in a second, in hundredths': (day) =>
    Array.from({ length: 500 }, (_, i) => [day * DAY_MS + i * 137, (i % 250) / 100]),
  'values of no scale, irregular': (day) =>
    Array.from({ length: 200 }, (_, i) => [
      day * DAY_MS + i * i * 2_000 + i,
      Number(Math.fround(Math.PI * i).toPrecision(7)),
    ]),
  'one alone at the end of the day': (day) => [[(day + 1) * DAY_MS - 1, -80]],
};

test('a closed day becomes one row per channel, its partition is dropped, and every reading is still there', async () => {
  const shapes = Object.values(SHAPES);
  const sent = shapes.map((shape) =>
    [today - 3, today - 2, today].flatMap(shape).filter(([at]) => at <= now),
  );
  for (const [i, readings] of sent.entries()) await send(100 + i, readings);
  const before = await Promise.all(sent.map((_, i) => historyOf(100 + i)));
  expect(before).toEqual(sent);
  const hotToday = await count(`reading where measured_at >= '${new Date(today * DAY_MS).toISOString()}'`);

  const report = await sealClosedDays(sealer);
  expect(report?.readings).toBe(2 * shapes.reduce((n, shape) => n + shape(0).length, 0));
  expect(await count('reading')).toBe(hotToday);
  expect(await count(`pg_inherits where inhparent = 'reading'::regclass`)).toBe(9);
  expect(await Promise.all(sent.map((_, i) => historyOf(100 + i)))).toEqual(sent);
  expect(await sealClosedDays(sealer)).toEqual({ days: 0, readings: 0 });

  const own = sent[0] as Reading[];
  const [from, to] = [own[5]?.[0] as number, own[2000]?.[0] as number];
  const windows = await loadWindows(pool, [
    { channelId: 100, from, to },
    { channelId: 101, from, to: from + 1 },
  ]);
  expect([...(windows.get(100)?.at ?? [])]).toEqual(own.slice(5, 2000).map(([at]) => at));
});

test('late readings for a sealed day are accepted, visible at once, and merged, and a resend is not counted as new', async () => {
  const day = today - 20;
  const readings = SHAPES['each minute in tenths']?.(day) as Reading[];
  const late = readings.filter((_, i) => i % 100 === 7);
  const timely = readings.filter((reading) => !late.includes(reading));
  await send(200, timely);
  await sealClosedDays(sealer);

  expect(await send(200, timely.slice(0, 50))).toBe(0);
  expect(await count('reading where channel_id = 200')).toBe(0);
  expect(await send(200, [...late, ...timely.slice(0, 50)])).toBe(1);
  expect(stored[0]?.late).toEqual([{ channelId: 200, earliest: late[0]?.[0], latest: late.at(-1)?.[0] }]);
  expect(await historyOf(200)).toEqual(readings);
  // A different value for a time that already has a reading changes nothing, because readings are
  // append-only.
  expect(await send(200, [[readings[3]?.[0] as number, 99]])).toBe(0);

  expect((await sealClosedDays(sealer))?.readings).toBe(late.length);
  expect(await count('reading where channel_id = 200')).toBe(0);
  expect(await historyOf(200)).toEqual(readings);
  expect(await send(200, late)).toBe(0);
});

test('a day that never had a partition is sealed as well', async () => {
  const day = Math.floor(Date.UTC(2019, 1, 3) / DAY_MS);
  const readings = SHAPES['several in a second, in hundredths']?.(day) as Reading[];
  await send(300, readings);
  expect(await count('reading_default')).toBe(readings.length);
  await sealClosedDays(sealer);
  expect(await count('reading_default')).toBe(0);
  expect(await historyOf(300)).toEqual(readings);
});

test('sealing a day keeps the stored delay of its late readings', async () => {
  const [{ day, late, count: n } = { day: 0, late: null, count: 0 }] = (
    await pool.query<{ day: number; late: Buffer | null; count: number }>(
      `select day - date '1970-01-01' as day, late, count from sealed_day where channel_id = 300`,
    )
  ).rows;
  const delays = unsealDelays({ count: n, late });
  expect(delays[0]).toBe(Math.round((now - day * DAY_MS) / 1000));
});

test('two processes that seal at the same time seal each day once', async () => {
  await send(400, SHAPES['each minute in tenths']?.(today - 10) as Reading[]);
  const reports = await Promise.all([1, 2, 3].map(() => sealClosedDays(sealer)));
  expect(reports.reduce((sum, report) => sum + (report?.readings ?? 0), 0)).toBe(1440);
  expect(reports.filter((report) => report === null).length).toBeGreaterThan(0);
});

test('after the server clock jumped ahead, days are sealed too early without harm', async () => {
  const ahead = { ...sealer, clock: { now: () => now + 3 * DAY_MS } };
  const readings: Reading[] = Array.from({ length: 60 }, (_, i) => [now - i * 1000, 4 + i / 10]);
  await send(500, readings.slice(30));
  await sealClosedDays(ahead);
  expect(await send(500, readings.slice(20))).toBe(1);
  expect(await send(500, readings)).toBe(1);
  expect(await historyOf(500)).toEqual([...readings].reverse());
  await sealClosedDays(ahead);
  expect(await historyOf(500)).toEqual([...readings].reverse());
});

test('a day whose readings differ when they are read back stays unsealed, and does not block other days', async () => {
  const day = today - 15;
  // The time has fractions of a millisecond, which no gateway sends.
  await pool.query(
    `insert into reading (channel_id, delay_s, measured_at, value)
     values (600, 0, $1::timestamptz + interval '5 microseconds', 5), (600, 0, $1::timestamptz + interval '1 s', 5)`,
    [new Date(day * DAY_MS)],
  );
  await send(601, [[(today - 14) * DAY_MS, 5]]);
  await sealClosedDays(sealer);
  expect(await count('reading where channel_id = 600')).toBe(2);
  expect(await count('reading where channel_id = 601')).toBe(0);
  await pool.query('delete from reading where channel_id = 600');
});

test("readings written without the day's lock survive the drop of their partition", async () => {
  const day = today - 20;
  const name = new Date(day * DAY_MS).toISOString().slice(0, 10);
  await pool.query(
    `create table reading_${name.replaceAll('-', '')} partition of reading
       for values from ('${name} 00:00:00+00') to ('${name} 24:00:00+00')`,
  );
  const stranger = await pool.connect();
  await stranger.query('begin');
  await stranger.query('insert into reading values (650, 0, $1, 5)', [new Date(day * DAY_MS)]);
  const sealing = sealClosedDays(sealer);
  await expect
    .poll(() => count(`pg_stat_activity where wait_event_type = 'Lock' and query like 'lock table%'`))
    .toBe(1);
  await stranger.query('commit');
  stranger.release();
  await sealing;
  expect(await historyOf(650)).toEqual([[day * DAY_MS, 5]]);
  expect(await count('reading where channel_id = 650')).toBe(0);
});

test('late readings and resends during repeated sealing of their day are stored once', async () => {
  const channels = [700, 701, 702];
  const days = [today - 9, today - 8];
  const all = days.flatMap((day) => SHAPES['each minute in tenths']?.(day) as Reading[]);
  for (const channel of channels)
    await send(
      channel,
      all.filter((_, i) => i % 3 === 0),
    );
  let sending = true;
  const senders = channels.map(async (channel, c) => {
    for (let i = 0; i < 120; i++) {
      // Some readings are sent twice by two senders, and some again after the sealing.
      const part = all.filter((_, n) => (n * 7 + c) % 120 === i || (n * 7 + c) % 120 === i - 5);
      await writer.write({
        deviceId: channel + (i % 2),
        bindingVersion: 1,
        receivedAt: now,
        readings: acceptedReadings(
          part.map(() => channel),
          part.map(([at]) => at),
          part.map(([, value]) => value),
        ),
        clock: null,
      });
    }
  });
  const sealing = (async () => {
    let runs = 0;
    while (sending) {
      await sealClosedDays(sealer);
      runs++;
    }
    return runs;
  })();
  await Promise.all(senders);
  sending = false;
  expect(await sealing).toBeGreaterThan(1);
  for (const channel of channels) expect(await historyOf(channel)).toEqual(all);
  await sealClosedDays(sealer);
  for (const channel of channels) {
    expect(await historyOf(channel)).toEqual(all);
    expect(await count(`reading where channel_id = ${channel}`)).toBe(0);
  }
});

test('readings of a thousand past days in one message cause only one scan of the late readings, however many days are sealed at a time', async () => {
  const channel = 900_001;
  const readings = Array.from({ length: 1_000 }, (_, i): Reading => [Date.UTC(2003, 0, 1 + i), i % 10]);
  await send(channel, readings);
  const asked: string[] = [];
  const watched = new Proxy(pool, {
    get(target, name) {
      if (name !== 'connect') return Reflect.get(target, name);
      return async () => {
        const session = await target.connect();
        const query = session.query.bind(session) as (...given: unknown[]) => unknown;
        session.query = ((...given: unknown[]) => {
          const [first] = given as [string | { text: string }];
          asked.push(typeof first === 'string' ? first : first.text);
          return query(...given);
        }) as never;
        return session;
      };
    },
  });
  expect(await sealClosedDays({ ...sealer, owner: watched })).toMatchObject({ readings: 1_000 });
  expect(asked.filter((text) => text.includes('from reading_default'))).toHaveLength(1);
  const back = (await loadSeries(pool, [channel], Date.UTC(2003, 0, 1), Date.UTC(2006, 0, 1))).get(channel);
  expect([...(back?.at ?? [])].map((at, i) => [at, back?.value[i]])).toEqual(readings);
});
