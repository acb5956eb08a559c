import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readSecret } from '@isotherm/launcher/data-folder';
import { startEmbeddedPostgres } from '@isotherm/postgres/embedded-postgres';

/** The database that a command uses. */
export interface DatabaseSource {
  /** Connection string of the login that owns the tables. */
  connectionString: string;
  /** Stops a PostgreSQL that was started for the command. */
  close(): Promise<void>;
}

export const dataFolderOf = (environment: NodeJS.ProcessEnv) =>
  resolve(environment.ISOTHERM_DATA || '.isotherm');

/** Returns the secret of the installation: `ISOTHERM_SECRET`, or the one in the data folder. */
export function secretOf(environment: NodeJS.ProcessEnv): string {
  return environment.ISOTHERM_SECRET || readSecret(join(dataFolderOf(environment), 'server-secret'));
}

/**
 * Opens the database of `DATABASE_URL`, or the embedded database of the data folder, which need not be
 * running.
 */
export async function openDatabase(environment: NodeJS.ProcessEnv): Promise<DatabaseSource> {
  const given = environment.DATABASE_OWNER_URL || environment.DATABASE_URL;
  if (given) return { connectionString: given, close: async () => undefined };
  const folder = dataFolderOf(environment);
  const dataDir = join(folder, 'postgres');
  if (!existsSync(join(dataDir, 'PG_VERSION')))
    throw new Error(
      `There is no database in ${folder}. Set DATABASE_URL and ISOTHERM_SECRET, or ISOTHERM_DATA.`,
    );
  const running = addressOfRunning(dataDir);
  if (running) return { connectionString: running, close: async () => undefined };
  const postgres = await startEmbeddedPostgres({ dataDir, logFile: join(folder, 'logs', 'postgres.log') });
  return { connectionString: postgres.connectionString, close: () => postgres.stop() };
}

/**
 * Returns the address of a running PostgreSQL. Lines 4 and 5 of postmaster.pid are port and socket folder;
 * after a crash the file names a dead process.
 */
function addressOfRunning(dataDir: string): string | null {
  const file = join(dataDir, 'postmaster.pid');
  if (!existsSync(file)) return null;
  const [pid, , , port, socketFolder = ''] = readFileSync(file, 'utf8').split('\n');
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return null;
  }
  if (!existsSync(socketFolder)) return null;
  return `postgres://app@localhost/postgres?host=${encodeURIComponent(socketFolder)}&port=${port}`;
}
