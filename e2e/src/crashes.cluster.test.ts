import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { changeAssetStatus } from '@isotherm/contracts/asset-status';
import { provisionDevices } from '@isotherm/contracts/devices';
import { logIn } from '@isotherm/simulator/client/api-client';
import { type ConsoleSocket, openConsoleSocket } from '@isotherm/simulator/client/console-socket';
import { type Cluster, type ClusterProcess, startCluster } from '@isotherm/testkit/cluster';
import { DIST } from '@isotherm/testkit/demo-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { impliedAlarms, storedAlarms } from './implied-alarms.ts';
import { expectAllGoOn, type LoadedDevice, loadedItem, startLoadedDevice } from './loaded-device.ts';
import { type ShuffledHistory, sendShuffledHistory } from './shuffled-history.ts';
import { queryDatabase, storedReadings } from './stored.ts';

const PROTOCOLS = ['http', 'mqtt', 'packets'] as const;
const REST_MS = 60;
const LOADED = 12;
const SHUFFLED = 4;
const SHUFFLED_READINGS = 4_000;
const START_MS_AGO = 120 * 3_600_000;
const NEXT_RELEASE = join(DIST, 'next-release');

const loaded = Array.from({ length: LOADED }, (_, index) => String(53_000_001 + index));
const shuffled = Array.from({ length: SHUFFLED }, (_, index) => String(54_000_001 + index));
/** Number of a device whose asset has a temporary status, which a job ends. */
const DEFROSTED = '55000001';
/**
 * Time limit for the end of the status: the status lasts a minute, the job that ends it runs once a minute,
 * and the rest is a reserve for a busy machine.
 */
const STATUS_ENDS_WITHIN_MS = 150_000;

let cluster: Cluster;
let processes: ClusterProcess[];
let devices: LoadedDevice[];
let histories: ShuffledHistory[];
const consoles = new Map<ClusterProcess, ListeningConsole>();

interface ListeningConsole {
  socket: ConsoleSocket;
  /** Id of the latest event in the outbox when the console connected. */
  since: number;
}

beforeAll(async () => {
  cluster = await startCluster({ ISOTHERM_SEAL_AFTER_HOURS: '10000' });
  processes = await cluster.start(['web,ingest', 'web,ingest,worker', 'ingest,worker']);
  await recordJobs();
  const manager = await signIn(processes[0] as ClusterProcess);
  await manager.call(provisionDevices, {
    body: { items: [...loaded, ...shuffled, DEFROSTED].map(loadedItem) },
  });
  const [asset] = await query<{ id: number }>(`select id from asset where code = 'L-${DEFROSTED}'`);
  await manager.call(changeAssetStatus, {
    path: `/asset/${asset?.id}/status`,
    body: { from: 'normal', to: 'defrost', minutes: 1, reason: 'Test' },
  });
  for (const process of processes) await openConsole(process);
  const startAt = Date.now() - START_MS_AGO;
  devices = loaded.map((number, index) => {
    const protocol = PROTOCOLS[index % PROTOCOLS.length] as (typeof PROTOCOLS)[number];
    // A third of the devices send to one process each; the remaining devices send to all processes in turn.
    const own = Math.floor(index / PROTOCOLS.length);
    return startLoadedDevice(
      protocol,
      number,
      startAt,
      own < processes.length ? [processes[own] as ClusterProcess] : processes,
      REST_MS,
    );
  });
  histories = shuffled.map((number) =>
    sendShuffledHistory(number, startAt, SHUFFLED_READINGS, () => processes.map(({ url }) => url)),
  );
});
afterAll(async () => {
  await Promise.all(devices?.map((device) => device.stop()) ?? []);
  await cluster?.stop();
  rmSync(NEXT_RELEASE, { recursive: true, force: true });
});

const query = <T>(text: string, values?: unknown[]) => queryDatabase<T>(cluster.databaseUrl, text, values);

async function signIn({ url }: ClusterProcess) {
  const { username, password } = cluster.accounts[0] as Cluster['accounts'][number];
  return logIn(url, username, password);
}

async function openConsole(process: ClusterProcess): Promise<void> {
  if (!process.roles.includes('web')) return;
  const socket = await openConsoleSocket(await signIn(process));
  const [newest] = await query<{ id: number }>('select coalesce(max(id), 0)::int as id from outbox');
  consoles.set(process, { socket, since: newest?.id ?? 0 });
}

/** Records every job that is queued by any process. */
async function recordJobs(): Promise<void> {
  await query(`
    create table recorded_job (task text not null, run_at timestamptz not null);
    create function record_job() returns trigger language plpgsql security definer as $$ begin
      insert into public.recorded_job
      select t.identifier, new.run_at from graphile_worker._private_tasks t where t.id = new.task_id;
      return null; end $$;
    create trigger record_job after insert on graphile_worker._private_jobs for each row execute function record_job()`);
}

/** Checks that all devices make progress, and that each connected console has received every alarm. */
async function expectGoingOn(what: string): Promise<void> {
  await expectAllGoOn(devices, what);
  for (const { socket, since } of consoles.values()) {
    expect(socket.isOpen()).toBe(true);
    const raised = await query<{ id: number }>(
      `select alarm_id::int as id from outbox where topic = 'alarm.raised' and id > $1 order by alarm_id`,
      [since],
    );
    await expect.poll(() => missing(socket, raised), { timeout: 5_000 }).toEqual([]);
  }
}

function missing(socket: ConsoleSocket, raised: readonly { id: number }[]): number[] {
  const shown = new Set(socket.messages.map((message) => (message.event === '0003' ? message.alarm.id : 0)));
  return raised.map(({ id }) => id).filter((id) => !shown.has(id));
}

/**
 * Creates a build like this one with one more migration, in a folder next to it so that it finds the same
 * modules.
 */
function buildNextRelease(): string {
  rmSync(NEXT_RELEASE, { recursive: true, force: true });
  mkdirSync(NEXT_RELEASE, { recursive: true });
  cpSync(join(DIST, 'main.js'), join(NEXT_RELEASE, 'main.js'));
  cpSync(join(DIST, 'migrations'), join(NEXT_RELEASE, 'migrations'), { recursive: true });
  symlinkSync(join(DIST, 'web'), join(NEXT_RELEASE, 'web'));
  writeFileSync(
    join(NEXT_RELEASE, 'migrations/9999_next_release.sql'),
    `alter table device add column of_next_release integer not null default 0;
     alter table alarm add column of_next_release text;
     create table next_release (channel_id integer primary key references channel (id));
     insert into next_release select id from channel;
     create index alarm_next_release on alarm (channel_id, since) where of_next_release is not null;`,
  );
  return join(NEXT_RELEASE, 'main.js');
}

test('every process can be killed in turn without data loss', async () => {
  await expectGoingOn('the start');
  for (const process of processes) {
    consoles.delete(process);
    await process.kill();
    await process.start();
    await expectGoingOn(`${process.roles} was killed`);
    await openConsole(process);
  }
});

test('the database can be killed and restarted without data loss', async () => {
  await cluster.restartPostgres('SIGKILL');
  await expectGoingOn('the database was killed');
});

test('an ingest process can be added to a running cluster and removed again', async () => {
  const [added] = (await cluster.start(['ingest'])) as [ClusterProcess];
  const history = sendShuffledHistory(DEFROSTED, Date.now() - START_MS_AGO, 200, () => [added.url]);
  await history.done;
  await added.stop();
  await expectGoingOn('a process was removed');
});

test('processes are upgraded one at a time while those of the previous release continue', async () => {
  const entry = buildNextRelease();
  for (const process of processes) {
    consoles.delete(process);
    await process.stop();
    await process.start(entry);
    await expectGoingOn(`${process.roles} was upgraded`);
    await openConsole(process);
  }
  const [applied] = await query<{ count: number }>(
    `select count(*)::int as count from schema_migration where name = '9999_next_release.sql'`,
  );
  expect(applied?.count).toBe(1);
  // A process of the previous release can also be started after the upgrade.
  const [first] = processes as [ClusterProcess];
  consoles.delete(first);
  await first.kill();
  await first.start();
  await expectGoingOn('a process of the previous release was started');
});

test('no acknowledged reading is missing or duplicated, and alarms equal those of the reference implementation', async () => {
  await Promise.all([...devices.map((device) => device.stop()), ...histories.map(({ done }) => done)]);
  let alarms = 0;
  for (const { number, acknowledged } of devices) {
    const stored = await storedReadings(cluster.databaseUrl, number);
    // The latest message may be stored without its acknowledgement, but nothing may be missing.
    expect(stored.slice(0, acknowledged.length)).toEqual(acknowledged);
    expect(stored.length - acknowledged.length).toBeLessThanOrEqual(5);
    const implied = impliedAlarms(stored);
    expect(await storedAlarms(cluster.databaseUrl, number)).toEqual(implied);
    alarms += implied.length;
  }
  expect(alarms).toBeGreaterThan(LOADED);
});

test('readings in any order and any pieces, sent through any process, raise the alarms of the reference implementation', async () => {
  for (const { number, readings } of histories) {
    expect(await storedReadings(cluster.databaseUrl, number)).toEqual(readings);
    expect(await storedAlarms(cluster.databaseUrl, number)).toEqual(impliedAlarms(readings));
  }
});

test('each job runs only once', { timeout: 2 * STATUS_ENDS_WITHIN_MS }, async () => {
  const ended = () =>
    query(
      `select changed_by, to_status from asset_status_change s join asset a on a.id = s.asset_id
        where a.code = 'L-${DEFROSTED}' and from_status = 'defrost'`,
    );
  await expect
    .poll(ended, { timeout: STATUS_ENDS_WITHIN_MS })
    .toEqual([{ changed_by: '', to_status: 'normal' }]);
  const twice = await query(
    `select task, run_at from recorded_job where task = 'asset-status-ends' and run_at = date_trunc('minute', run_at)
      group by task, run_at having count(*) > 1`,
  );
  expect(twice).toEqual([]);
  const [minutes] = await query<{ count: number }>(
    `select count(*)::int as count from recorded_job where task = 'asset-status-ends' and run_at = date_trunc('minute', run_at)`,
  );
  expect(minutes?.count).toBeGreaterThan(0);
});
