import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, readdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { createPool } from '../db/pool.ts';
import type { Job } from '../jobs/jobs.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { UNFINISHED } from './container.ts';
import { writeBackup } from './write-backup.ts';

/** File names of nightly backups, which sort by time; other files of the folder are not touched. */
const NAME = /^isotherm-\d{8}T\d{6}Z\.backup$/;
/**
 * Factor for the expected growth from one night to the next, and for what the database needs in the same
 * file system.
 */
const GROWTH = 1.2;
const RESERVE_BYTES = 512 * 1024 * 1024;

/** Thrown if there is too little disk space for another backup. */
export class NoRoomError extends Error {
  override name = 'NoRoomError';
}

export interface NightlyOptions {
  databaseUrl: string;
  clock: Clock;
  log: Logger;
  metrics: Pick<Metrics, 'gauge' | 'backupFailures'>;
}

/** Returns the newest finished backup of a folder. */
function newestIn(folder: string): { path: string; bytes: number; at: number } | null {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => NAME.test(name)) : [];
  const name = names.sort().at(-1);
  if (!name) return null;
  const path = join(folder, name);
  const { size, mtimeMs } = statSync(path);
  return { path, bytes: size, at: mtimeMs };
}

/**
 * Creates the job of nightly backups, of which the last ones are kept. A failed one is logged, counted and
 * retried by the job queue; it removes no older one. Without settings there is no job.
 */
export function createNightlyBackups(
  settings: { folder: string; keep: number } | null,
  { databaseUrl, clock, log, metrics }: NightlyOptions,
): { jobs: Job[]; stop(): void } {
  const stopping = new AbortController();
  if (!settings) return { jobs: [], stop: () => stopping.abort() };
  const { folder, keep } = settings;
  metrics.gauge(
    'isotherm_backup_last_success_timestamp_seconds',
    'Time of the newest nightly backup in the folder of this process; 0 if there is none',
    () => Math.round((newestIn(folder)?.at ?? 0) / 1000),
  );
  metrics.gauge(
    'isotherm_backup_last_size_bytes',
    'Size of the newest nightly backup in the folder of this process',
    () => newestIn(folder)?.bytes ?? 0,
  );

  async function back(): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await removeUnfinished(folder);
    await requireRoom(folder);
    const stamp = new Date(clock.now()).toISOString().replace(/[-:]|\.\d+/g, '');
    const path = join(folder, `isotherm-${stamp}.backup`);
    const pool = createPool(databaseUrl, 1, log, 'isotherm-backup');
    try {
      const began = performance.now();
      const { bytes } = await writeBackup({
        pool,
        path,
        files: {},
        now: clock.now(),
        signal: stopping.signal,
      });
      log.info({ path, bytes, ms: Math.round(performance.now() - began) }, 'backup written');
    } finally {
      await pool.end();
    }
    await removeOldest(folder, keep);
  }

  return {
    jobs: [
      {
        name: 'backup',
        cron: '17 1 * * *',
        async run() {
          try {
            await back();
          } catch (error) {
            metrics.backupFailures.inc();
            log.error({ err: error, folder }, 'the nightly backup failed');
            throw error;
          }
        },
      },
    ],
    stop: () => stopping.abort(new Error('the program is stopping')),
  };
}

/** Removes unfinished files of a killed process; only one process writes nightly backups at a time. */
async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.endsWith(UNFINISHED) && NAME.test(name.slice(0, -UNFINISHED.length)))
      await rm(join(folder, name), { force: true });
}

/**
 * Throws if there is too little disk space, since a backup must not fill the disk on which the database may
 * be.
 */
async function requireRoom(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const needed = (newestIn(folder)?.bytes ?? 0) * GROWTH + RESERVE_BYTES;
  if (bavail * bsize < needed)
    throw new NoRoomError(
      `${folder} has ${Math.round((bavail * bsize) / 1e6)} MB left, a backup needs ${Math.round(needed / 1e6)} MB: ` +
        'free some space, or set ISOTHERM_BACKUP_FOLDER or a smaller ISOTHERM_BACKUP_KEEP',
    );
}

async function removeOldest(folder: string, keep: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => NAME.test(name)).sort();
  for (const name of names.slice(0, -keep)) await rm(join(folder, name), { force: true });
}
