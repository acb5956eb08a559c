import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, readdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import type { Clock } from '../clock.ts';
import { LOCK_KEYS } from '../db/lock-keys.ts';
import { createPool } from '../db/pool.ts';
import type { Job, Task } from '../jobs/jobs.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { checkBackup, UNFINISHED } from './container.ts';
import { BACKUP_TASK, type BackupHistory } from './installation-backups.ts';
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
  /** Where backups are noted for operators. */
  history?: BackupHistory;
}

/** Thrown if another process is writing a backup. */
export class BusyError extends Error {
  override name = 'BusyError';
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
  { databaseUrl, clock, log, metrics, history }: NightlyOptions,
): { jobs: Job[]; tasks: Task[]; stop(): void } {
  const stopping = new AbortController();
  if (!settings) return { jobs: [], tasks: [], stop: () => stopping.abort() };
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

  /** Writes a backup. Its begin and its end are noted while the lock is held, by which others know that it is being written. */
  async function back(noted: number | null): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const stamp = new Date(clock.now()).toISOString().replace(/[-:]|\.\d+/g, '');
    const fileName = `isotherm-${stamp}.backup`;
    const path = join(folder, fileName);
    // One connection for the copy, and one that holds the lock.
    const pool = createPool(databaseUrl, 2, log, 'isotherm-backup');
    let lock: pg.PoolClient | undefined;
    try {
      lock = await pool.connect();
      const { rows } = await lock.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [
        LOCK_KEYS.installationBackupWriter,
      ]);
      if (rows[0]?.held !== true) throw new BusyError('another backup is being written');
      if (noted !== null) await history?.begun(noted);
      await removeUnfinished(folder);
      await requireRoom(folder);
      const began = performance.now();
      const { bytes } = await writeBackup({
        pool,
        path,
        files: {},
        now: clock.now(),
        signal: stopping.signal,
      });
      log.info({ path, bytes, ms: Math.round(performance.now() - began) }, 'backup written');
      // A disk may store other bytes than it was given.
      await checkBackup(path);
      await removeOldest(folder, keep);
      if (noted !== null) await history?.written(noted, { fileName, bytes, verified: true });
    } finally {
      await lock?.query('select pg_advisory_unlock_all()').catch(() => undefined);
      lock?.release(true);
      await pool.end();
    }
  }

  /** Makes a backup and notes the outcome; `id` is that of a backup that a person asked for. */
  async function make(id: number | null): Promise<void> {
    const noted = id ?? (await history?.begin()) ?? null;
    try {
      await back(noted);
    } catch (error) {
      if (noted !== null)
        await history
          ?.failed(noted, error as Error)
          .catch((cause: Error) => log.warn({ error: cause.message }, 'a failed backup was not noted'));
      metrics.backupFailures.inc();
      log.error({ err: error, folder }, id === null ? 'the nightly backup failed' : 'a backup failed');
      throw error;
    }
  }

  return {
    jobs: [
      {
        name: 'backup',
        cron: '17 1 * * *',
        run: () => make(null),
      },
    ],
    tasks: [{ name: BACKUP_TASK, run: (payload) => make((payload as { id: number }).id) }],
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
