import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import { NO_READINGS } from '@isotherm/domain/readings/series';
import { createComplianceStatistics } from '@isotherm/domain/reports/compliance-statistics';
import { limitSpans } from '@isotherm/domain/reports/record-statistics';
import { createTestDatabase, type TestDatabase } from '@isotherm/testkit/test-database';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../platform/log.ts';
import { addMissingFacts, digestHistory } from './day-facts.ts';
import { loadSeries } from './history.ts';
import { preparePartitions } from './partitions.ts';
import { type SealerOptions, sealClosedDays } from './seal.ts';

/** Facts of sealed days: a report from them equals one from all readings. */
const now = Date.now();
const today = Math.floor(now / DAY_MS);
const FIRST = today - 9;
const MINUTE = 60_000;
const ALLOWANCE = 5 * MINUTE;

let database: TestDatabase;
let pool: pg.Pool;
let sealer: SealerOptions;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.connectionString, max: 4 });
  pool.on('error', () => undefined);
  await preparePartitions(pool, true);
  sealer = { pool, owner: pool, clock: { now: () => now }, log: createLog('silent', false), sealAfterMs: 0 };
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function store(channelId: number, readings: readonly [at: number, value: number][]): Promise<void> {
  await pool.query(
    `insert into reading (channel_id, delay_s, measured_at, value)
     select $1, 0, t, v from unnest($2::timestamptz[], $3::real[]) as r(t, v) on conflict do nothing`,
    [channelId, readings.map(([at]) => new Date(at)), readings.map(([, value]) => value)],
  );
}

function collectorOf(from: number, to: number) {
  const collector = createComplianceStatistics({
    from,
    to,
    expectedFrom: from,
    gapAllowanceMs: ALLOWANCE,
    spans: limitSpans(
      [
        { kind: 'low', limit: 2, from: 0, until: Number.POSITIVE_INFINITY },
        { kind: 'high', limit: 8, from: 0, until: Number.POSITIVE_INFINITY },
      ],
      from,
      to,
    ),
    exposures: [],
    permittedMs: 30 * MINUTE,
    windowDays: 1,
    periods: [from],
  });
  let days = 0;
  return {
    ...collector,
    addDay(day: Parameters<typeof collector.addDay>[0]) {
      days++;
      collector.addDay(day);
    },
    days: () => days,
  };
}

async function expectSame(channelId: number, from: number, to: number): Promise<number> {
  const digest = collectorOf(from, to);
  await digestHistory(pool, new Map([[channelId, digest]]), from, to);
  const whole = collectorOf(from, to);
  whole.addReadings((await loadSeries(pool, [channelId], from, to)).get(channelId) ?? NO_READINGS);
  const [result, expected] = [digest.finish(), whole.finish()];
  if (result === null || expected === null) {
    expect(result).toEqual(expected);
    return 0;
  }
  const { meanKinetic, worstWindow, ...exact } = expected;
  expect(result).toMatchObject(exact);
  expect(result.meanKinetic ?? 0).toBeCloseTo(meanKinetic ?? 0, 6);
  expect(result.worstWindow?.celsius ?? 0).toBeCloseTo(worstWindow?.celsius ?? 0, 6);
  return digest.days();
}

test('a report from facts equals one from all readings, for any range and any readings', async () => {
  let channelId = 500;
  let fromFacts = 0;
  const reading = fc.tuple(fc.integer({ min: 0, max: 9 * 1440 - 1 }), fc.integer({ min: 20, max: 80 }));
  const outside = fc.tuple(fc.integer({ min: 0, max: 9 * 1440 - 1 }), fc.integer({ min: -50, max: 120 }));
  await fc.assert(
    fc.asyncProperty(
      // By default, arrays are so short that few days have facts.
      fc.array(reading, { maxLength: 400, size: 'max' }),
      fc.array(outside, { maxLength: 2 }),
      fc.array(reading, { maxLength: 3 }),
      fc.integer({ min: 0, max: 4 * 24 }),
      fc.integer({ min: 5 * 24, max: 9 * 24 }),
      async (inside, wild, late, fromHour, toHour) => {
        channelId++;
        const own = (given: readonly (readonly [number, number])[]) =>
          given.map(([minute, value]): [number, number] => [FIRST * DAY_MS + minute * MINUTE, value / 10]);
        await store(channelId, own([...inside, ...wild]));
        await sealClosedDays(sealer);
        // Readings that arrive after their day was sealed are not in its facts.
        await store(channelId, own(late));
        fromFacts += await expectSame(
          channelId,
          FIRST * DAY_MS + fromHour * 60 * MINUTE,
          FIRST * DAY_MS + toHour * 60 * MINUTE,
        );
      },
    ),
    { numRuns: 25 },
  );
  expect(fromFacts).toBeGreaterThan(20);
});

test('days of earlier releases are read in full until a job has added their facts', async () => {
  const minutes = Array.from({ length: 3 * 1440 }, (_, minute) => minute);
  await store(
    900,
    minutes.map((minute) => [FIRST * DAY_MS + minute * MINUTE, 5 + (minute % 7) / 10]),
  );
  await sealClosedDays(sealer);
  const [from, to] = [FIRST * DAY_MS, (FIRST + 3) * DAY_MS];
  expect(await expectSame(900, from, to)).toBe(3);

  // As an earlier release stores a day; and as it merges late readings into one that has facts.
  await pool.query(
    'update sealed_day set facts_count = null, facts = null where channel_id = 900 and day = $1',
    [new Date(from)],
  );
  await pool.query('update sealed_day set facts_count = count - 1 where channel_id = 900 and day = $1', [
    new Date(from + DAY_MS),
  ]);
  expect(await expectSame(900, from, to)).toBe(1);
  expect(await addMissingFacts(pool)).toBe(2);
  expect(await addMissingFacts(pool)).toBe(0);
  expect(await expectSame(900, from, to)).toBe(3);
});

test('a day that cannot be decoded does not stop the others from getting their facts', async () => {
  const readings = (day: number) =>
    Array.from({ length: 10 }, (_, i): [number, number] => [day * DAY_MS + i, 5]);
  for (const channelId of [910, 911]) await store(channelId, readings(FIRST));
  await sealClosedDays(sealer);
  await pool.query(
    `update sealed_day set facts_count = null, scale = 0, value_deltas = case channel_id when 910 then '' else value_deltas end
      where channel_id = 910`,
  );
  await pool.query('update sealed_day set facts_count = null where channel_id = 911');
  expect(await addMissingFacts(pool)).toBe(1);
  await pool.query('delete from sealed_day where channel_id = 910');
});
