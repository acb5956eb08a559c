import { EventEmitter } from 'node:events';
import {
  Logger as JobLogger,
  type Runner,
  type RunnerOptions,
  run,
  runMigrations,
  type WorkerEvents,
} from 'graphile-worker';
import type pg from 'pg';
import type { Db } from '../db/pool.ts';
import type { Logger } from '../log.ts';
import { startWorkerWatch, type WatchTimes } from './worker-watch.ts';

/** A job that runs on a schedule, only once across all processes. */
export interface Job {
  name: string;
  /** Schedule as five cron fields, in UTC. */
  cron: string;
  /** Whether the job also runs once at the start of the program. */
  atStart?: boolean;
  run(): Promise<void>;
}

/** Work requested by {@link addTask}, done by any worker process; it is retried when it throws. */
export interface Task {
  name: string;
  run(payload: unknown): Promise<void>;
}

/** Creates the schema of the job queue. Every process does so, so that any process may add tasks. */
export async function prepareJobs(pool: pg.Pool, log: Logger): Promise<void> {
  await runMigrations({ pgPool: pool, logger: jobLogger(log) });
}

/**
 * Adds a task in the caller's transaction: it runs only after the commit. A pending task with the same key is
 * not added again.
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

/** Adds several tasks like {@link addTask}, in one statement. */
export async function addTasks(
  db: Db,
  name: string,
  tasks: readonly { payload: object; key: string }[],
  maxAttempts: number,
): Promise<void> {
  if (tasks.length === 0) return;
  await db.query(
    `select from graphile_worker.add_jobs(array(
       select row($1, t.payload, null, null, $3, t.key, null, null)::graphile_worker.job_spec
         from jsonb_to_recordset($2::jsonb) as t(payload json, key text)), true)`,
    [name, JSON.stringify(tasks), maxAttempts],
  );
}

const RESTART_AFTER_MS = 5_000;
const CONCURRENCY = 2;

interface JobsOptions {
  watchTimes?: WatchTimes;
  /** Number of jobs and tasks that run at the same time. */
  concurrency?: number;
  /**
   * Number of tasks that are claimed in one statement; by default one. What was claimed and has not begun delays urgent
   * tasks, and waits for `WatchTimes.deadAfterMs` if the process dies.
   */
  claimedAtOnce?: number;
  /**
   * Time for which the end of a task waits for others to be stored in the same statement. A task whose end was not stored
   * when the process died is run again.
   */
  endsWithinMs?: number;
}

/**
 * Runs jobs and tasks, `concurrency` at a time; `stop` waits for those in progress. Tasks that may wait for others, such as a
 * mail server, are run separately, so that they do not occupy the places of the rest.
 */
export async function startJobs(
  pool: pg.Pool,
  jobs: readonly Job[],
  tasks: readonly Task[],
  log: Logger,
  { watchTimes, concurrency = CONCURRENCY, claimedAtOnce = 1, endsWithinMs = 0 }: JobsOptions = {},
): Promise<{ stop(): Promise<void> }> {
  const watch = startWorkerWatch(pool, log, watchTimes);
  const events: WorkerEvents = new EventEmitter();
  // Jobs are locked by the pool of workers, not by one of them.
  events.on('pool:create', ({ workerPool }) => {
    watch.began(workerPool.id);
    const ended = () => watch.ended(workerPool.id);
    workerPool.promise.then(ended, ended);
  });
  const options: RunnerOptions = {
    pgPool: pool,
    concurrency,
    // With batching, failed completions are retried; otherwise they would crash the process.
    preset: {
      worker: {
        completeJobBatchDelay: endsWithinMs,
        failJobBatchDelay: 0,
        ...(claimedAtOnce > 1 ? { localQueue: { size: claimedAtOnce } } : {}),
      },
    },
    noHandleSignals: true,
    events,
    taskList: Object.fromEntries([
      ...jobs.map((job) => [job.name, () => job.run()] as const),
      ...tasks.map((task) => [task.name, (payload: unknown) => task.run(payload)] as const),
    ]),
    crontab: jobs.map((job) => `${job.cron} ${job.name}`).join('\n'),
    logger: jobLogger(log),
  };
  let stopping = false;
  let wake = () => {};
  let runner: Runner = await run(options);
  for (const job of jobs) if (job.atStart) await runner.addJob(job.name, {}, { jobKey: `start:${job.name}` });
  const running = keepRunning();

  /**
   * Restarts the runner when it ends, which happens when it cannot store the result of its jobs, as during a
   * database outage.
   */
  async function keepRunning(): Promise<void> {
    for (;;) {
      const error = await runner.promise.then(
        () => null,
        (cause: Error) => cause,
      );
      if (stopping) return;
      log.error({ error: error?.message }, 'job runner ended, another is started');
      for (let started = false; !started; ) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, RESTART_AFTER_MS);
        });
        if (stopping) return;
        started = await run(options).then(
          (fresh) => {
            runner = fresh;
            return true;
          },
          () => false,
        );
      }
    }
  }

  return {
    async stop() {
      stopping = true;
      wake();
      await runner
        .stop()
        .catch((error: Error) => log.warn({ error: error.message }, 'job runner stopped badly'));
      await running;
      await watch.stop();
    },
  };
}

/** Advice of the library that is not logged: tasks that share statements need fewer connections than their number. */
const FEW_CONNECTIONS = /maxPoolSize .* smaller than concurrency/;

function jobLogger(log: Logger): JobLogger {
  return new JobLogger(() => (level, message) => {
    if (FEW_CONNECTIONS.test(message)) return;
    if (level === 'error') log.error({ part: 'jobs' }, message);
    else if (level === 'warning') log.warn({ part: 'jobs' }, message);
    else log.debug({ part: 'jobs' }, message);
  });
}
