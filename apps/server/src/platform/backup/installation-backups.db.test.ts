import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getInstallationBackups, startInstallationBackup } from '@isotherm/contracts/backups';
import { createTestDatabase, type TestDatabase } from '@isotherm/testkit/test-database';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LOCK_KEYS } from '../db/lock-keys.ts';
import type { Mount } from '../http/mount.ts';
import { prepareJobs } from '../jobs/jobs.ts';
import { createLog } from '../log.ts';
import { createMetrics } from '../metrics.ts';
import {
  BACKUP_TASK,
  type BackupHistory,
  createBackupHistory,
  mountInstallationBackups,
} from './installation-backups.ts';
import { createNightlyBackups } from './nightly.ts';

/** Backups of the installation whose process is killed, seen from the page of operators. */
const HOUR_MS = 3_600_000;
const log = createLog('silent', false);
let database: TestDatabase;
let pool: pg.Pool;
let folder: string;
let now = Date.UTC(2026, 10, 1, 1, 17);
const clock = { now: () => now };
let list: () => Promise<Listed>;
let start: () => Promise<unknown>;
interface Listed {
  items: { id: number; endedAt: string | null; error: string | null }[];
}

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.connectionString });
  pool.on('error', () => undefined);
  await prepareJobs(pool, log);
  folder = mkdtempSync(join(tmpdir(), 'isotherm-installation-'));
  const handlers = new Map<unknown, (request: object) => Promise<unknown>>();
  const mount = (route: unknown, handler: (request: object) => Promise<unknown>) => {
    handlers.set(route, handler);
  };
  mountInstallationBackups(mount as unknown as Mount, {
    pool,
    audit: { record: async () => undefined as never },
    clock,
    keep: 2,
  });
  const call = (route: unknown) =>
    handlers.get(route)?.({ caller: { username: 'operator', scope: '' } }) ??
    Promise.reject(new Error('no route'));
  list = async () => (await call(getInstallationBackups)) as Listed;
  start = () => call(startInstallationBackup);
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** Backups that are noted in this history; `run` makes the one that an operator asked for. */
function nightlyBackups(history: BackupHistory) {
  const { tasks, stop } = createNightlyBackups(
    { folder, keep: 2 },
    { databaseUrl: database.connectionString, clock, log, metrics: createMetrics(), history },
  );
  const [task] = tasks.filter(({ name }) => name === BACKUP_TASK);
  if (!task) throw new Error('there is no task for backups');
  return { run: (id: number) => task.run({ id }), stop };
}

/** The process that writes a backup: its lock, and its death. */
async function writer(): Promise<{ dies(): Promise<void> }> {
  const client = new pg.Client({ connectionString: database.connectionString });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('select pg_advisory_lock($1)', [LOCK_KEYS.installationBackupWriter]);
  return { dies: () => client.end() };
}

const newest = async () => {
  const [item] = (await list()).items;
  if (!item) throw new Error('no backup is listed');
  return item;
};

it('a backup that waits for a worker is not interrupted, and no other one can be started', async () => {
  await start();
  now += 11 * HOUR_MS;
  expect(await newest()).toMatchObject({ endedAt: null, error: null });
  await expect(start()).rejects.toThrow('installation_backup.running');
  now += 2 * HOUR_MS;
  expect(await newest()).toMatchObject({ error: 'interrupted' });
});

it('a backup whose process was killed is shown as interrupted at once, and another one can be started', async () => {
  const history = createBackupHistory(pool, clock);
  await start();
  const { id } = await newest();
  const process = await writer();
  await history.begun(id);
  now += 48 * HOUR_MS;
  expect(await newest()).toMatchObject({ id, endedAt: null, error: null });
  await expect(start()).rejects.toThrow('installation_backup.running');
  await process.dies();
  await expect.poll(newest).toMatchObject({ id, error: 'interrupted' });
  await start();
  expect(await newest()).toMatchObject({ endedAt: null, error: null });
});

it('whoever looks while a backup is written, until its end is noted, sees no interruption', async () => {
  await pool.query('delete from installation_backup');
  await start();
  const { id } = await newest();
  const history = createBackupHistory(pool, clock);
  const seen: string[] = [];
  const look = async (when: string) => {
    expect(await newest()).toMatchObject({ id, endedAt: null, error: null });
    await expect(start()).rejects.toThrow('installation_backup.running');
    seen.push(when);
  };
  const { run } = nightlyBackups({
    ...history,
    async begun(noted) {
      await history.begun(noted);
      await look('begun');
    },
    async written(noted, file) {
      await look('written');
      await history.written(noted, file);
    },
  });
  await run(id);
  expect(seen).toEqual(['begun', 'written']);
  expect(await newest()).toMatchObject({ id, error: null, verifiedAt: expect.any(String) });
});

it('a backup that fails after it has begun is noted with its reason', async () => {
  await start();
  const { id } = await newest();
  const history = createBackupHistory(pool, clock);
  const nightly = nightlyBackups({
    ...history,
    async begun(noted) {
      await history.begun(noted);
      nightly.stop();
    },
  });
  const reason = 'the program is stopping';
  await expect(nightly.run(id)).rejects.toThrow(reason);
  expect(await newest()).toMatchObject({ id, endedAt: expect.any(String), error: reason });
  await start();
});
