import { Logger as JobLogger, type Runner, type RunnerOptions, run, runMigrations } from 'graphile-worker';
import type pg from 'pg';
import type { Db } from '../db/pool.ts';
import type { Logger } from '../log.ts';

/** A job that runs on a schedule, once across all processes. */
export interface Job {
  name: string;
  /** Five cron fields, UTC. */
  cron: string;
  /** Also once when the program starts. */
  atStart?: boolean;
  run(): Promise<void>;
}

/** Work that {@link addTask} asks for, done by any process that is a worker; tried again when it throws. */
export interface Task {
  name: string;
  run(payload: unknown): Promise<void>;
}

/** Makes what the queue needs in the database. Every process does, so that any may add tasks. */
export async function prepareJobs(pool: pg.Pool, log: Logger): Promise<void> {
  await runMigrations({ pgPool: pool, logger: jobLogger(log) });
}

/**
 * Adds a task in the caller's transaction: it runs when that has committed, and never otherwise. A task with
 * the same key that has not run yet stays the only one.
 */
export async function addTask(
  db: Db,
  name: string,
  payload: object,
  options: { key: string; maxAttempts: number },
): Promise<void> {
  await db.query(
    `select graphile_worker.add_job($1, $2::json, job_key := $3, max_attempts := $4,
            job_key_mode := 'preserve_run_at')`,
    [name, JSON.stringify(payload), options.key, options.maxAttempts],
  );
}

/** Runs jobs and tasks of all features; `stop` waits for what is under way. */
export async function startJobs(
  pool: pg.Pool,
  jobs: readonly Job[],
  tasks: readonly Task[],
  log: Logger,
): Promise<{ stop(): Promise<void> }> {
  const options: RunnerOptions = {
    pgPool: pool,
    concurrency: 2,
    noHandleSignals: true,
    taskList: Object.fromEntries([
      ...jobs.map((job) => [job.name, () => job.run()] as const),
      ...tasks.map((task) => [task.name, (payload: unknown) => task.run(payload)] as const),
    ]),
    crontab: jobs.map((job) => `${job.cron} ${job.name}`).join('\n'),
    logger: jobLogger(log),
  };
  const runner: Runner = await run(options);
  runner.promise.catch((error: Error) => log.error({ error: error.message }, 'job runner ended'));
  for (const job of jobs) if (job.atStart) await runner.addJob(job.name, {}, { jobKey: `start:${job.name}` });
  return {
    async stop() {
      await runner
        .stop()
        .catch((error: Error) => log.warn({ error: error.message }, 'job runner stopped badly'));
    },
  };
}

function jobLogger(log: Logger): JobLogger {
  return new JobLogger(() => (level, message) => {
    if (level === 'error') log.error({ part: 'jobs' }, message);
    else if (level === 'warning') log.warn({ part: 'jobs' }, message);
    else log.debug({ part: 'jobs' }, message);
  });
}
