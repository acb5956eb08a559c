import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provisionDevices } from '@isotherm/contracts/devices';
import { type Job, listJobs } from '@isotherm/contracts/jobs';
import { orderRecordReport } from '@isotherm/contracts/reports';
import { type ApiClient, logIn } from '@isotherm/simulator/client/api-client';
import { type Cluster, type ClusterProcess, startCluster } from '@isotherm/testkit/cluster';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadedItem } from './loaded-device.ts';
import { queryDatabase } from './stored.ts';

const DEVICES = 20;
const DAYS = 25;
const numbers = Array.from({ length: DEVICES }, (_, index) => String(56_000_001 + index));
const folder = mkdtempSync(join(tmpdir(), 'isotherm-report-files-'));
const to = new Date(Math.floor(Date.now() / 86_400_000) * 86_400_000);
const from = new Date(to.getTime() - DAYS * 86_400_000);
let cluster: Cluster;
let web: ClusterProcess;
let workers: ClusterProcess[];
let manager: ApiClient;
let assets: number[];

beforeAll(async () => {
  // Both processes share a folder, as several machines share one or an S3-compatible service.
  cluster = await startCluster({ ISOTHERM_FILES_FOLDER: folder, ISOTHERM_SEAL_AFTER_HOURS: '10000' });
  [web] = (await cluster.start(['web'])) as [ClusterProcess];
  const { username, password } = cluster.accounts.find((each) => each.username === 'demo.manager') as {
    username: string;
    password: string;
  };
  manager = await logIn(web.url, username, password);
  await manager.call(provisionDevices, { body: { items: numbers.map(loadedItem) } });
  await queryDatabase(
    cluster.databaseUrl,
    `insert into reading (channel_id, delay_s, measured_at, value)
     select c.id, 1, t, 5 from channel c join device d on d.id = c.device_id,
            generate_series($2::timestamptz, $3::timestamptz - interval '1 second', interval '1 minute') t
      where d.number = any($1) and c.indicator = 'temperature'`,
    [numbers, from, to],
  );
  assets = (
    await queryDatabase<{ id: number }>(
      cluster.databaseUrl,
      'select distinct asset_id as id from device where number = any($1)',
      [numbers],
    )
  ).map(({ id }) => id);
  workers = await cluster.start(['worker']);
});
afterAll(async () => {
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const find = async (id: number) => (await manager.call(listJobs)).items.find((each) => each.id === id) as Job;

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

test('a report whose process is killed is written by another one, and no result is left of the first', async () => {
  // Locks keep the report at known points, however fast the machine is: it begins, waits for the readings, writes its
  // file, and waits for the row in which its end is stored.
  const releaseReadings = await lock('lock table reading in access exclusive mode');
  const { id } = await manager.call(orderRecordReport, {
    body: { assets, format: 'csv', zone: 'UTC', from: from.toISOString(), to: to.toISOString() },
  });
  await expect.poll(async () => (await find(id)).state, { timeout: 30_000, interval: 50 }).toBe('running');
  const releaseJob = await lock('select 1 from job where id = $1 for update', [id]);
  await releaseReadings();
  await expect.poll(() => spooled().length, { timeout: 30_000, interval: 50 }).toBeGreaterThan(0);
  await (workers[0] as ClusterProcess).kill();
  expect((await find(id)).state).toBe('running');
  await releaseJob();
  await (workers[0] as ClusterProcess).start();
  await expect.poll(async () => (await find(id)).state, { timeout: 90_000, interval: 250 }).toBe('done');
  const [row] = await queryDatabase<{ attempts: number; fence: number; file_key: string; bytes: number }>(
    cluster.databaseUrl,
    'select attempts, fence, file_key, file_bytes::float8 as bytes from job where id = $1',
    [id],
  );
  expect(row).toMatchObject({ attempts: 2, fence: 2 });
  expect(readdirSync(folder).filter((name) => name !== 'spool')).toEqual([row?.file_key]);
  // Each minute of each day is a line.
  expect(row?.bytes).toBeGreaterThan(DAYS * 1440 * DEVICES * 2);
});
