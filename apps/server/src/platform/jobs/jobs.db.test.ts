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

it("the job queue continues after it lost track of a job, as when the database becomes unavailable at the job's end", async () => {
  // The library prints a trace if a worker was fetching a job at that moment, which may or may not happen.
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
  // While the table is renamed, no job can be marked as completed.
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

it('tasks that were claimed and had not begun when the database became unavailable are run afterwards', async () => {
  const trace = vi.spyOn(console, 'trace').mockImplementation(() => {});
  const done: number[] = [];
  let release = () => {};
  const mayEnd = new Promise<void>((resolve) => {
    release = resolve;
  });
  const lockedRows = async () =>
    (
      await pool.query(
        `select 1 from graphile_worker._private_jobs where locked_by is not null and key like 'counted:%'`,
      )
    ).rows.length;
  for (let n = 1; n <= 6; n++) await addTask(pool, 'counted', { n }, { key: `counted:${n}`, maxAttempts: 5 });
  const runner = await startJobs(
    pool,
    [],
    [
      {
        name: 'counted',
        async run(payload) {
          await mayEnd;
          done.push((payload as { n: number }).n);
        },
      },
    ],
    log,
    { watchTimes: { tellEveryMs: 50, deadAfterMs: 60_000 }, claimedAtOnce: 6 },
  );
  await expect.poll(lockedRows).toBe(6);
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
  await expect.poll(() => new Set(done), { timeout: 30_000 }).toEqual(new Set([1, 2, 3, 4, 5, 6]));
  await expect.poll(lockedRows, { timeout: 10_000 }).toBe(0);
  await runner.stop();
  trace.mockRestore();
});

it('the job of a process that died is run again, and jobs of running processes are not touched', async () => {
  const runs: string[] = [];
  let release = () => {};
  const mayEnd = new Promise<void>((resolve) => {
    release = resolve;
  });
  const long = {
    name: 'long',
    async run() {
      runs.push('long');
      await mayEnd;
    },
  };
  const left = { name: 'left', run: async () => void runs.push('left') };
  const times = { tellEveryMs: 50, deadAfterMs: 400 };
  const living = await startJobs(pool, [], [long], log, { watchTimes: times });
  await addTask(pool, 'long', {}, { key: 'long', maxAttempts: 3 });
  await expect.poll(() => runs).toEqual(['long']);
  const lockedBy = async (key: string) =>
    (await pool.query('select locked_by from graphile_worker._private_jobs where key = $1', [key])).rows[0]
      .locked_by;
  const heartbeat = await lockedBy('long');
  expect((await pool.query('select worker_id from job_worker')).rows).toEqual([{ worker_id: heartbeat }]);
  await addTask(pool, 'left', {}, { key: 'left', maxAttempts: 3 });
  await pool.query(`insert into job_worker values ('worker-dead', now() - interval '1 day')`);
  await pool.query(
    `update graphile_worker._private_jobs set locked_by = 'worker-dead', locked_at = now() where key = 'left'`,
  );
  const other = await startJobs(pool, [], [long, left], log, { watchTimes: times });
  await expect.poll(() => runs, { timeout: 30_000 }).toEqual(['long', 'left']);
  release();
  await living.stop();
  await other.stop();
  expect(runs).toEqual(['long', 'left']);
  expect((await pool.query('select * from job_worker')).rows).toEqual([]);
});
