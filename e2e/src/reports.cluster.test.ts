import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { orderAlarmHistory } from '@isotherm/contracts/alarm-history';
import { orderAlarmMessages } from '@isotherm/contracts/alarm-messages';
import { orderComplianceReport } from '@isotherm/contracts/compliance';
import { provisionDevices } from '@isotherm/contracts/devices';
import { JOB_KINDS, type Job, type JobKindName, listJobs, orderListExport } from '@isotherm/contracts/jobs';
import { orderLogs } from '@isotherm/contracts/logs';
import { orderRecordReport } from '@isotherm/contracts/reports';
import { orderAlarmReport, orderDeviceReport, orderStatistics } from '@isotherm/contracts/table-reports';
import { orderReadingsExport } from '@isotherm/contracts/telemetry';
import { LOCK_KEYS } from '@isotherm/server/platform/db/lock-keys';
import { unzip } from '@isotherm/server/testing/unzip';
import { type ApiClient, logIn } from '@isotherm/simulator/client/api-client';
import { type Cluster, type ClusterProcess, startCluster } from '@isotherm/testkit/cluster';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { loadedItem } from './loaded-device.ts';
import { RECEIVERS, storeReported } from './reported-facts.ts';
import { queryDatabase } from './stored.ts';

const DEVICES = 20;
const DAYS = 25;
const numbers = Array.from({ length: DEVICES }, (_, index) => String(56_000_001 + index));
/** Devices with the same readings, whose data are released one after the other. */
const expiring = ['56000101', '56000102', '56000103'];
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
  await manager.call(provisionDevices, { body: { items: [...numbers, ...expiring].map(loadedItem) } });
  await queryDatabase(
    cluster.databaseUrl,
    `insert into reading (channel_id, delay_s, measured_at, value)
     select c.id, 1, t, 5 from channel c join device d on d.id = c.device_id,
            generate_series($2::timestamptz, $3::timestamptz - interval '1 second', interval '1 minute') t
      where d.number = any($1) and c.indicator = 'temperature'`,
    [numbers, from, to],
  );
  await storeReported(cluster.databaseUrl, { numbers, expiring, from, to });
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

const RANGE = { from: from.toISOString(), to: to.toISOString() };
/** Days that nothing counts again during the test. */
const COUNTED = { from: RANGE.from, to: new Date(from.getTime() + 7 * 86_400_000).toISOString() };
const REPORTS_POOL = 'isotherm-reports';

interface KilledKind {
  /** Orders a job of this kind; returns its id. */
  order(): Promise<number>;
  /** Table that the work reads, and that nothing else needs while it is locked. */
  reads: string;
  /** Pool of the connections that read it, if not that of reports. */
  pool?: string;
  /** Least number of rows of a complete file. */
  rows: number;
  /** Checks what follows from the result. */
  check?(id: number): Promise<void>;
}

/** Returns the order of a kind, whose route returns the job. */
const byRoute =
  (order: () => Promise<Job>): KilledKind['order'] =>
  async () =>
    (await order()).id;

/** How each kind of jobs is killed: by the test below, or by another one, which is in this file. */
const KINDS: Record<JobKindName, KilledKind | string> = {
  'readings-export': {
    order: byRoute(async () =>
      manager.call(orderReadingsExport, {
        body: { channels: await channelsOf(numbers.slice(0, 2)), ...COUNTED, format: 'csv', zone: 'UTC' },
      }),
    ),
    reads: 'reading',
    rows: 2 * 7 * 1440,
  },
  'alarm-export': {
    order: byRoute(() => manager.call(orderAlarmHistory, { body: RANGE })),
    reads: 'alarm',
    rows: DAYS * 24,
  },
  'message-export': {
    order: byRoute(() => manager.call(orderAlarmMessages, { body: RANGE })),
    reads: 'alarm_notification',
    rows: DAYS * 24,
  },
  'log-export': {
    // Without the orders, which are entries of the log, too.
    order: byRoute(() => manager.call(orderLogs, { body: { objectKind: 'device' } })),
    reads: 'audit_entry',
    rows: DEVICES,
  },
  'list-export': {
    order: byRoute(() =>
      manager.call(orderListExport, { body: { list: 'exportReceivers', subject: 'Receivers', query: {} } }),
    ),
    reads: 'alarm_receiver',
    // The handler of the route reads the list, with the connections of its process.
    pool: 'isotherm-web',
    rows: RECEIVERS,
  },
  'record-report': 'reports.cluster.test.ts',
  'compliance-report': {
    order: byRoute(() =>
      manager.call(orderComplianceReport, {
        body: { pack: 'who', assets: assets.slice(0, 5), ...COUNTED, format: 'csv', zone: 'UTC' },
      }),
    ),
    reads: 'reading',
    rows: 5,
  },
  'alarm-report': {
    order: byRoute(() => manager.call(orderAlarmReport, { body: { assets, ...RANGE, format: 'csv' } })),
    reads: 'alarm',
    rows: DAYS * 24,
  },
  'device-report': {
    order: byRoute(() => manager.call(orderDeviceReport, { body: { assets, ...COUNTED, format: 'csv' } })),
    reads: 'device_day',
    rows: DEVICES,
  },
  'statistics-report': {
    order: byRoute(() =>
      manager.call(orderStatistics, { body: { ...COUNTED, group: 'day', format: 'csv' } }),
    ),
    reads: 'device_day',
    rows: 7,
  },
  'data-backup': 'backup.cluster.test.ts',
  'device-archive': {
    order: expireNext,
    reads: 'reading',
    rows: 1440,
    async check(id) {
      // The data are released after the archive, which was ordered once.
      await expect
        .poll(() =>
          queryDatabase(
            cluster.databaseUrl,
            `select r.state, r.attempts, r.file_hash = j.file_hash as "isSame"
               from device_release r join job j on j.id = r.job_id where j.id = $1`,
            [id],
          ),
        )
        .toEqual([{ state: 'announced', attempts: 1, isSame: true }]);
    },
  },
};

const channelsOf = async (of: readonly string[]): Promise<number[]> =>
  (
    await queryDatabase<{ id: number }>(
      cluster.databaseUrl,
      `select c.id::int from channel c join device d on d.id = c.device_id
        where d.number = any($1) and c.indicator = 'temperature' order by d.number`,
      [of],
    )
  ).map(({ id }) => id);

/** Lets the next of the expiring devices be expired for so long that its data are released, after an archive. */
async function expireNext(): Promise<number> {
  const number = expiring.shift();
  await queryDatabase(
    cluster.databaseUrl,
    `update device set expires_at = date_trunc('day', now()) - interval '7 months' where number = $1`,
    [number],
  );
  await queryDatabase(cluster.databaseUrl, `select graphile_worker.add_job('device-releases')`);
  let id: number | undefined;
  await expect
    .poll(async () => {
      const [release] = await queryDatabase<{ id: number }>(
        cluster.databaseUrl,
        `select r.job_id::int as id from device_release r join device d on d.id = r.device_id
          where d.number = $1 and r.job_id is not null`,
        [number],
      );
      id = release?.id;
      return id;
    })
    .toBeDefined();
  return id as number;
}

interface StoredJob {
  state: string;
  attempts: number;
  fence: number;
  key: string | null;
  bytes: number | null;
  hash: string | null;
}
const stored = async (id: number) =>
  (
    await queryDatabase<StoredJob>(
      cluster.databaseUrl,
      `select state, attempts, fence::int, file_key as key, file_bytes::float8 as bytes, file_hash as hash
         from job where id = $1`,
      [id],
    )
  )[0] as StoredJob;
const done = async (id: number) => {
  await expect
    .poll(async () => (await stored(id)).state, { timeout: 60_000, interval: 100 })
    .toMatch(/done|failed/);
  return stored(id);
};
const files = () => readdirSync(folder).filter((name) => name !== 'spool');

/** Returns what a file says, without the time at which it was written and without numbers of expiring devices. */
async function contentOf(key: string): Promise<string> {
  const bytes = readFileSync(join(folder, key));
  if (bytes.subarray(0, 2).toString('latin1') !== 'PK')
    return bytes.toString('utf8').replace(/^Created,.*$/m, '');
  const parts = [...(await unzip(bytes))].map(([name, part]) => ({ name, text: part.toString('utf8') }));
  // The other files of an archive contain the time at which it was written.
  const devices = parts.filter(({ name }) => name.startsWith('devices/'));
  return (devices.length > 0 ? devices : parts)
    .map(({ name, text }) => `${name}\n${text}`)
    .join('\n')
    .replaceAll(/\b560001\d\d\b/g, 'device');
}

/** Content of the file of a job that was not killed, by kind. */
const whole = new Map<string, string>();

/** Sessions of a pool that wait for a lock of a table. */
const waiting = async (table: string, pool: string) =>
  (
    await queryDatabase<{ pid: number }>(
      cluster.databaseUrl,
      `select a.pid from pg_locks l join pg_stat_activity a on a.pid = l.pid
        where l.relation = $1::regclass and not l.granted and a.application_name = $2`,
      [table, pool],
    )
  ).map(({ pid }) => pid);
const living = (pids: readonly number[]) =>
  queryDatabase(cluster.databaseUrl, 'select pid from pg_stat_activity where pid = any($1)', [pids]);

/**
 * Kinds that are also killed when the whole file is written: one of the server itself, one with a handler of a route, and a long
 * file. The same code stores the files of all kinds.
 */
const STORING: ReadonlySet<string> = new Set<JobKindName>([
  'readings-export',
  'list-export',
  'device-archive',
]);

test('every kind of jobs is killed by a test', () => {
  // Without types, as the tests run, a missing kind would not be noticed.
  expect(Object.keys(KINDS)).toEqual(JOB_KINDS);
  for (const [kind, file] of Object.entries(KINDS))
    if (typeof file === 'string')
      expect(readFileSync(join(import.meta.dirname, file), 'utf8')).toContain(`'${kind}'`);
});

test.for(
  Object.entries(KINDS).flatMap(([kind, how]) =>
    typeof how === 'string'
      ? []
      : ([
          [kind, 'reads', how],
          ...(STORING.has(kind) ? [[kind, 'stores its file', how] as const] : []),
        ] as const),
  ),
)(
  'a job %s whose process is killed while it %s is run again, with the same result and one file',
  async ([kind, point, { order, reads, pool = REPORTS_POOL, rows, check }]) => {
    if (!whole.has(kind)) {
      const unharmed = await done(await order());
      expect(unharmed).toMatchObject({ state: 'done', attempts: 1, fence: 1 });
      whole.set(kind, await contentOf(unharmed.key as string));
    }
    const worker = workers[0] as ClusterProcess;
    const before = { files: files(), spooled: spooled() };

    // Jobs are claimed only after a table was locked: the one that the work reads, or that of keys of files, in which a row
    // is inserted as soon as the whole file is in the spool.
    const [table, by] = point === 'reads' ? [reads, pool] : ['stored_file', REPORTS_POOL];
    const releaseClaims = await lock('select pg_advisory_xact_lock($1)', [LOCK_KEYS.jobClaims]);
    onTestFinished(releaseClaims);
    const id = await order();
    const releaseTable = await lock(`lock table ${table} in access exclusive mode`);
    onTestFinished(releaseTable);
    await releaseClaims();
    await expect.poll(() => waiting(table, by), { interval: 50 }).not.toEqual([]);
    const sessions = await waiting(table, by);
    expect(await stored(id)).toMatchObject({ state: 'running', attempts: 1, fence: 1 });
    if (point === 'stores its file') {
      const [written] = spooled().filter((name) => !before.spooled.includes(name));
      expect(await contentOf(join('spool', written as string))).toHaveLength(
        whole.get(kind)?.length as number,
      );
    }
    await worker.kill();
    // Sessions of the killed process end when they get the lock, because nobody reads the result.
    await releaseTable();
    await expect.poll(() => living(sessions), { interval: 50 }).toEqual([]);
    expect(await stored(id)).toMatchObject({ state: 'running', attempts: 1, fence: 1, key: null });
    expect(files()).toEqual(before.files);

    // The lease of 30 s expires; the test above waits for it.
    await queryDatabase(cluster.databaseUrl, 'update job set lease_until = now() where id = $1', [id]);
    await worker.start();
    const { key, bytes, hash, ...end } = await done(id);
    expect(end).toEqual({ state: 'done', attempts: 2, fence: 2 });
    expect(files().filter((name) => !before.files.includes(name))).toEqual([key]);
    const file = readFileSync(join(folder, key as string));
    expect([file.length, createHash('sha256').update(file).digest('hex')]).toEqual([bytes, hash]);
    const content = await contentOf(key as string);
    expect(content.match(/\n|<row/g)?.length).toBeGreaterThan(rows);
    expect(content === whole.get(kind), 'the same content as without a kill').toBe(true);
    await check?.(id);
  },
);
