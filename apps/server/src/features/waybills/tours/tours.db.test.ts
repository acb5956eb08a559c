import { randomUUID } from 'node:crypto';
import type { ImportReport } from '@isotherm/contracts/batches';
import type { ListedTrip, Trip } from '@isotherm/contracts/waybill-trips';
import type { TripRecord, WaybillDetail } from '@isotherm/contracts/waybills';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeBook } from '../../../platform/sheets/sheets.ts';
import { expectDone, type People, people } from '../../../testing/people.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';

const MIN = 60_000;
const NUMBERS = ['78000001', '78000002'] as const;
const now = Math.floor(Date.now() / MIN) * MIN;
let server: TestServer;
let manager: Session;
let known: People;
let organizationId: number;
let assets: number[];

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  known = people(server, await server.logIn('demo.platform'));
  organizationId = await known.organizationId('DEMO');
  await server.provision(
    manager,
    NUMBERS.map((number) => fridge(number)),
  );
  await server.pool.query(
    `update binding set valid_from = now() - interval '40 days' where valid_until = 'infinity'`,
  );
  const { rows } = await server.pool.query<{ id: number }>(
    'select asset_id::int as id from device where number = any($1) order by number',
    [NUMBERS],
  );
  assets = rows.map(({ id }) => id);
  // The door of the first vehicle is open after the first delivery.
  await server.ingest(NUMBERS[0], TEST_KEY, {
    readings: Array.from({ length: 121 }, (_, i) => 120 - i).map((minute) => ({
      channel: 'temperature-1',
      at: now - minute * MIN,
      value: minute <= 50 && minute > 40 ? 14 : 5,
    })),
  });
});
afterAll(() => server.stop());

const ask = <T = WaybillDetail>(
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  json?: object,
  session = manager,
) => server.call<T>({ method, path: `/api/waybill${path}`, session, ...(json ? { json } : {}) });
const moment = (minutesAgo: number) => new Date(now - minutesAgo * MIN).toISOString();
const newTour = () => `T-${randomUUID().slice(0, 8)}`;
const form = (changes: object) => ({
  organizationId,
  number: `TW-${randomUUID().slice(0, 8)}`,
  consignorUnit: 'Warehouse',
  consigneeUnit: 'Hospital',
  assetId: assets[0],
  plannedDepartureAt: moment(110),
  temperatureLow: 2,
  temperatureHigh: 8,
  goods: [{ product: 'Vaccine', batch: '', quantity: 12, unit: 'boxes' }],
  ...changes,
});
const create = async (changes: object) => expectDone(await ask('POST', '', form(changes)));
const depart = async ({ id }: { id: number }) =>
  expectDone(await ask('POST', `/${id}/depart`, { at: moment(110), assetId: assets[0] }));
const detail = async ({ id }: { id: number }) => expectDone(await ask('GET', `/${id}`));

it('the waybills of a tour are delivered in order, each with the record of its own time on the vehicle', async () => {
  const tour = newTour();
  const second = await create({ tour, stop: 2 });
  const first = await create({ tour: tour.toLowerCase(), stop: 1 });
  for (const waybill of [first, second]) await depart(waybill);
  const stops = async () => (await detail(second)).stops?.stops.map(({ id, is }) => [id, is]);
  expect(await stops()).toEqual([
    [first.id, 'next'],
    [second.id, 'later'],
  ]);
  expectDone(await ask('POST', `/${first.id}/deliver`, { at: moment(60), person: 'Zhang Min' }));
  expect(await stops()).toEqual([
    [first.id, 'done'],
    [second.id, 'next'],
  ]);
  expectDone(await ask('POST', `/${second.id}/deliver`, { at: moment(20), person: 'Wu Jing' }));
  const records = await Promise.all(
    [first, second].map(async ({ id }) => expectDone(await ask<TripRecord>('GET', `/${id}/record`))),
  );
  expect(records.map(({ probes: [probe] }) => [probe?.verdict.proposal, probe?.verdict.outsideMs])).toEqual([
    ['release', 0],
    ['reject', 10 * MIN],
  ]);
  expect(records.map(({ from, to }) => [from, to])).toEqual([
    [now - 110 * MIN, now - 60 * MIN],
    [now - 110 * MIN, now - 20 * MIN],
  ]);
});

it('a tour whose number is used again has only its own stops, also before its departure', async () => {
  const tour = newTour();
  const yesterday = [await create({ tour, stop: 1 }), await create({ tour, stop: 2 })] as const;
  const stopsOf = async (waybill: { id: number }) =>
    (await detail(waybill)).stops?.stops.map(({ id, is }) => [id, is]);
  await depart(yesterday[0]);
  expectDone(await ask('POST', `/${yesterday[0].id}/deliver`, { at: moment(60), person: 'Zhang Min' }));
  // The second one should have departed before the first one ended, and did not.
  const done = [yesterday[0].id, 'done'];
  expect(await stopsOf(yesterday[1])).toEqual([done, [yesterday[1].id, 'next']]);
  await depart(yesterday[1]);
  expectDone(await ask('POST', `/${yesterday[1].id}/deliver`, { at: moment(30), person: 'Wu Jing' }));
  const today = await create({ tour, stop: 1, plannedDepartureAt: moment(-60) });
  expect(await stopsOf(today)).toEqual([[today.id, 'next']]);
  expect(await stopsOf(yesterday[0])).toEqual([done, [yesterday[1].id, 'done']]);
});

it('a stop that was delivered before the planned departure is still listed at the others', async () => {
  const tour = newTour();
  const planned = { tour, plannedDepartureAt: moment(30) };
  const waybills = [await create({ ...planned, stop: 1 }), await create({ ...planned, stop: 2 })] as const;
  await depart(waybills[0]);
  expectDone(await ask('POST', `/${waybills[0].id}/deliver`, { at: moment(60), person: 'Zhang Min' }));
  expect((await detail(waybills[1])).stops?.stops.map(({ id, is }) => [id, is])).toEqual([
    [waybills[0].id, 'done'],
    [waybills[1].id, 'next'],
  ]);
});

it('a part delivery is shown at its stop, on the phone as well', async () => {
  const tour = newTour();
  const waybills = [await create({ tour, stop: 1 }), await create({ tour, stop: 2 })] as const;
  for (const waybill of waybills) await depart(waybill);
  const [first, second] = waybills;
  const handover = {
    requestKey: randomUUID(),
    kind: 'deliver',
    ageMs: 0,
    givenBy: 'Liu Qiang',
    takenBy: 'Zhang Min',
    assetId: null,
    sealsIntact: true,
    undamaged: true,
    received: [{ product: 'Vaccine', batch: '', quantity: 12, unit: 'boxes', received: 9 }],
    remark: 'Three boxes follow',
    signature: { kind: 'typed' },
  };
  expectDone(
    await server.call({
      method: 'POST',
      path: `/api/waybill/trip/${first.id}/handover`,
      session: manager,
      fields: { handover: JSON.stringify(handover) },
    }),
  );
  const { stops } = expectDone(await ask<Trip>('GET', `/trip/${second.id}`));
  expect(stops).toMatchObject({
    number: tour,
    stops: [
      { id: first.id, is: 'done', isPart: true, state: 'arrived' },
      { id: second.id, is: 'next', isPart: false },
    ],
  });
});

it('a driver sees the stops that this account drives, in their order', async () => {
  const driver = await known.account(`tour.driver.${randomUUID().slice(0, 6)}`, 'driver', 'DEMO');
  const { rows } = await server.pool.query<{ id: number }>('select id from account where username = $1', [
    driver.username,
  ]);
  const driverId = rows[0]?.id;
  const tour = newTour();
  const late = await create({ tour, stop: 3, driverId, plannedDeliveryAt: moment(-10) });
  const alone = await create({ driverId, plannedDeliveryAt: moment(-20) });
  const early = await create({ tour, stop: 1, driverId, plannedDeliveryAt: moment(-30) });
  const other = await create({ tour, stop: 2 });
  const list = expectDone(await ask<ListedTrip[]>('GET', '/trip', undefined, driver));
  expect(list.map(({ id }) => id)).toEqual([early.id, late.id, alone.id]);
  const { stops } = expectDone(await ask<Trip>('GET', `/trip/${early.id}`, undefined, driver));
  expect(stops?.stops.map(({ id }) => id)).toEqual([early.id, late.id]);
  expect((await detail(early)).stops?.stops.map(({ id }) => id)).toEqual([early.id, other.id, late.id]);
});

it('a tour is on one vehicle, and belongs to one organisation', async () => {
  const tour = newTour();
  await create({ tour, stop: 1 });
  const elsewhere = await ask('POST', '', form({ tour, stop: 2, assetId: assets[1] }));
  expect(elsewhere).toMatchObject({ httpStatus: 409, status: 'waybill.tour_asset' });
  expect(elsewhere.message).toContain('Fridge 78000001');
  const hospital = await known.organizationId('DEMO-HOSPITAL');
  const foreign = await ask(
    'POST',
    '',
    form({ tour, stop: 1, organizationId: hospital, assetId: assets[1] }),
  );
  expect(foreign.data.stops?.stops ?? []).not.toContainEqual(expect.objectContaining({ stop: 2 }));
  expect(await ask('POST', '', form({ stop: 1 }))).toMatchObject({ status: 'request.invalid' });
  const alone = await create({});
  expect(alone.stops).toBeNull();
  // A waybill may be moved to another vehicle with its tour if it is the only one.
  const single = newTour();
  const { id } = await create({ tour: single, stop: 1 });
  const moved = form({ tour: single, stop: 1, assetId: assets[1] });
  expectDone(await ask('PUT', `/${id}`, { waybill: moved }));
});

it('tours are imported, and a row on another vehicle than its tour is reported', async () => {
  const tour = newTour();
  const head = [
    'Number',
    'Organisation',
    'Asset type',
    'Asset',
    'Planned departure',
    'Consignor',
    'Consignee',
    'Lowest temperature',
    'Highest temperature',
    'Tour',
    'Stop',
  ];
  const row = (number: string, asset: string, stop: string) => [
    number,
    'DEMO',
    'Refrigerator',
    asset,
    '2027-12-25 08:30',
    'Warehouse',
    'Hospital',
    '2',
    '8',
    tour,
    stop,
  ];
  const bytes = await writeBook('test', {
    name: 'Waybills',
    rows: [
      head,
      row(`I-${tour}-1`, 'F-78000001', '1'),
      row(`I-${tour}-2`, 'F-78000001', '2'),
      row(`I-${tour}-3`, 'F-78000002', '3'),
    ],
    widths: head.map(() => 14),
  });
  const report = expectDone(
    await server.call<ImportReport>({
      method: 'POST',
      path: '/api/waybill/import',
      session: manager,
      fields: { file: { name: 'waybills.xlsx', bytes }, dryRun: 'false' },
    }),
  );
  expect(report).toMatchObject({ success: 2, fail: 1 });
  expect(JSON.stringify(report)).toContain('The tour of this row is on another vehicle.');
});
