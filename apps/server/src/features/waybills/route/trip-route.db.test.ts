import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Geofence } from '@isotherm/contracts/geofences';
import type { ShownRecord, TripRoute, WaybillDetail } from '@isotherm/contracts/waybills';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectDone, type People, people } from '../../../testing/people.ts';
import { type ShippedWaybill, shippedWaybill } from '../../../testing/shipped-waybill.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';

const MIN = 60_000;
const DAY = 24 * 60 * MIN;
/** The last UTC midnight but one: devices are moved then, in the middle of the trip. */
const MIDNIGHT = Math.floor(Date.now() / DAY) * DAY - DAY;
const [FROM, TO] = [MIDNIGHT - 60 * MIN, MIDNIGHT + 60 * MIN];

let routing: Server;
/** What the routing service was asked for. */
const asked: string[] = [];
let geometry: [number, number][] = [];
let server: TestServer;
let manager: Session;
let known: People;
let shipped: ShippedWaybill;
let organizationId = 0;

beforeAll(async () => {
  routing = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        code: 'Ok',
        routes: [{ distance: 9_000, duration: 600, geometry: { type: 'LineString', coordinates: geometry } }],
      }),
    );
  });
  await new Promise<void>((done) => routing.listen(0, '127.0.0.1', done));
  const { port } = routing.address() as AddressInfo;
  server = await startTestServer({ environment: { ISOTHERM_ROUTING_URL: `http://127.0.0.1:${port}` } });
  manager = await server.logIn('demo.manager');
  known = people(server, await server.logIn('demo.platform'));
  organizationId = await known.organizationId('DEMO');
  shipped = await shippedWaybill(server, manager, { number: '7900001', organizationId, hours: 4 });
});
afterAll(async () => {
  await server.stop();
  routing.close();
});

const ask = async <T>(method: 'GET' | 'POST' | 'PUT', path: string, json?: object, session = manager) =>
  server.call<T>({ method, path: `/api/waybill${path}`, session, ...(json ? { json } : {}) });
const routeOf = async (id: number) => expectDone(await ask<TripRoute>('GET', `/${id}/route`));
const moment = (at: number) => new Date(at).toISOString();

async function fence(name: string, latitude: number, longitude: number): Promise<number> {
  const { id } = expectDone(
    await server.call<Geofence>({
      method: 'POST',
      path: '/api/map/geofence',
      session: manager,
      json: {
        organizationId,
        name,
        shape: { kind: 'circle', centre: { latitude, longitude }, radiusM: 500 },
      },
    }),
  );
  return id;
}

const create = async (number: string, more: object = {}) =>
  expectDone(
    await ask<WaybillDetail>('POST', '', {
      organizationId,
      number,
      consignorUnit: 'Warehouse',
      consigneeUnit: 'Clinic',
      assetId: shipped.assets[0],
      plannedDepartureAt: moment(Date.now()),
      temperatureLow: 2,
      temperatureHigh: 8,
      ...more,
    }),
  ).id;

it('the route of each leg is shown with its stops, and without geofences nothing is planned', async () => {
  const { planned, fences, legs } = await routeOf(shipped.id);
  expect({ planned, fences }).toEqual({ planned: null, fences: [] });
  expect(legs.map(({ assetId, from, to }) => [assetId, from, to])).toEqual([
    [shipped.assets[0], shipped.from, shipped.transshippedAt],
    [shipped.assets[1], shipped.transshippedAt, shipped.to],
  ]);
  for (const { at, from, to, latitude, longitude, lineEnds, distanceM } of legs) {
    expect(at.every((each) => each >= from && each < to)).toBe(true);
    expect([latitude.length, longitude.length, (lineEnds.at(-1) ?? -2) + 1]).toEqual([
      at.length,
      at.length,
      at.length,
    ]);
    expect(distanceM).toBeGreaterThan(10_000);
  }
  // It stands for 20 minutes in the third hour, on the second asset.
  expect(legs[1]?.stops).toHaveLength(1);
  // The gap in the fourth hour is no line.
  expect(legs[1]?.lineEnds).toHaveLength(2);
});

it('what is planned leads from the departure over earlier stops of the tour to the arrival, by road if a service knows it', async () => {
  const [depot, clinic, hospital] = [
    await fence('Depot', 31, 121),
    await fence('Clinic', 31.5, 121.5),
    await fence('Hospital', 32, 122),
  ];
  await create('RT-1', { tour: 'RT', stop: 1, arrivalFenceIds: [clinic] });
  const id = await create('RT-2', {
    tour: 'RT',
    stop: 2,
    departureFenceId: depot,
    arrivalFenceIds: [hospital],
  });
  asked.length = 0;
  geometry = [];
  const straight = await routeOf(id);
  expect(straight.planned).toEqual({
    by: 'straight-line',
    places: [
      { latitude: 31, longitude: 121 },
      { latitude: 31.5, longitude: 121.5 },
      { latitude: 32, longitude: 122 },
    ],
  });
  expect(straight.fences).toMatchObject([
    { id: depot, name: 'Depot', role: 'departure', shape: { kind: 'circle', radiusM: 500 } },
    { id: hospital, name: 'Hospital', role: 'arrival' },
  ]);
  expect(straight.legs).toEqual([]);
  expect(asked).toEqual([
    '/route/v1/driving/121.000,31.000;121.500,31.500;122.000,32.000?overview=simplified&geometries=geojson',
  ]);
  geometry = [
    [121, 31],
    [121.4, 31.2],
    [122, 32],
  ];
  const other = await create('RT-3', { departureFenceId: depot, arrivalFenceIds: [hospital] });
  expect((await routeOf(other)).planned).toEqual({
    by: 'route',
    places: [
      { latitude: 31, longitude: 121 },
      { latitude: 31.2, longitude: 121.4 },
      { latitude: 32, longitude: 122 },
    ],
  });
});

it('a waybill that had ended is no stop of a later tour with the same number', async () => {
  const [depot, clinic, hospital] = [
    await fence('Week depot', 41, 121),
    await fence('Week clinic', 41.5, 121.5),
    await fence('Week hospital', 42, 122),
  ];
  const last = await create('WEEK-1', { tour: 'WEEK', stop: 1, arrivalFenceIds: [clinic] });
  const assetId = shipped.assets[0];
  expectDone(await ask('POST', `/${last}/depart`, { at: moment(shipped.from), assetId }));
  const id = await create('WEEK-2', {
    tour: 'WEEK',
    stop: 2,
    departureFenceId: depot,
    arrivalFenceIds: [hospital],
  });
  geometry = [];
  const latitudes = async () => (await routeOf(id)).planned?.places.map(({ latitude }) => latitude);
  expect(await latitudes()).toEqual([41, 41.5, 42]);
  expectDone(await ask('POST', `/${last}/deliver`, { at: moment(shipped.from + 30 * MIN), person: 'Nurse' }));
  expectDone(await ask('POST', `/${id}/depart`, { at: moment(shipped.from + 40 * MIN), assetId }));
  expect(await latitudes()).toEqual([41, 42]);
});

it('speeds are for those who may see the replay', async () => {
  const speedsFor = async (...permissions: string[]) => {
    const name = `route.reader.${permissions.length}`;
    const role = expectDone(
      await server.call<{ id: number }>({
        method: 'POST',
        path: '/api/role',
        session: manager,
        json: { name, organizationId, pagePermissions: permissions },
      }),
    );
    const reader = await known.account(name, 'driver', 'DEMO', { roleIds: [role.id] });
    const { legs } = expectDone(await ask<TripRoute>('GET', `/${shipped.id}/route`, undefined, reader));
    expect(legs.every(({ latitude, speedKmh }) => speedKmh.length === latitude.length)).toBe(true);
    return new Set(legs.flatMap(({ speedKmh }) => speedKmh));
  };
  expect(await speedsFor('waybill-list:view')).toEqual(new Set([null]));
  expect(await speedsFor('waybill-list:view', 'map-replay:view')).toEqual(new Set([60]));
});

it('the route of a waybill of another organisation is not found', async () => {
  const stranger = await known.account('route.stranger', 'enterprise-administrator', 'DEMO-HOSPITAL');
  expect(await ask('GET', `/${shipped.id}/route`, undefined, stranger)).toMatchObject({
    httpStatus: 404,
    status: 'waybill.not_found',
  });
});

const [FIRST, SECOND] = ['79000101', '79000102'] as const;
const assetOf = async (number: string): Promise<number> => {
  const { rows } = await server.pool.query<{ id: number }>('select id::int from asset where code = $1', [
    `F-${number}`,
  ]);
  return rows[0]?.id as number;
};

/** Moves a device, as if that had been done at midnight. */
async function move(number: string, assetId: number): Promise<void> {
  for (const [path, json] of [
    ['unbind', { numbers: [number], reason: 'moved' }],
    ['bind', { bonds: [{ number, assetId }] }],
  ] as const)
    expectDone(
      await server.call({ method: 'POST', path: `/api/device/list/${path}`, session: manager, json }),
    );
  const at = new Date(MIDNIGHT);
  const own = 'device_id = (select id from device where number = $1)';
  await server.pool.query(
    `delete from binding where ${own} and valid_until < 'infinity' and channel_id in
    (select id from channel where asset_id is null)`,
    [number],
  );
  await server.pool.query(
    `update binding set valid_until = $2, valid_from = $2::timestamptz - interval '40 days'
      where ${own} and valid_until < 'infinity'`,
    [number, at],
  );
  await server.pool.query(`update binding set valid_from = $2 where ${own} and valid_until = 'infinity'`, [
    number,
    at,
  ]);
}

it('record and route follow the vehicle when devices are moved in mid-trip, not the devices', async () => {
  await server.provision(manager, [fridge(FIRST), fridge(SECOND)]);
  const [truck, other] = [await assetOf(FIRST), await assetOf(SECOND)];
  // The first device leaves the truck of the goods for another one, and the second one takes its place.
  await move(FIRST, other);
  await move(SECOND, truck);
  const id = await create('MOVED', { assetId: truck });
  expectDone(await ask('POST', `/${id}/depart`, { at: moment(FROM), assetId: truck }));
  const minutes = Array.from({ length: 120 }, (_, minute) => FROM + minute * MIN);
  // With the goods it is 5 °C; the other truck is at 20 °C and far away.
  for (const [number, isWithGoods] of [
    [FIRST, (at: number) => at < MIDNIGHT],
    [SECOND, (at: number) => at >= MIDNIGHT],
  ] as const)
    expect(
      await server.ingest(number, TEST_KEY, {
        readings: minutes.map((at) => ({ channel: 'temperature-1', at, value: isWithGoods(at) ? 5 : 20 })),
        positions: minutes.map((at, minute) => ({
          at,
          latitude: isWithGoods(at) ? 31 : 40,
          longitude: 121 + minute / 200,
        })),
      }),
    ).toMatchObject({ httpStatus: 200 });
  expectDone(await ask('POST', `/${id}/deliver`, { at: moment(TO), person: 'Nurse' }));

  const record = expectDone(await ask<ShownRecord>('GET', `/${id}/record`));
  expect(record.probes).toHaveLength(1);
  expect(record.probes[0]).toMatchObject({
    verdict: { proposal: 'release', min: 5, max: 5, readings: 120, coverage: 1, gaps: [], excursions: [] },
  });
  expect(record.legs[0]?.channels).toHaveLength(2);
  expect(record.legs[0]?.switches).toHaveLength(2);
  const { legs } = await routeOf(id);
  expect(legs).toHaveLength(1);
  const leg = legs[0] as TripRoute['legs'][number];
  expect(new Set(leg.latitude)).toEqual(new Set([31]));
  expect(leg.at.some((at) => at < MIDNIGHT - 5 * MIN)).toBe(true);
  expect(leg.at.some((at) => at > MIDNIGHT + 15 * MIN)).toBe(true);
  // The other truck had no goods: whatever it measured is of no concern.
  expect(JSON.stringify({ record, legs })).not.toMatch(/"(max|peak)":20|:40[,}]/);
});
