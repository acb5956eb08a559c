import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@isotherm/postgres/embedded-postgres';
import { DataFolderInUseError, lockFolder } from '@isotherm/postgres/folder-lock';
import pg from 'pg';
import { inject } from 'vitest';
import { UNSYNCED } from './unsynced.ts';

/** What the global setup tells the test files: how to reach the run's PostgreSQL, and what to clone. */
export interface TestPostgresAddress {
  connectionString: string;
  template: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    testPostgres: TestPostgresAddress;
  }
}

export interface TestDatabase {
  connectionString: string;
  drop(): Promise<void>;
}

const TEMPLATE = 'template_isotherm';
const FOLDER_PREFIX = 'isotherm-test-';
const MAX_CONNECTIONS = 100;

/**
 * For a global setup: one PostgreSQL for the whole run, in a folder of its own, with a template database
 * that `migrate` fills.
 */
export async function startTestPostgres(
  migrate: (pool: pg.Pool) => Promise<unknown>,
): Promise<{ address: TestPostgresAddress; stop(): Promise<void> }> {
  await removeAbandonedFolders();
  const folder = mkdtempSync(join(tmpdir(), FOLDER_PREFIX));
  const postgres = await startEmbeddedPostgres({
    dataDir: join(folder, 'data'),
    logFile: join(folder, 'postgres.log'),
    settings: { ...UNSYNCED, max_connections: MAX_CONNECTIONS },
  });
  const stop = async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await asAdministrator(postgres.connectionString, `create database ${TEMPLATE}`);
    const pool = new pg.Pool({ connectionString: databaseUrl(postgres.connectionString, TEMPLATE) });
    // Connections to the template make cloning fail, so none may be left.
    await migrate(pool).finally(() => pool.end());
    return { address: { connectionString: postgres.connectionString, template: TEMPLATE }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** For a test file: a database of its own, with all migrations applied. Drop it in `afterAll`. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { connectionString, template } = inject('testPostgres');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdministrator(connectionString, `create database ${name} template ${template}`);
  return {
    connectionString: databaseUrl(connectionString, name),
    async drop() {
      await untilUnused(connectionString, name);
      await asAdministrator(connectionString, `drop database ${name} with (force)`);
    },
  };
}

const LOOKS = 40;
const LOOK_AGAIN_MS = 25;

/**
 * A pool that has ended may still have sockets that are closing: forced out, they would throw an error that
 * nobody listens for. Whoever stays longer than a second is forced out all the same.
 */
async function untilUnused(connectionString: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    for (let look = 0; look < LOOKS; look++) {
      const { rowCount } = await client.query('select 1 from pg_stat_activity where datname = $1', [name]);
      if (rowCount === 0) return;
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  } finally {
    await client.end();
  }
}

/** The same server, another database of it. */
export function databaseUrl(connectionString: string, database: string): string {
  const url = new URL(connectionString);
  url.pathname = `/${database}`;
  return url.href;
}

async function asAdministrator(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** A run that was killed leaves its folder; nobody holds its lock any more. */
async function removeAbandonedFolders(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(FOLDER_PREFIX))) {
    const folder = join(tmpdir(), name);
    // A folder without a database is one that another run is making at this moment.
    if (!existsSync(join(folder, 'data'))) continue;
    try {
      const lock = await lockFolder(join(folder, 'data'));
      rmSync(folder, { recursive: true, force: true });
      await lock.release();
    } catch (error) {
      if (!(error instanceof DataFolderInUseError)) throw error;
    }
  }
}
