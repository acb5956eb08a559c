import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '@isotherm/postgres/embedded-postgres';
import { inspectBackup } from '@isotherm/server/platform/backup/restore-backup';
import { createPool } from '@isotherm/server/platform/db/pool';
import { createLog } from '@isotherm/server/platform/log';
import { restoreVerified, SECRET_FILE } from '@isotherm/server/restore';
import { type DatabaseSource, dataFolderOf, secretOf } from './database-source.ts';

/**
 * Runs `npm run restore -- FILE`: fills the empty database of `DATABASE_URL`, or a data folder without a
 * database, verifies it and applies later migrations (docs/backup.md).
 */
const MIGRATIONS = fileURLToPath(new URL('../apps/server/migrations', import.meta.url));

/** A new database; `discard` removes it again after a failure. */
interface Destination extends DatabaseSource {
  discard(): Promise<string>;
}

async function openDestination(environment: NodeJS.ProcessEnv): Promise<Destination> {
  const given = environment.DATABASE_OWNER_URL || environment.DATABASE_URL;
  if (given)
    return {
      connectionString: given,
      close: async () => undefined,
      discard: async () => 'If the database is not empty now, create a new one for the next attempt.',
    };
  const folder = dataFolderOf(environment);
  const dataDir = join(folder, 'postgres');
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0)
    throw new Error(
      `${folder} has a database already. Nothing was changed. Choose another data folder: ISOTHERM_DATA=<folder> npm run restore -- FILE`,
    );
  mkdirSync(join(folder, 'logs'), { recursive: true, mode: 0o700 });
  const postgres = await startEmbeddedPostgres({ dataDir, logFile: join(folder, 'logs', 'postgres.log') });
  return {
    connectionString: postgres.connectionString,
    close: () => postgres.stop(),
    async discard() {
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
      return 'The data folder has no database, as before.';
    },
  };
}

/** Returns the secret; null if none was given and the backup contains one. */
function secretFor(files: readonly string[], environment: NodeJS.ProcessEnv): string | null {
  try {
    return secretOf(environment);
  } catch {
    if (files.includes(SECRET_FILE)) return null;
    throw new Error(
      `The backup does not contain the secret of its installation. Set ISOTHERM_SECRET, or copy the file ${SECRET_FILE} into ${dataFolderOf(environment)} first.`,
    );
  }
}

async function main(): Promise<void> {
  const { positionals } = parseArgs({ allowPositionals: true });
  const [file] = positionals;
  if (!file || positionals.length > 1) throw new Error('Name one file: npm run restore -- FILE');
  const path = resolve(file);
  const header = await inspectBackup(path);
  const secret = secretFor(header.files, process.env);
  const destination = await openDestination(process.env);
  const pool = createPool(destination.connectionString, 2, createLog('silent', false), 'isotherm-restore');
  const began = performance.now();
  try {
    const restored = await restoreVerified({ pool, path, migrationsDir: MIGRATIONS }, secret);
    const rows = Object.values(restored.rows).reduce((sum, count) => sum + count, 0);
    const files = restored.files.reduce((sum, digest) => sum + digest.files, 0);
    const lines = [
      `✔ backup of ${header.createdAt}, schema release ${header.release}: checksum of the file`,
      `✔ ${header.tables.length} tables, ${rows} rows: number and hash of each table`,
      `✔ ${restored.rows.reading ?? 0} readings of open days, ${restored.sealedReadings} in ${restored.sealedDays} sealed days: all decode`,
      `✔ ${restored.auditEntries} entries of the audit log: chain and seal`,
      `✔ ${files} pictures and attachments: hashes`,
    ];
    for (const line of lines) process.stdout.write(`${line}\n`);
    if (restored.migrated.length > 0)
      process.stdout.write(`${restored.migrated.length} migrations newer than the backup were applied\n`);
    keepSecret(restored.contents.get(SECRET_FILE), process.env);
    process.stdout.write(`Restored in ${((performance.now() - began) / 1000).toFixed(1)} s\n`);
  } catch (error) {
    await pool.end();
    throw new Error(`${(error as Error).message} ${await destination.discard()}`, { cause: error });
  }
  await pool.end();
  await destination.close();
}

/**
 * Stores the secret of the backup. If a secret exists already, the database was verified with it and it is
 * kept.
 */
function keepSecret(content: Buffer | undefined, environment: NodeJS.ProcessEnv): void {
  if (!content || environment.ISOTHERM_SECRET) return;
  const folder = dataFolderOf(environment);
  const file = join(folder, SECRET_FILE);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!existsSync(file)) writeFileSync(file, content, { mode: 0o600 });
}

try {
  await main();
} catch (error) {
  process.stderr.write(`Nothing was restored: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
