import { type Runner, run } from 'graphile-worker';
import type pg from 'pg';
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

/** Runs the jobs of all features; `stop` waits for what is under way. */
export async function startJobs(
  pool: pg.Pool,
  jobs: readonly Job[],
  log: Logger,
): Promise<{ stop(): Promise<void> }> {
  const runner: Runner = await run({
    pgPool: pool,
    concurrency: 2,
    noHandleSignals: true,
    taskList: Object.fromEntries(jobs.map((job) => [job.name, () => job.run()])),
    crontab: jobs.map((job) => `${job.cron} ${job.name}`).join('\n'),
    logger: new (await import('graphile-worker')).Logger(() => (level, message) => {
      if (level === 'error') log.error({ part: 'jobs' }, message);
      else if (level === 'warning') log.warn({ part: 'jobs' }, message);
      else log.debug({ part: 'jobs' }, message);
    }),
  });
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
