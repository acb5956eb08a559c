import { fileURLToPath } from 'node:url';
import { startTestPostgres } from '@isotherm/testkit/test-database';
import type { TestProject } from 'vitest/node';
import { migrate } from '../apps/server/src/platform/db/migrate.ts';

const MIGRATIONS = fileURLToPath(new URL('../apps/server/migrations', import.meta.url));

/**
 * Global setup of the `db` tests: starts the PostgreSQL of the test run, and creates the template that each
 * file clones.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startTestPostgres((pool) => migrate(pool, MIGRATIONS));
  project.provide('testPostgres', postgres.address);
  return () => postgres.stop();
}
