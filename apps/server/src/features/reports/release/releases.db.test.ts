import type { ExpiringDevice } from '@isotherm/contracts/device-registry';
import { GRACE_DAYS } from '@isotherm/domain/devices/release';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { expectDone } from '../../../testing/people.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';
import { unzip } from '../../../testing/unzip.ts';

const WAIT = { timeout: 40_000, interval: 100 };
let server: TestServer;
let manager: Session;
let stamp = Date.now();
let made = 60_000_200;
/** Calls of one user in the same millisecond would be replays. */
const timestamp = () => ++stamp;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
});
afterAll(() => server.stop());

/** Registers a device with readings, sealed and unsealed ones, that expires later. */
async function device(): Promise<string> {
  const number = String(++made);
  await server.provision(manager, [fridge(number, { organizationCode: 'DEMO' })]);
  const day = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  for (const at of [day - 5 * DAY_MS, day - DAY_MS])
    await server.ingest(number, TEST_KEY, { readings: [{ channel: 'temperature-1', at, value: 5 }] });
  return number;
}
/** Lets a device be expired for a long time, and looks for such devices, as each hour. */
async function expire(number: string, months = 7): Promise<void> {
  await server.pool.query(
    `update device set expires_at = date_trunc('day', now()) - make_interval(months => $2) where number = $1`,
    [number, months],
  );
  await server.pool.query(`select graphile_worker.add_job('device-releases')`);
}
/** Extends the subscription, as an order of a renewal with a new SIM card does when it is paid. */
const renew = (number: string) =>
  server.pool.query(`update device set expires_at = expires_at + interval '2 years' where number = $1`, [
    number,
  ]);
const channelsOf = async (number: string): Promise<number[]> => {
  const { rows } = await server.pool.query(
    'select c.id from channel c join device d on d.id = c.device_id where d.number = $1',
    [number],
  );
  return rows.map(({ id }) => id);
};
const readings = async (number: string): Promise<number> => {
  const ids = await channelsOf(number);
  const hot = await server.pool.query(
    'select count(*)::int as count from reading where channel_id = any($1)',
    [ids],
  );
  const sealed = await server.pool.query(
    'select coalesce(sum(count), 0)::int as count from sealed_day where channel_id = any($1)',
    [ids],
  );
  return hot.rows[0].count + sealed.rows[0].count;
};
interface Row {
  id: number;
  state: string;
  due_at: Date | null;
  readings: number | null;
  job_id: number;
}
const rowOf = async (number: string) =>
  (
    await server.pool.query<Row>(
      `select r.* from device_release r join device d on d.id = r.device_id where d.number = $1 order by r.id desc limit 1`,
      [number],
    )
  ).rows[0];
const until = (number: string, state: string) =>
  vi.waitFor(async () => {
    const row = await rowOf(number);
    expect(row?.state).toBe(state);
    return row as Row;
  }, WAIT);
const endGrace = (number: string) =>
  server.pool.query(
    `update device_release set due_at = now() where device_id = (select id from device where number = $1) and state = 'announced'`,
    [number],
  );
const listed = async (number: string) =>
  expectDone(
    await server.call<{ items: ExpiringDevice[] }>({
      path: '/api/device/expired',
      query: { search: number },
      session: manager,
      timestamp: timestamp(),
    }),
  ).items[0];

test('data are archived, announced, and deleted after the grace period, each step once and in the log', async () => {
  const number = await device();
  // The readings were measured before the expiry, so that people may see them.
  await server.pool.query(
    `update reading set measured_at = measured_at - interval '8 months' where channel_id = any($1)`,
    [await channelsOf(number)],
  );
  expect(await listed(number)).toBeUndefined();
  await expire(number);
  const announced = await until(number, 'announced');
  const days = ((announced.due_at?.getTime() ?? 0) - Date.now()) / DAY_MS;
  expect(days).toBeGreaterThan(GRACE_DAYS - 1);
  expect(days).toBeLessThanOrEqual(GRACE_DAYS);
  expect(await listed(number)).toMatchObject({
    release: { state: 'announced', at: announced.due_at?.toISOString(), archiveUntil: expect.any(String) },
  });
  const { rows: told } = await server.pool.query(
    `select title, popup from announcement where body like '%' || $1 || '%'`,
    [number],
  );
  expect(told).toEqual([
    { title: expect.stringMatching(/^Data of 1 expired device will be deleted on /), popup: true },
  ]);

  const { releasedDevices } = expectDone(
    await server.call<{ releasedDevices: number }>({
      path: '/api/dashboard',
      session: manager,
      timestamp: timestamp(),
    }),
  );
  expect(releasedDevices).toBe(1);

  const { url, headers } = server.signed({
    path: `/api/device-archive/${number}/file`,
    session: manager,
    timestamp: timestamp(),
  });
  const archive = await unzip(new Uint8Array(await (await fetch(url, { headers })).arrayBuffer()));
  expect(archive.get(`devices/${number}.csv`)?.toString('utf8').trim().split('\r\n')).toHaveLength(3);

  expect(await readings(number)).toBe(2);
  await endGrace(number);
  expect(await until(number, 'released')).toMatchObject({ readings: 2 });
  expect(await readings(number)).toBe(0);
  expect(await listed(number)).toMatchObject({ release: { state: 'released' } });
  const { rows: log } = await server.pool.query(
    `select action, object_kind as kind from audit_entry where object_id = $1 and object_kind in ('reading', 'device-release')
      order by seq`,
    [number],
  );
  expect(log).toEqual([
    { action: 'change', kind: 'device-release' },
    { action: 'export', kind: 'device-release' },
    { action: 'delete', kind: 'reading' },
  ]);
});

test('a device that expired less than six months ago keeps its data', async () => {
  const [kept, due] = [await device(), await device()];
  await expire(kept, 5);
  await expire(due);
  await until(due, 'announced');
  expect(await rowOf(kept)).toBeUndefined();
});

test('a renewal cancels while the archive is being written', async () => {
  const number = await device();
  const lock = await server.pool.connect();
  onTestFinished(() => lock.release(true));
  await lock.query('begin; lock table sealed_day in access exclusive mode');
  await expire(number);
  await until(number, 'archiving');
  await renew(number);
  await until(number, 'cancelled');
  await lock.query('rollback');
  expect(await readings(number)).toBe(2);
});

test('a renewal cancels during the grace period, and the device can be released later', async () => {
  const number = await device();
  await expire(number);
  await until(number, 'announced');
  await renew(number);
  await until(number, 'cancelled');
  expect(await readings(number)).toBe(2);
  await expire(number, 9);
  await until(number, 'announced');
});

test('a renewal that is committed before the deletion saves the data, however late it is', async () => {
  const number = await device();
  await expire(number);
  const { id } = await until(number, 'announced');
  // The deletion is due, and waits for the renewal in progress.
  const renewal = await server.pool.connect();
  onTestFinished(() => renewal.release(true));
  await renewal.query('begin');
  await renewal.query(`update device set expires_at = now() + interval '1 year' where number = $1`, [number]);
  await endGrace(number);
  await vi.waitFor(async () => {
    const { rows } = await server.pool.query(
      `select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and query like '%for no key update%'`,
    );
    expect(rows[0].count).toBeGreaterThan(0);
  }, WAIT);
  await renewal.query('commit');
  expect((await until(number, 'cancelled')).id).toBe(id);
  expect(await readings(number)).toBe(2);
});

test('nothing is deleted without its archive: one that is lost is written again', async () => {
  const number = await device();
  await expire(number);
  const { job_id: first } = await until(number, 'announced');
  await server.pool.query(`update job set expires_at = now() where id = $1`, [first]);
  await endGrace(number);
  await vi.waitFor(async () => expect((await rowOf(number))?.job_id).not.toBe(first), WAIT);
  const again = await until(number, 'announced');
  expect((again.due_at?.getTime() ?? 0) - Date.now()).toBeGreaterThan((GRACE_DAYS - 1) * DAY_MS);
  expect(await readings(number)).toBe(2);
});

test('two processes, one of which is restarted between the steps, release each device once', async () => {
  const numbers: string[] = [];
  for (let i = 0; i < 6; i++) numbers.push(await device());
  let other = await startTestServer({
    databaseUrl: server.databaseUrl,
    environment: { ISOTHERM_FILES_FOLDER: server.filesFolder },
  });
  for (const number of numbers) await expire(number);
  await until(numbers[0] as string, 'announced');
  await other.stop();
  for (const number of numbers) await until(number, 'announced');
  other = await startTestServer({
    databaseUrl: server.databaseUrl,
    environment: { ISOTHERM_FILES_FOLDER: server.filesFolder },
  });
  for (const number of numbers) await endGrace(number);
  for (const number of numbers) await until(number, 'released');
  await other.stop();
  const { rows } = await server.pool.query(
    `select count(*)::int as deletions from audit_entry where object_kind = 'reading' and action = 'delete' and object_id = any($1)`,
    [numbers],
  );
  expect(rows[0].deletions).toBe(6);
});
