import type pg from 'pg';
import type { Job } from '../../platform/jobs/jobs.ts';
import type { UsedTokens } from '../../platform/used-tokens.ts';
import { deleteExpiredSessions } from './login/sessions.repo.ts';

export function createIdentityJobs(pool: pg.Pool, usedTokens: UsedTokens): Job[] {
  return [
    {
      name: 'identity-prune',
      cron: '*/10 * * * *',
      async run() {
        await usedTokens.prune();
        await deleteExpiredSessions(pool);
      },
    },
  ];
}
