import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@isotherm/postgres/embedded-postgres';
import { DataFolderInUseError, lockFolder } from '@isotherm/postgres/folder-lock';
import pg from 'pg';
import { inject } from 'vitest';
import { UNSYNCED } from './unsynced.ts';

/**
 * Address of the PostgreSQL of the test run and its template database. The global setup passes it to the
 * test files.
 */
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
/** A server may open some 50 connections, and two files with several servers each run at the same time. */
const MAX_CONNECTIONS = 300;

/**
 * Starts one PostgreSQL for the whole test run in its own folder, with a template database that `prepare`
 * fills; it must end all other connections to it. It is called by a global setup.
 */
export async function startTestPostgres(
  prepare: (owner: pg.Pool, databaseUrl: string) => Promise<unknown>,
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
    const template = databaseUrl(postgres.connectionString, TEMPLATE);
    const pool = new pg.Pool({ connectionString: template });
    // The pool is closed, because cloning fails while the template has connections.
    await prepare(pool, template).finally(() => pool.end());
    return { address: { connectionString: postgres.connectionString, template: TEMPLATE }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Creates a database for one test file, with all migrations or empty. Drop it in `afterAll`. */
export async function createTestDatabase(content: 'migrated' | 'empty' = 'migrated'): Promise<TestDatabase> {
  const { connectionString, template: migrated } = inject('testPostgres');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const template = content === 'empty' ? 'template0' : migrated;
  // Copying files takes half as long as copying by the log of changes, which is the default.
  await asAdministrator(connectionString, `create database ${name} template ${template} strategy file_copy`);
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
 * Waits until the database has no connections. A pool that has ended may still have closing sockets, and
 * forcing them to close would throw an error without a listener. After a second, connections are forced to
 * end anyway.
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

/** Returns the connection string with another database of the same server. */
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

/** Removes the folders that killed test runs have left. Nothing locks such a folder. */
async function removeAbandonedFolders(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(FOLDER_PREFIX))) {
    const folder = join(tmpdir(), name);
    // A folder without a database is still being created by another test run.
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
