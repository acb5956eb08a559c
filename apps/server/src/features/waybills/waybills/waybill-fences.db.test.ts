import type { Geofence } from '@isotherm/contracts/geofences';
import type { WaybillDetail } from '@isotherm/contracts/waybills';
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
const NUMBERS = ['75000001', '75000002', '75000003'] as const;
const DEPOT = { latitude: -20, longitude: 100 };
const CLINIC = { latitude: -20, longitude: 100.1 };
let server: TestServer;
let manager: Session;
let organizationId = 0;
let depot: Geofence;
let clinic: Geofence;
const now = Math.floor(Date.now() / MIN) * MIN;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  await server.provision(
    manager,
    NUMBERS.map((number) => fridge(number)),
  );
  await server.pool.query(
    `update binding set valid_from = now() - interval '40 days' where valid_until = 'infinity'`,
  );
  organizationId = await one('select organization_id::int as id from device where number = $1', [NUMBERS[0]]);
  depot = await makeFence('Depot', DEPOT);
  clinic = await makeFence('Clinic', CLINIC);
});
afterAll(() => server.stop());

async function one(sql: string, values: unknown[]): Promise<number> {
  const { rows } = await server.pool.query<{ id: number }>(sql, values);
  return rows[0]?.id as number;
}
async function makeFence(name: string, centre: typeof DEPOT): Promise<Geofence> {
  const shape = { kind: 'circle', centre, radiusM: 500 };
  const json = { organizationId, name, shape };
  const fence = expectDone(
    await server.call<Geofence>({ method: 'POST', path: '/api/map/geofence', session: manager, json }),
  );
  await server.pool.query('update geofence_version set valid_from = $2 where geofence_id = $1', [
    fence.id,
    new Date(now - 600 * MIN),
  ]);
  return fence;
}
const assetOf = (number: string) => one('select id::int from asset where code = $1', [`F-${number}`]);
const at = (minutesAgo: number, { latitude, longitude }: typeof DEPOT, north = 0) => ({
  at: now - minutesAgo * MIN,
  latitude: latitude + north,
  longitude,
});
const send = async (number: string, positions: object[]) =>
  expect((await server.ingest(number, TEST_KEY, { positions })).httpStatus).toBe(200);
const get = async (id: number) =>
  expectDone(await server.call<WaybillDetail>({ path: `/api/waybill/${id}`, session: manager }));

async function makeWaybill(number: string, assetId: number, more: object = {}): Promise<number> {
  const { id } = expectDone(
    await server.call<WaybillDetail>({
      method: 'POST',
      path: '/api/waybill',
      session: manager,
      json: {
        organizationId,
        number,
        consignorUnit: 'Warehouse',
        consigneeUnit: 'Clinic',
        assetId,
        plannedDepartureAt: new Date(now - 60 * MIN).toISOString(),
        temperatureLow: 2,
        temperatureHigh: 8,
        departureFenceId: depot.id,
        arrivalFenceIds: [clinic.id],
        ...more,
      },
    }),
  );
  // As if it had been created before the trip.
  await server.pool.query('update waybill_geofence set since = $2 where waybill_id = $1', [
    id,
    new Date(now - 300 * MIN),
  ]);
  return id;
}

it('a waybill departs when its asset leaves a geofence, and is delivered when it enters another one', async () => {
  const [number] = NUMBERS;
  const assetId = await assetOf(number);
  const id = await makeWaybill('GEO-1', assetId);
  const later = await makeWaybill('GEO-2', assetId, {
    plannedDepartureAt: new Date(now + 300 * MIN).toISOString(),
  });
  expect(await get(id)).toMatchObject({ departureFenceName: 'Depot', arrivalFenceNames: ['Clinic'] });
  await send(number, [at(50, DEPOT), at(49, DEPOT), at(48, DEPOT, 0.02)]);
  await vi.waitFor(async () => expect(await get(id)).toMatchObject({ state: 'in-transport' }), 10_000);
  await send(number, [at(40, CLINIC, 0.03), at(30, CLINIC)]);
  await vi.waitFor(async () => expect(await get(id)).toMatchObject({ state: 'arrived' }), 10_000);
  const { departedAt, endedAt, custody } = await get(id);
  expect([departedAt, endedAt]).toEqual(
    [48, 30].map((minutes) => new Date(now - minutes * MIN).toISOString()),
  );
  expect(custody).toMatchObject([
    { action: 'depart', username: 'system', note: 'Depot' },
    { action: 'deliver', username: 'system', note: 'Clinic' },
  ]);
  const { rows } = await server.pool.query(
    `select username, after->>'state' as state from audit_entry where object_kind = 'waybill' and object_id = $1 order by seq`,
    [String(id)],
  );
  expect(rows.slice(1)).toEqual([
    { username: 'system', state: 'in-transport' },
    { username: 'system', state: 'arrived' },
  ]);
  // The trip was before the time of the other waybill.
  expect((await get(later)).state).toBe('not-shipped');
});

it('positions of a whole trip that arrive late depart and deliver at the times of the trip', async () => {
  const [, number] = NUMBERS;
  const id = await makeWaybill('GEO-3', await assetOf(number));
  await send(number, [at(20, CLINIC), at(30, CLINIC, 0.03)]);
  await send(number, [at(48, DEPOT, 0.02), at(50, DEPOT), at(49, DEPOT)]);
  await vi.waitFor(async () => expect(await get(id)).toMatchObject({ state: 'arrived' }), 10_000);
  expect((await get(id)).departedAt).toBe(new Date(now - 48 * MIN).toISOString());
});

it('a geofence that a waybill names cannot be deleted, and one of another organisation cannot be named', async () => {
  const [, , number] = NUMBERS;
  const id = await makeWaybill('GEO-4', await assetOf(number));
  const remove = () =>
    server.call({
      method: 'DELETE',
      path: `/api/map/geofence/${depot.id}`,
      session: manager,
      json: { reason: 'Closed' },
    });
  expect((await remove()).status).toBe('geofence.in_use');
  const waybill = await server.call({
    method: 'POST',
    path: '/api/waybill',
    session: manager,
    json: {
      organizationId,
      number: 'GEO-5',
      consignorUnit: 'Warehouse',
      consigneeUnit: 'Clinic',
      assetId: await assetOf(number),
      plannedDepartureAt: new Date(now).toISOString(),
      temperatureLow: 2,
      temperatureHigh: 8,
      departureFenceId: 999_999,
    },
  });
  expect(waybill.status).toBe('geofence.not_found');
  expect((await get(id)).state).toBe('not-shipped');
});
