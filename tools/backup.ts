import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { writeBackup } from '@isotherm/server/platform/backup/write-backup';
import { createPool } from '@isotherm/server/platform/db/pool';
import { createLog } from '@isotherm/server/platform/log';
import { dataFolderOf, openDatabase } from './database-source.ts';

/**
 * Runs `npm run backup -- FILE [--with-secret]`: writes the whole database to a file while the server runs
 * (docs/backup.md). Uses the database of `DATABASE_URL`, or the embedded database of the data folder, which
 * need not be running. An existing file is not replaced.
 */
const USAGE = 'npm run backup -- FILE [--with-secret]';
const SECRET = 'server-secret';

function secretFile(environment: NodeJS.ProcessEnv): Buffer {
  if (environment.ISOTHERM_SECRET) return Buffer.from(`${environment.ISOTHERM_SECRET}\n`);
  return readFileSync(join(dataFolderOf(environment), SECRET));
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'with-secret': { type: 'boolean', default: false } },
  });
  const [file] = positionals;
  if (!file || positionals.length > 1) throw new Error(`Name one file: ${USAGE}`);
  const path = resolve(file);
  if (existsSync(path)) throw new Error(`${path} exists already. Choose another name.`);
  const files: Record<string, Buffer> = values['with-secret'] ? { [SECRET]: secretFile(process.env) } : {};
  const source = await openDatabase(process.env);
  const pool = createPool(source.connectionString, 1, createLog('silent', false), 'isotherm-backup');
  const began = performance.now();
  try {
    const { header, rows, bytes } = await writeBackup({ pool, path, files, now: Date.now() });
    const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    process.stdout.write(
      `${path}: ${header.tables.length} tables, ${total} rows, ${(bytes / 1e6).toFixed(1)} MB in ${seconds} s\n`,
    );
    if (!values['with-secret'])
      process.stdout.write(
        `The secret of the installation (ISOTHERM_SECRET, or ${SECRET} in the data folder) is not in it: keep it in another place.\n`,
      );
  } finally {
    await pool.end();
    await source.close();
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`No backup was written: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
