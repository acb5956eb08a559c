import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import type { Job } from '../../platform/jobs/jobs.ts';
import { deleteOutboxBefore } from './alarms.repo.ts';
import { createDataTimeout } from './data-timeout.ts';
import type { News } from './evaluator.ts';
import { deleteCountsBefore } from './notifications/daily-limit.repo.ts';
import { advanceStageClock } from './policies/stage-clock.repo.ts';
import { deleteSpansBefore } from './receiving-clock.repo.ts';

const KEEP_OUTBOX_DAYS = 7;
const KEEP_COUNT_DAYS = 7;
/** Longer than the longest allowed time without data. */
const KEEP_RECEIVING_DAYS = 400;

export function createAlarmJobs(pool: pg.Pool, clock: Clock, announce: (news: News) => void): Job[] {
  return [
    createDataTimeout(pool, clock, announce),
    {
      name: 'alarms-trip-stages',
      cron: '* * * * *',
      atStart: true,
      async run() {
        await advanceStageClock(pool, new Date(clock.now()));
      },
    },
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
    {
      name: 'alarms-prune-message-counts',
      cron: '29 3 * * *',
      run: () => deleteCountsBefore(pool, KEEP_COUNT_DAYS),
    },
  ];
}
