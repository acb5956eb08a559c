import { createTestDatabase } from '@isotherm/testkit/test-database';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mapRows } from './map-rows.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.connectionString, max: 1 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const numbers = (most: number) => ({
  text: 'select n from generate_series(1, $1::int) as n order by n',
  values: [most],
});

it.each([0, 1, 199, 200, 201, 1000])('all of %i rows are returned once and in order', async (most) => {
  const all = Array.from({ length: most }, (_, at) => at + 1);
  expect(await mapRows(pool, numbers(most), ({ n }: { n: number }) => n)).toEqual(all);
});

it('errors are thrown, and the connection stays usable', async () => {
  const faulty = ({ n }: { n: number }) => {
    if (n > 300) throw new Error('not this one');
    return n;
  };
  await expect(mapRows(pool, numbers(1000), faulty)).rejects.toThrow('not this one');
  await expect(mapRows(pool, { text: 'select nothing', values: [] }, String)).rejects.toThrow('nothing');
  expect(await mapRows(pool, numbers(1), ({ n }: { n: number }) => n)).toEqual([1]);
});
