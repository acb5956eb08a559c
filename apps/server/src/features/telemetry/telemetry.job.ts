import type pg from 'pg';
import type { Job } from '../../platform/jobs/jobs.ts';
import { preparePartitions } from './partitions.ts';
import { deleteRejectedBefore } from './telemetry.repo.ts';

const KEEP_REJECTED_DAYS = 30;

/** `owner` is who may make tables; everything else is done on the application's pool. */
export function createTelemetryJobs(pool: pg.Pool, owner: pg.Pool): Job[] {
  return [
    {
      name: 'telemetry-partitions',
      cron: '7 */6 * * *',
      async run() {
        await preparePartitions(owner, false);
      },
    },
    {
      name: 'telemetry-prune',
      cron: '37 3 * * *',
      async run() {
        await deleteRejectedBefore(pool, KEEP_REJECTED_DAYS);
      },
    },
  ];
}
