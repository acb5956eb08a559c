import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Geofence } from '@isotherm/contracts/geofences';
import type { Shipment } from '@isotherm/contracts/waybill-links';
import type { ArrivalView, WaybillDetail } from '@isotherm/contracts/waybills';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { boundFridges } from '../../../testing/bound-fridges.ts';
import { expectDone } from '../../../testing/people.ts';
import { type Session, startTestServer, TEST_KEY, type TestServer } from '../../../testing/test-server.ts';

const MIN = 60_000;
const HOUR = 60 * MIN;
const NUMBERS = ['79000001', '79000002', '79000003', '79000004'] as const;
const [MOVING, STANDING, SILENT, STALE] = NUMBERS;
const now = Math.floor(Date.now() / MIN) * MIN;
/** On the equator, so that a degree is about 111 km in both directions. */
const DEGREE_KM = 111.195;
let server: TestServer;
let router: Server;
let manager: Session;
let organizationId = 0;
let assets = new Map<string, number>();
/** What the routing service answers, and what it was asked. */
const routing: { answer: () => { status: number; body: string }; asked: string[] } = {
  answer: () => ({ status: 500, body: '' }),
  asked: [],
};
let far: Geofence;
let near: Geofence;

beforeAll(async () => {
  router = createServer((request, response) => {
    routing.asked.push(request.url ?? '');
    const { status, body } = routing.answer();
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((ready) => router.listen(0, '127.0.0.1', ready));
  const url = `http://127.0.0.1:${(router.address() as AddressInfo).port}`;
  server = await startTestServer({ environment: { ISOTHERM_ROUTING_URL: url } });
  manager = await server.logIn('demo.manager');
  ({ assets, organizationId } = await boundFridges(server, manager, NUMBERS));
  // 60 km/h to the east for an hour, until now; 10 °C.
  const minutes = Array.from({ length: 61 }, (_, i) => 60 - i);
  const send = (number: string, longitudeAt: (minute: number) => number, ago = 0) =>
    server.ingest(number, TEST_KEY, {
      readings: minutes.map((minute) => ({
        channel: 'temperature-1',
        at: now - (ago + minute) * MIN,
        value: 10,
      })),
      positions: minutes.map((minute) => ({
        at: now - (ago + minute) * MIN,
        latitude: 0,
        longitude: longitudeAt(minute),
      })),
    });
  await send(MOVING, (minute) => 10 - minute / DEGREE_KM);
  await send(STANDING, () => 10);
  await send(STALE, (minute) => 10 - minute / DEGREE_KM, 45);
  near = await makeFence('Near', 10 + 30 / DEGREE_KM);
  far = await makeFence('Far', 10 + 90 / DEGREE_KM);
});
afterAll(async () => {
  await server?.stop();
  await new Promise((closed) => router.close(closed));
});
beforeEach(() => {
  routing.asked.splice(0);
  routing.answer = () => ({ status: 400, body: '{"code":"NoRoute"}' });
});

const call = <T>(method: 'GET' | 'POST', path: string, json?: object) =>
  server.call<T>({ method, path: `/api${path}`, session: manager, ...(json ? { json } : {}) });
async function makeFence(name: string, longitude: number): Promise<Geofence> {
  const shape = { kind: 'circle', centre: { latitude: 0, longitude }, radiusM: 500 };
  return expectDone(await call<Geofence>('POST', '/map/geofence', { organizationId, name, shape }));
}
const moment = (minutesAgo: number) => new Date(now - minutesAgo * MIN).toISOString();
async function shipped(number: string, changes: object): Promise<WaybillDetail> {
  const made = expectDone(
    await call<WaybillDetail>('POST', '/waybill', {
      organizationId,
      number: `ETA-${randomUUID().slice(0, 8)}`,
      consignorUnit: 'Warehouse',
      consigneeUnit: 'Hospital',
      assetId: assets.get(number),
      plannedDepartureAt: moment(60),
      temperatureLow: 2,
      temperatureHigh: 8,
      ...changes,
    }),
  );
  const at = moment(60);
  return expectDone(await call('POST', `/waybill/${made.id}/depart`, { at, assetId: assets.get(number) }));
}
const arrival = async ({ id }: { id: number }) =>
  expectDone(await call<ArrivalView>('GET', `/waybill/${id}/arrival`));

it('without a route, the arrival follows from the straight line, the route so far and the mean speed', async () => {
  const waybill = await shipped(MOVING, { arrivalFenceIds: [far.id] });
  const { at, ...found } = await arrival(waybill);
  expect(found).toMatchObject({
    state: 'known',
    by: 'straight-line',
    stopsBefore: 0,
    positionAt: moment(0),
    isLate: false,
  });
  expect(found.distanceM).toBeCloseTo(90_000, -3);
  // 90 km at 60 km/h without a detour, from the last position.
  expect((Date.parse(at ?? '') - now) / MIN).toBeCloseTo(90, 0);
  // Nothing of the budget is allowed at 10 °C.
  expect(found.forecast).toMatchObject({ temperatureC: 10, lasts: false });
});

it('a late arrival is marked, and the consignee is told before the planned delivery', async () => {
  const consigneeEmail = `eta-${randomUUID().slice(0, 8)}@hospital.example`;
  const waybill = await shipped(MOVING, {
    arrivalFenceIds: [far.id],
    plannedDeliveryAt: moment(-30),
    consigneeEmail,
  });
  expect(await arrival(waybill)).toMatchObject({ isLate: true });
  await server.pool.query(`select graphile_worker.add_job('waybill-notices')`);
  await vi.waitFor(
    async () => {
      const { notices } = expectDone(await call<WaybillDetail>('GET', `/waybill/${waybill.id}`));
      expect(notices).toContainEqual(expect.objectContaining({ kind: 'delay', about: moment(-30) }));
      expect(notices.find(({ kind }) => kind === 'delay')?.expectedAt).not.toBeNull();
    },
    { timeout: 20_000, interval: 200 },
  );
});

it('earlier stops of the tour are on the route, and the stability budget is forecast', async () => {
  const profile = expectDone(
    await call<{ id: number }>('POST', '/waybill/profile', {
      organizationId,
      name: 'Vaccine',
      code: `ETA-${randomUUID().slice(0, 6)}`,
      temperatureLow: 2,
      temperatureHigh: 8,
      budget: [{ low: 8, high: 25, hours: 4 }],
    }),
  );
  const tour = `T-${randomUUID().slice(0, 8)}`;
  const changes = { tour, profileId: profile.id, temperatureLow: null, temperatureHigh: null };
  const first = await shipped(MOVING, { ...changes, stop: 1, arrivalFenceIds: [near.id] });
  const second = await shipped(MOVING, { ...changes, stop: 2, arrivalFenceIds: [far.id] });
  const [one, two] = [await arrival(first), await arrival(second)];
  expect((Date.parse(one.at ?? '') - now) / MIN).toBeCloseTo(30, 0);
  expect(two.stopsBefore).toBe(1);
  expect((Date.parse(two.at ?? '') - now) / MIN).toBeCloseTo(90 + 15, 0);
  expect(two.forecast?.lasts).toBe(true);
  // An hour was used so far.
  expect((Date.parse(two.forecast?.lastsUntil ?? '') - now) / HOUR).toBeCloseTo(3, 0);
  expect((two.forecast?.bands[0]?.usedMs ?? 0) / HOUR).toBeCloseTo(2.75, 1);
});

it('the configured routing service is asked for the route on roads, once for some minutes', async () => {
  routing.answer = () => ({
    status: 200,
    body: JSON.stringify({ code: 'Ok', routes: [{ distance: 120_000, duration: 7_200 }] }),
  });
  // Another destination than in the other tests, whose routes are not known.
  const elsewhere = await makeFence(`Elsewhere ${randomUUID().slice(0, 4)}`, 11);
  const waybill = await shipped(MOVING, { arrivalFenceIds: [elsewhere.id] });
  for (let i = 0; i < 3; i++) {
    const { by, distanceM, at } = await arrival(waybill);
    expect({ by, distanceM }).toEqual({ by: 'route', distanceM: 120_000 });
    expect((Date.parse(at ?? '') - now) / MIN).toBeCloseTo(120, 0);
  }
  expect(routing.asked).toEqual(['/route/v1/driving/10.000,0.000;11.000,0.000?overview=false']);
});

it.each([
  ['an error', () => ({ status: 500, body: 'broken' })],
  ['nonsense', () => ({ status: 200, body: '{"code":"Ok","routes":[{"distance":"far"}]}' })],
])('if the routing service answers with %s, the straight line is used', async (_, answer) => {
  routing.answer = answer;
  const waybill = await shipped(MOVING, { arrivalFenceIds: [near.id] });
  expect(await arrival(waybill)).toMatchObject({ state: 'known', by: 'straight-line' });
});

it.each([
  ['without an arrival fence', MOVING, false, 'no-destination'],
  ['if the vehicle stands', STANDING, true, 'standing'],
  ['without a position', SILENT, true, 'no-position'],
  ['if the last position is old', STALE, true, 'stale-position'],
])('the arrival is not known %s', async (_, number, hasFence, state) => {
  const waybill = await shipped(number, { arrivalFenceIds: hasFence ? [far.id] : [] });
  expect(await arrival(waybill)).toMatchObject({ state, at: null, forecast: null });
});

it('a shipment that has ended has no arrival, and a public link shows that of one under way', async () => {
  const waybill = await shipped(MOVING, { arrivalFenceIds: [far.id] });
  const { token } = expectDone(
    await call<{ token: string }>('POST', `/waybill/${waybill.id}/link`, { days: 7 }),
  );
  const shown = () => server.call<Shipment>({ method: 'POST', path: '/api/link/shipment', json: { token } });
  expect(expectDone(await shown()).arrival).toMatchObject({ state: 'known', by: 'straight-line' });
  const json = { at: moment(0), person: 'Zhang Min' };
  expectDone(await call('POST', `/waybill/${waybill.id}/deliver`, json));
  expect(await arrival(waybill)).toMatchObject({ state: 'not-under-way', at: null });
  expect(expectDone(await shown()).arrival).toBeNull();
});

it('a list asks for the arrivals of its shipments at once; those that are not under way are left out', async () => {
  const moving = await shipped(MOVING, { arrivalFenceIds: [far.id], plannedDeliveryAt: moment(-10) });
  const standing = await shipped(STANDING, { arrivalFenceIds: [far.id] });
  const ended = await shipped(MOVING, { arrivalFenceIds: [far.id] });
  expectDone(await call('POST', `/waybill/${ended.id}/deliver`, { at: moment(0), person: 'Nurse' }));
  const list = (ids: string) =>
    server.call<{ id: number }[]>({ path: '/api/waybill/arrival', query: { ids }, session: manager });
  const found = expectDone(await list([standing.id, moving.id, ended.id, 999_999].join()));
  expect(found).toMatchObject([
    { id: standing.id, state: 'standing', at: null, isLate: false },
    { id: moving.id, state: 'known', isLate: true },
  ]);
  expect((await list('1,x')).status).toBe('request.invalid');
});
