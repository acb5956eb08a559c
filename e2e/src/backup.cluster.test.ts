import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BackupArchive, createBackup, listBackupArchives, runBackup } from '@isotherm/contracts/backups';
import { provisionDevices } from '@isotherm/contracts/devices';
import { startPremiumTrial } from '@isotherm/contracts/premium';
import { type ApiClient, logIn } from '@isotherm/simulator/client/api-client';
import { type Cluster, type ClusterProcess, startCluster } from '@isotherm/testkit/cluster';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadedItem } from './loaded-device.ts';
import { queryDatabase } from './stored.ts';

const numbers = Array.from({ length: 10 }, (_, index) => String(57_000_001 + index));
const folder = mkdtempSync(join(tmpdir(), 'isotherm-backup-files-'));
let cluster: Cluster;
let workers: ClusterProcess[];
let manager: ApiClient;
let organizationId: number;

beforeAll(async () => {
  // Both processes share a folder, as several machines share one or an S3-compatible service.
  cluster = await startCluster({ ISOTHERM_FILES_FOLDER: folder, ISOTHERM_SEAL_AFTER_HOURS: '10000' });
  const [web] = (await cluster.start(['web'])) as [ClusterProcess];
  const { username, password } = cluster.accounts.find((each) => each.username === 'demo.manager') as {
    username: string;
    password: string;
  };
  manager = await logIn(web.url, username, password);
  await manager.call(provisionDevices, { body: { items: numbers.map(loadedItem) } });
  const [own] = await queryDatabase<{ id: number }>(
    cluster.databaseUrl,
    `select organization_id::int as id from account where username = 'demo.manager'`,
  );
  organizationId = own?.id as number;
  await queryDatabase(cluster.databaseUrl, `update organization set time_zone = 'UTC' where id = $1`, [
    organizationId,
  ]);
  await queryDatabase(
    cluster.databaseUrl,
    `insert into reading (channel_id, delay_s, measured_at, value)
     select c.id, 1, t, 5 from channel c join device d on d.id = c.device_id,
            generate_series(date_trunc('day', now(), 'UTC') - interval '7 days',
                            date_trunc('day', now(), 'UTC') - interval '1 second', interval '1 minute') t
      where d.number = any($1) and c.indicator = 'temperature'`,
    [numbers],
  );
  workers = await cluster.start(['worker']);
});
afterAll(async () => {
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const newest = async () => (await manager.call(listBackupArchives)).items[0] as BackupArchive;
/** Files that are being written, or were when their process died: they are deleted after hours. */
const spooled = () => (existsSync(join(folder, 'spool')) ? readdirSync(join(folder, 'spool')) : []);

/** Runs this statement, and keeps its locks until the returned function is called. */
async function lock(statement: string, values: unknown[] = []): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: cluster.databaseUrl });
  await client.connect();
  await client.query('begin');
  await client.query(statement, values);
  return () => client.end();
}

test('a backup whose process is killed is written by another one, once, and no file is left of the first', async () => {
  await manager.call(startPremiumTrial, {
    path: `/billing/premium/${organizationId}/trial`,
    body: { service: 'backup' },
  });
  const { id } = await manager.call(createBackup, {
    body: {
      organizationId,
      title: 'Fridges',
      fileName: 'fridges',
      interval: 'week',
      devices: numbers,
      recipients: ['nurse@example.com'],
      language: 'en',
    },
  });
  // Locks keep the backup at known points, however fast the machine is: it begins, waits for the readings, writes its
  // archive, and waits for the row in which its end is stored.
  const releaseReadings = await lock('lock table reading in access exclusive mode');
  await manager.call(runBackup, { path: `/backup/${id}/run` });
  const jobOf = async () =>
    (
      await queryDatabase<{ id: number; state: string }>(
        cluster.databaseUrl,
        `select id::int, state from job where kind = 'data-backup'`,
      )
    )[0];
  await expect.poll(async () => (await jobOf())?.state, { timeout: 30_000, interval: 50 }).toBe('running');
  const releaseJob = await lock('select 1 from job where id = $1 for update', [(await jobOf())?.id]);
  await releaseReadings();
  await expect.poll(() => spooled().length, { timeout: 30_000, interval: 50 }).toBeGreaterThan(0);
  await (workers[0] as ClusterProcess).kill();
  expect((await newest()).state).toBe('running');
  await releaseJob();
  await (workers[0] as ClusterProcess).start();
  await expect.poll(async () => (await newest()).state, { timeout: 90_000, interval: 250 }).toBe('ready');
  const rows = await queryDatabase<{ attempts: number; file_key: string; hash: string; runs: number }>(
    cluster.databaseUrl,
    `select attempts, file_key, file_hash as hash, (select count(*)::int from report_run) as runs from job where kind = 'data-backup'`,
  );
  expect(rows).toEqual([
    { attempts: 2, file_key: expect.any(String), hash: (await newest()).sha256, runs: 1 },
  ]);
  expect(readdirSync(folder).filter((name) => name !== 'spool')).toEqual([rows[0]?.file_key]);
});
