import { DELETED_KEEP_DAYS } from '@isotherm/contracts/device-batches';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { transaction } from '../../../platform/db/pool.ts';
import type { Job } from '../../../platform/jobs/jobs.ts';
import { removeDeleted } from './deletion.repo.ts';

const DAY_MS = 86_400_000;
const REMOVED_AT_ONCE = 1_000;

/** Creates the job that permanently removes devices that were deleted long enough ago. */
export function createRegistryJobs(pool: pg.Pool, clock: Clock): readonly Job[] {
  return [
    {
      name: 'devices-remove-deleted',
      cron: '35 3 * * *',
      atStart: true,
      async run() {
        const now = clock.now();
        const before = new Date(now - DELETED_KEEP_DAYS * DAY_MS);
        const removeSome = () =>
          transaction(pool, (tx) => removeDeleted(tx, before, new Date(now), REMOVED_AT_ONCE));
        while ((await removeSome()) === REMOVED_AT_ONCE);
      },
    },
  ];
}
