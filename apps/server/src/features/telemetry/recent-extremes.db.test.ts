import { createTestDatabase, type TestDatabase } from '@isotherm/testkit/test-database';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { extremesOf } from './history.ts';
import { createRecentExtremes } from './recent-extremes.ts';

const STEP = 900_000;
const BUCKETS = 96;
let now = Math.floor(Date.now() / STEP) * STEP + 60_000;
let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.connectionString, max: 2 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function insert(channelId: number, from: number, to: number, value: number): Promise<void> {
  await pool.query(
    `insert into reading select $1, 0, t, $4 + extract(minute from t) / 10
       from generate_series($2::timestamptz, $3, '1 minute') t on conflict do nothing`,
    [channelId, new Date(from), new Date(to), value],
  );
}

test('cached extremes equal those of the readings, as time passes and late readings arrive', async () => {
  const recent = createRecentExtremes(pool, { now: () => now });
  const window = () => {
    const to = (Math.floor(now / STEP) + 1) * STEP;
    return [to - BUCKETS * STEP, to, STEP] as const;
  };
  const expectTrue = async (ids: number[]) =>
    expect(await recent.of(ids, ...window())).toEqual(await extremesOf(pool, ids, ...window()));

  for (const id of [1, 2]) await insert(id, now - 30 * 3_600_000, now, id);
  await expectTrue([1]);
  for (const minutes of [1, 16, 7, 20, 300, 2]) {
    const before = now;
    now += minutes * 60_000;
    for (const id of [1, 2]) await insert(id, before, now, 10 * minutes);
    await expectTrue([1, 2]);
    await expectTrue([2]);
  }
  await pool.query('update reading set value = 99 where channel_id = 1 and measured_at < $1', [
    new Date(now - 3_600_000),
  ]);
  recent.forget([1]);
  await expectTrue([1, 2]);
  // Late readings that another process received become visible at the next full read.
  await pool.query('update reading set value = 88 where channel_id = 2');
  now += 601_000;
  await expectTrue([1, 2]);
  expect(await recent.of([], ...window())).toEqual(new Map());
});
