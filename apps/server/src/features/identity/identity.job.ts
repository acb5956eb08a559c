import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import type { Job } from '../../platform/jobs/jobs.ts';
import type { UsedTokens } from '../../platform/used-tokens.ts';
import { deleteFailuresBefore } from './accounts.repo.ts';
import { deleteExpiredSessions } from './login/sessions.repo.ts';
import { deleteCodesBefore } from './verification/verification.repo.ts';

/** Time for which attempts are kept, longer than any time window of the limits. */
const KEPT_MS = 86_400_000;

export function createIdentityJobs(pool: pg.Pool, usedTokens: UsedTokens, clock: Clock): Job[] {
  return [
    {
      name: 'identity-prune',
      cron: '*/10 * * * *',
      async run() {
        await usedTokens.prune();
        await deleteExpiredSessions(pool);
        const before = new Date(clock.now() - KEPT_MS);
        await deleteCodesBefore(pool, before);
        await deleteFailuresBefore(pool, before);
      },
    },
  ];
}
