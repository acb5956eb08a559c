import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '@isotherm/postgres/embedded-postgres';
import { writeBackup } from '@isotherm/server/platform/backup/write-backup';
import { restoreVerified } from '@isotherm/server/restore';
import pg from 'pg';
import { fillDay, historyDatabase, repeatSealedDay, seal, today } from './history.ts';
import { describeMachine } from './stage.ts';

/**
 * Measures backup and restore of one unsealed day of `--hot` readings and sealed days up to `--readings`.
 * The restore is into a new embedded PostgreSQL and includes its verification.
 */
const { values: options } = parseArgs({
  options: {
    readings: { type: 'string', default: '50000000' },
    hot: { type: 'string', default: '1000000' },
  },
});
const PER_DAY = 1_440;
const SECRET = 'a secret of the benchmark, long enough for anybody';
const MIGRATIONS = fileURLToPath(new URL('../../apps/server/migrations', import.meta.url));

const channelIds = Array.from({ length: Math.ceil(Number(options.hot) / PER_DAY) }, (_, i) => i + 1);
const folder = mkdtempSync(join(tmpdir(), 'isotherm-bench-'));
const path = join(folder, 'bench.backup');

async function measure(name: string, readings: number, work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  const seconds = (performance.now() - begin) / 1000;
  console.log(`  ${name}: ${readings} readings in ${seconds.toFixed(1)} s`);
  return Math.round(readings / seconds);
}

/** Creates one sealed day with the product's own sealer, and copies it to the days before it. */
async function fill(pool: pg.Pool): Promise<number> {
  const day = await fillDay(pool, today - 1, channelIds);
  await seal(pool);
  const days = Math.max(1, Math.ceil((Number(options.readings) - day) / day));
  await repeatSealedDay(pool, today - 1, days - 1);
  await fillDay(pool, today, channelIds);
  await pool.query('vacuum analyze sealed_day');
  await pool.query('checkpoint');
  return day * (days + 1);
}

async function restore(readings: number): Promise<void> {
  const database = await startEmbeddedPostgres({
    dataDir: join(folder, 'postgres'),
    logFile: join(folder, 'postgres.log'),
  });
  const pool = new pg.Pool({ connectionString: database.connectionString, max: 2 });
  try {
    const restored = await restoreVerified({ pool, path, migrationsDir: MIGRATIONS }, SECRET);
    const found = restored.sealedReadings + (restored.rows.reading ?? 0);
    if (found !== readings) throw new Error(`${readings} readings were stored, ${found} restored`);
  } finally {
    await pool.end();
    await database.stop();
  }
}

try {
  const { pool, stop } = await historyDatabase();
  let readings = 0;
  let backup = 0;
  try {
    console.log(await describeMachine(pool));
    readings = await fill(pool);
    backup = await measure('backup', readings, () => writeBackup({ pool, path, files: {}, now: Date.now() }));
  } finally {
    await stop();
  }
  const result = {
    readings,
    backup_bytes_per_reading: Math.round((statSync(path).size / readings) * 100) / 100,
    backup_readings_per_s: backup,
    restore_readings_per_s: await measure('restore with verification', readings, () => restore(readings)),
  };
  console.log(JSON.stringify(result));
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
