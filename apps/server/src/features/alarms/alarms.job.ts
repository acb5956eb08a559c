import type pg from 'pg';
import type { Job } from '../../platform/jobs/jobs.ts';
import { deleteOutboxBefore } from './alarms.repo.ts';
import { deleteSpansBefore } from './receiving-clock.repo.ts';

const KEEP_OUTBOX_DAYS = 7;
/** Longer than any silence that is allowed. */
const KEEP_RECEIVING_DAYS = 400;

export function createAlarmJobs(pool: pg.Pool): Job[] {
  return [
    {
      name: 'alarms-prune-outbox',
      cron: '17 3 * * *',
      run: () => deleteOutboxBefore(pool, KEEP_OUTBOX_DAYS),
    },
    {
      name: 'alarms-prune-receiving-spans',
      cron: '23 3 * * *',
      run: () => deleteSpansBefore(pool, KEEP_RECEIVING_DAYS),
    },
  ];
}
