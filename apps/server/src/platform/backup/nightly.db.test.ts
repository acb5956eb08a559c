import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@isotherm/testkit/test-database';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createLog } from '../log.ts';
import { createMetrics } from '../metrics.ts';
import { createNightlyBackups } from './nightly.ts';
import { inspectBackup } from './restore-backup.ts';

const HOUR_MS = 3_600_000;
const log = createLog('silent', false);

let database: TestDatabase;
let folder: string;
let now = Date.UTC(2026, 10, 1, 1, 17);

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isotherm-nightly-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function nightly(keep: number, inside = folder, databaseUrl = database.connectionString) {
  const metrics = createMetrics();
  const backups = createNightlyBackups(
    { folder: inside, keep },
    { databaseUrl, clock: { now: () => now }, log, metrics },
  );
  return { ...backups, metrics: () => metrics.registry.metrics() };
}

it('the last backups are kept, older ones are removed, and other files are not touched', async () => {
  const { jobs, metrics } = nightly(2, join(folder, 'backups'));
  const [job] = jobs;
  for (let night = 0; night < 3; night++) {
    await job?.run();
    now += 24 * HOUR_MS;
    if (night === 0) {
      writeFileSync(join(folder, 'backups', 'mine.backup'), 'x');
      writeFileSync(join(folder, 'backups', 'isotherm-20261101T010000Z.backup.unfinished'), 'x');
    }
  }
  expect(readdirSync(join(folder, 'backups')).sort()).toEqual([
    'isotherm-20261102T011700Z.backup',
    'isotherm-20261103T011700Z.backup',
    'mine.backup',
  ]);
  const newest = join(folder, 'backups', 'isotherm-20261103T011700Z.backup');
  expect((await inspectBackup(newest)).createdAt).toBe('2026-11-03T01:17:00.000Z');
  const text = await metrics();
  expect(text).toContain(`isotherm_backup_last_size_bytes ${statSync(newest).size}`);
  expect(text).toMatch(/isotherm_backup_last_success_timestamp_seconds [1-9]/);
  expect(text).toContain('isotherm_backup_failures_total 0');
});

it('a failed backup is counted, leaves no file, and removes no older backup', async () => {
  const { jobs } = nightly(1);
  await jobs[0]?.run();
  const before = readdirSync(folder);
  now += 24 * HOUR_MS;
  const away = database.connectionString.replace(/test_[0-9a-f]+/, 'absent');
  const failing = nightly(1, folder, away);
  await expect(failing.jobs[0]?.run()).rejects.toThrow('absent');
  expect(await failing.metrics()).toContain('isotherm_backup_failures_total 1');
  expect(readdirSync(folder)).toEqual(before);
});

it('a server that stops does not wait for its backup', async () => {
  const { jobs, stop } = nightly(1);
  stop();
  await expect(jobs[0]?.run()).rejects.toThrow('the program is stopping');
  expect(readdirSync(folder)).toEqual([]);
});

it('no backup job is created without settings', () => {
  const options = { databaseUrl: '', clock: { now: () => now }, log, metrics: createMetrics() };
  expect(createNightlyBackups(null, options).jobs).toEqual([]);
});
