import type pg from 'pg';
import type { Job } from '../../platform/jobs/jobs.ts';
import { deleteOutboxBefore } from './alarms.repo.ts';

const KEEP_OUTBOX_DAYS = 7;

export function createAlarmJobs(pool: pg.Pool): Job[] {
  return [
    {
      name: 'alarms-prune-outbox',
      cron: '17 3 * * *',
      run: () => deleteOutboxBefore(pool, KEEP_OUTBOX_DAYS),
    },
  ];
}
