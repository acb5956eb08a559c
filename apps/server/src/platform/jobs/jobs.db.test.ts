import { createTestDatabase } from '@isotherm/testkit/test-database';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createPool } from '../db/pool.ts';
import { createLog } from '../log.ts';
import { addTask, prepareJobs, startJobs } from './jobs.ts';

let pool: ReturnType<typeof createPool>;
const log = createLog('silent', false);

beforeAll(async () => {
  const database = await createTestDatabase();
  pool = createPool(database.connectionString, 6, log, 'jobs-test');
  await prepareJobs(pool, log);
});
afterAll(() => pool.end());

it('goes on after the queue lost track of a job, as when the database went away at its end', async () => {
  // The library's own word about a worker that was asking for a job at that very moment: it may be, or not.
  const trace = vi.spyOn(console, 'trace').mockImplementation(() => {});
  const done: string[] = [];
  let begun = () => {};
  let release = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const mayEnd = new Promise<void>((resolve) => {
    release = resolve;
  });
  const runner = await startJobs(
    pool,
    [],
    [
      {
        name: 'held',
        async run() {
          begun();
          await mayEnd;
        },
      },
      { name: 'later', run: async () => void done.push('later') },
    ],
    log,
  );
  await addTask(pool, 'held', {}, { key: 'held', maxAttempts: 1 });
  await hasBegun;
  // Nothing can be said about any job.
  await pool.query('alter table graphile_worker._private_jobs rename to away');
  release();
  await expect
    .poll(async () => {
      const { rows } = await pool.query(
        `select 1 from pg_stat_activity where application_name = 'jobs-test' and query ilike 'listen%'`,
      );
      return rows.length;
    })
    .toBe(0);
  await pool.query('alter table graphile_worker.away rename to _private_jobs');
  await addTask(pool, 'later', {}, { key: 'later', maxAttempts: 1 });
  await expect.poll(() => done, { timeout: 30_000 }).toEqual(['later']);
  await runner.stop();
  trace.mockRestore();
});
