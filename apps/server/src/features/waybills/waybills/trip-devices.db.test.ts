import type { Geofence } from '@isotherm/contracts/geofences';
import type { TripRecord, WaybillDetail } from '@isotherm/contracts/waybills';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { expectDone } from '../../../testing/people.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';

const MIN = 60_000;
const TRUCKS = ['76000001', '76000002', '76000003'] as const;
const STORE = '76000004';
const now = Math.floor(Date.now() / MIN) * MIN;
let server: TestServer;
let manager: Session;
let organizationId = 0;
let last = 76_000_100;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  await server.provision(
    manager,
    [...TRUCKS, STORE].map((number) => fridge(number)),
  );
  await backdate();
  organizationId = await one('select organization_id::int as id from device where number = $1', [STORE]);
});
afterAll(() => server.stop());

/** Bindings that are open now have lasted for a day. */
const backdate = () =>
  server.pool.query(
    `update binding set valid_from = now() - interval '1 day' where valid_until = 'infinity'`,
  );
async function one(sql: string, values: unknown[]): Promise<number> {
  const { rows } = await server.pool.query<{ id: number }>(sql, values);
  return rows[0]?.id as number;
}
const assetOf = (number: string) => one('select id::int from asset where code = $1', [`F-${number}`]);
const deviceOf = (number: string) => one('select id::int from device where number = $1', [number]);
const boundTo = (number: string) => one('select asset_id::int as id from device where number = $1', [number]);
const ask = async <T>(method: 'GET' | 'POST' | 'PUT', path: string, json?: object) =>
  server.call<T>({ method, path: `/api/waybill${path}`, session: manager, ...(json ? { json } : {}) });
const get = async (id: number) => expectDone(await ask<WaybillDetail>('GET', `/${id}`));
const moment = (minutesAgo: number) => new Date(now - minutesAgo * MIN).toISOString();

/** Creates a logger that is bound to nothing. */
async function logger(): Promise<string> {
  const number = String(++last);
  await server.provision(manager, [fridge(number)]);
  expectDone(
    await server.call({
      method: 'POST',
      path: '/api/device/list/unbind',
      session: manager,
      json: { numbers: [number], reason: 'spare' },
    }),
  );
  // As if it had been a spare for long.
  await server.pool.query(
    `delete from binding b using device d where d.id = b.device_id and d.number = $1 and b.valid_until < 'infinity'`,
    [number],
  );
  await server.pool.query(
    `update binding b set valid_from = '-infinity' from device d where d.id = b.device_id and d.number = $1`,
    [number],
  );
  return number;
}
const form = async (number: string, truck: string, devices: readonly string[], more: object = {}) => ({
  organizationId,
  number,
  consignorUnit: 'Warehouse',
  consigneeUnit: 'Clinic',
  assetId: await assetOf(truck),
  plannedDepartureAt: moment(60),
  temperatureLow: 2,
  temperatureHigh: 8,
  deviceIds: await Promise.all(devices.map(deviceOf)),
  ...more,
});
const create = async (...of: Parameters<typeof form>) =>
  expectDone(await ask<WaybillDetail>('POST', '', await form(...of))).id;
const depart = async (id: number, truck: string, minutesAgo = 0) =>
  ask<WaybillDetail>('POST', `/${id}/depart`, { at: moment(minutesAgo), assetId: await assetOf(truck) });
const deliver = (id: number) =>
  ask<WaybillDetail>('POST', `/${id}/deliver`, { at: new Date().toISOString(), person: 'Nurse' });
const measure = async (device: string, at: number, value: number) =>
  expect(
    (await server.ingest(device, TEST_KEY, { readings: [{ channel: 'temperature-1', at, value }] }))
      .httpStatus,
  ).toBe(200);

it('devices are bound at the departure, go with the goods, and return to where they were', async () => {
  const [spare, stored] = [await logger(), STORE];
  const id = await create('TD-1', TRUCKS[0], [spare, stored]);
  expect(await boundTo(spare)).toBeNull();
  const departed = expectDone(await depart(id, TRUCKS[0], 30));
  expect(departed.devices).toMatchObject([
    { number: spare, releasedAt: null, homeAssetName: null },
    { number: stored, releasedAt: null, homeAssetName: `Fridge ${STORE}` },
  ]);
  expect(await boundTo(spare)).toBe(await assetOf(TRUCKS[0]));
  expect(await boundTo(stored)).toBe(await assetOf(TRUCKS[0]));
  await measure(spare, Date.now() - 1_000, 5);
  expectDone(
    await ask('POST', `/${id}/transship`, {
      at: new Date(Date.now() - 500).toISOString(),
      assetId: await assetOf(TRUCKS[1]),
    }),
  );
  expect(await boundTo(spare)).toBe(await assetOf(TRUCKS[1]));
  await vi.waitFor(() => measure(spare, Date.now(), 6), 10_000);
  const ended = expectDone(await deliver(id));
  expect(await boundTo(spare)).toBeNull();
  expect(await boundTo(stored)).toBe(await assetOf(STORE));
  expect(ended.devices.every(({ releasedAt }) => releasedAt !== null)).toBe(true);
  expect(ended.deviceNumbers).toEqual([spare, stored]);
  const record = expectDone(await ask<TripRecord>('GET', `/${id}/record`));
  // The logger is one probe over both legs; its readings count.
  expect(record.probes.map(({ verdict }) => [verdict.min, verdict.max])).toContainEqual([5, 6]);
  const { rows } = await server.pool.query(
    `select after->>'asset' as asset, reason from audit_entry
      where object_kind = 'device' and object_id = $1 and reason = 'TD-1' order by seq`,
    [spare],
  );
  expect(rows.map(({ asset }) => asset)).toEqual([`F-${TRUCKS[0]}`, `F-${TRUCKS[1]}`, null]);
});

it('a departure in the past binds a silent device from then on, and one that reported from its last message on', async () => {
  const [silent, talking] = [await logger(), await logger()];
  await measure(talking, now - 10 * MIN, 5);
  const id = await create('TD-2', TRUCKS[0], [silent, talking]);
  const { devices } = expectDone(await depart(id, TRUCKS[0], 30));
  expect(devices[0]?.boundAt).toBe(moment(30));
  expect(Date.parse(devices[1]?.boundAt as string)).toBeGreaterThan(now - 10 * MIN);
  await measure(silent, now - 15 * MIN, 7);
  expectDone(await deliver(id));
  const { probes } = expectDone(await ask<TripRecord>('GET', `/${id}/record`));
  expect(probes.map(({ verdict }) => verdict.max)).toContain(7);
});

it('of two trips that depart at the same time, one has the device, and the other one says why not', async () => {
  const shared = await logger();
  const ids = [await create('TD-4', TRUCKS[0], [shared]), await create('TD-5', TRUCKS[1], [shared])];
  const results = await Promise.all([
    depart(ids[0] as number, TRUCKS[0]),
    depart(ids[1] as number, TRUCKS[1]),
  ]);
  expect(results.map(({ httpStatus }) => httpStatus).sort()).toEqual([200, 409]);
  const refused = results.findIndex(({ httpStatus }) => httpStatus === 409);
  expect(results[refused]).toMatchObject({ status: 'waybill.device_on_trip' });
  expect((await get(ids[refused] as number)).state).toBe('not-shipped');
  const gone = ids[1 - refused] as number;
  expectDone(
    await ask('POST', `/${gone}/reject`, { at: new Date().toISOString(), person: 'Nurse', note: 'Broken' }),
  );
  expect(await boundTo(shared)).toBeNull();
  expectDone(await depart(ids[refused] as number, TRUCKS[refused] as string));
  expectDone(await deliver(ids[refused] as number));
});

it('a device that somebody bound elsewhere in transit stays there, and one can be added and removed under way', async () => {
  const [moved, added] = [await logger(), await logger()];
  const id = await create('TD-6', TRUCKS[0], [moved]);
  expectDone(await depart(id, TRUCKS[0], 5));
  const call = (path: string, json: object) => server.call({ method: 'POST', path, session: manager, json });
  expectDone(await call('/api/device/list/unbind', { numbers: [moved], reason: 'broken' }));
  expectDone(
    await call('/api/device/list/bind', { bonds: [{ number: moved, assetId: await assetOf(TRUCKS[2]) }] }),
  );
  const waybill = await form('TD-6', TRUCKS[0], [moved, added]);
  expectDone(await ask('PUT', `/${id}`, { waybill, reason: 'Second logger' }));
  expect(await boundTo(added)).toBe(await assetOf(TRUCKS[0]));
  expectDone(
    await ask('PUT', `/${id}`, {
      waybill: { ...waybill, deviceIds: [await deviceOf(moved)] },
      reason: 'Not needed',
    }),
  );
  expect(await boundTo(added)).toBeNull();
  const { devices } = expectDone(await deliver(id));
  expect(await boundTo(moved)).toBe(await assetOf(TRUCKS[2]));
  expect(devices).toHaveLength(2);
});

it('the record leaves out the device of another waybill on the same vehicle', async () => {
  const device = await logger();
  const [own, other] = [await create('TD-7', TRUCKS[2], [device]), await create('TD-8', TRUCKS[2], [])];
  expectDone(await depart(own, TRUCKS[2], 5));
  expectDone(await depart(other, TRUCKS[2], 5));
  await measure(device, Date.now() - 500, 30);
  for (const [id, hot] of [
    [own, true],
    [other, false],
  ] as const) {
    const { probes } = expectDone(await ask<TripRecord>('GET', `/${id}/record`));
    expect(probes.some(({ verdict }) => verdict.max === 30)).toBe(hot);
    expectDone(await deliver(id));
  }
});

it('a device that is out of reach cannot be named, and one of another organisation is refused', async () => {
  expect(
    await ask('POST', '', { ...(await form('TD-9', TRUCKS[0], [])), deviceIds: [999_999_999] }),
  ).toMatchObject({ status: 'waybill.device_unknown' });
});

it('a departure by a geofence goes ahead without a device that is on another trip, and says so', async () => {
  const device = await logger();
  const holder = await create('TD-10', TRUCKS[0], [device]);
  expectDone(await depart(holder, TRUCKS[0]));
  const depot = { latitude: -20, longitude: 100 };
  const fence = expectDone(
    await server.call<Geofence>({
      method: 'POST',
      path: '/api/map/geofence',
      session: manager,
      json: { organizationId, name: 'Depot', shape: { kind: 'circle', centre: depot, radiusM: 500 } },
    }),
  );
  await server.pool.query(
    `update geofence_version set valid_from = now() - interval '1 day' where geofence_id = $1`,
    [fence.id],
  );
  const id = await create('TD-11', TRUCKS[1], [device], { departureFenceId: fence.id });
  await server.pool.query(
    `update waybill_geofence set since = now() - interval '1 day' where waybill_id = $1`,
    [id],
  );
  await server.ingest(TRUCKS[1], TEST_KEY, {
    positions: [
      { at: now - 5 * MIN, ...depot },
      { at: now - 4 * MIN, ...depot },
      { at: now - 3 * MIN, latitude: depot.latitude + 0.02, longitude: depot.longitude },
    ],
  });
  await vi.waitFor(async () => expect(await get(id)).toMatchObject({ state: 'in-transport' }), 10_000);
  expect((await get(id)).devices).toMatchObject([{ number: device, boundAt: null, missed: 'on-trip' }]);
  expectDone(await deliver(id));
  expect(await boundTo(device)).toBe(await assetOf(TRUCKS[0]));
  expectDone(await deliver(holder));
});
