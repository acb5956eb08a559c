import { fileURLToPath } from 'node:url';
import { startTestPostgres } from '@isotherm/testkit/test-database';
import type { TestProject } from 'vitest/node';
import { migrate } from '../apps/server/src/platform/db/migrate.ts';
import { createPool } from '../apps/server/src/platform/db/pool.ts';
import { prepareRights } from '../apps/server/src/platform/db/rights.ts';
import { prepareJobs } from '../apps/server/src/platform/jobs/jobs.ts';
import { createLog } from '../apps/server/src/platform/log.ts';

const MIGRATIONS = fileURLToPath(new URL('../apps/server/migrations', import.meta.url));

/**
 * Global setup of the `db` tests: starts the PostgreSQL of the test run, and creates the template that each
 * file clones, with rights and the schema of the job queue, which a server creates at its first start.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startTestPostgres(async (owner, databaseUrl) => {
    const log = createLog('silent', false);
    await migrate(owner, MIGRATIONS);
    const applicationUrl = await prepareRights(owner, { databaseUrl, ownerUrl: null }, log);
    const application = createPool(applicationUrl, 1, log, 'isotherm-template');
    await prepareJobs(application, log).finally(() => application.end());
  });
  project.provide('testPostgres', postgres.address);
  return () => postgres.stop();
}
