import {
  type CarScreen,
  type CarScreenView,
  type createCarScreen,
  type listCars,
  TRAIL_MS,
  type Trail,
} from '@isotherm/contracts/car-screens';
import type { ResponseOf } from '@isotherm/contracts/route';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { boundFridges } from '../../../testing/bound-fridges.ts';
import { expectDone, people } from '../../../testing/people.ts';
import { type Session, startTestServer, TEST_KEY, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
let manager: Session;
let hospital: number;
let other: number;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  const known = people(server, await server.logIn('demo.platform'));
  hospital = await known.organizationId('DEMO-HOSPITAL');
  const { rows } = await server.pool.query<{ id: number }>(
    `insert into organization (parent_id, code, name, level, path)
     select id, 'FAR', 'Far away', 'unit', path || '9999/' from organization where path = '/1/' returning id::int`,
  );
  other = rows[0]?.id as number;
});
afterAll(() => server.stop());

async function vehicle(name: string, organizationId = hospital, place: [number, number] | null = null) {
  const { rows } = await server.pool.query<{ id: number }>(
    `insert into asset (organization_id, kind, code, name, latitude, longitude)
     values ($1, 'vehicle', $2, $2, $3, $4) returning id::int`,
    [organizationId, name, place?.[0] ?? null, place?.[1] ?? null],
  );
  return rows[0]?.id as number;
}
const cars = async () =>
  expectDone(await server.call<ResponseOf<typeof listCars>>({ path: '/api/map/car', session: manager }));
const create = (json: object) =>
  server.call<ResponseOf<typeof createCarScreen>>({
    method: 'POST',
    path: '/api/map/car/screen',
    session: manager,
    json,
  });
const screens = async () =>
  expectDone(await server.call<CarScreen[]>({ path: '/api/map/car/screen', session: manager }));
const revoke = (id: number) =>
  server.call<CarScreen[]>({ method: 'DELETE', path: `/api/map/car/screen/${id}`, session: manager });
const view = (token: string) =>
  server.call<CarScreenView>({ method: 'POST', path: '/api/link/cars', json: { token } });

test('vehicles are listed with and without a position, and not those of other organisations', async () => {
  const placed = await vehicle('Placed', hospital, [31.2, 121.4]);
  const lost = await vehicle('Lost');
  const far = await vehicle('Far', other);
  const { cars: found, total } = await cars();
  expect(found.find(({ id }) => id === placed)?.at).toMatchObject({ latitude: 31.2, measuredAt: null });
  expect(found.find(({ id }) => id === lost)?.at).toBeNull();
  expect(found.some(({ id }) => id === far)).toBe(false);
  expect(found.every(({ kind }) => kind === 'vehicle')).toBe(true);
  expect(total).toBe(found.length);
});

test('a link shows the chosen vehicles without login, until it is revoked', async () => {
  const id = await vehicle('Chosen', hospital, [31.2, 121.4]);
  const { token, screens: open } = expectDone(
    await create({ name: 'Dispatch', assetIds: [id, id], intervalS: 30, days: 1 }),
  );
  expect(token).toMatch(/^[\w-]{22}$/);
  expect(open[0]).toMatchObject({ name: 'Dispatch', vehicles: 1, intervalS: 30, lastOpenedAt: null });
  const { data } = await view(token);
  expect(data).toMatchObject({ name: 'Dispatch', intervalS: 30 });
  expect(data.cars.map(({ name }) => name)).toEqual(['Chosen']);
  const [seen] = await screens();
  expect(seen?.lastOpenedAt).not.toBeNull();
  expect(JSON.stringify(seen)).not.toContain(token);
  expectDone(await revoke(seen?.id as number));
  expect((await view(token)).status).toBe('link.not_found');
  expect((await revoke(seen?.id as number)).status).toBe('link.not_found');
  const { rows } = await server.pool.query(
    `select action from audit_entry where object_kind = 'car-screen' and object_name = 'Dispatch' order by seq`,
  );
  expect(rows.map(({ action }) => action)).toEqual(['create', 'delete']);
});

test('without a choice, a link shows the vehicles that the organisation has when it is read', async () => {
  const { token } = expectDone(await create({ name: 'All' }));
  const later = await vehicle('Later');
  const { data } = await view(token);
  expect(data.cars.map(({ id }) => id)).toContain(later);
  await server.pool.query(`update asset set organization_id = $2 where id = $1`, [later, other]);
  expect((await view(token)).data.cars.map(({ id }) => id)).not.toContain(later);
});

test('an expired, another or a guessed token shows nothing', async () => {
  const { token, screens: open } = expectDone(await create({ name: 'Expiring' }));
  await server.pool.query(`update public_link set expires_at = now() - interval '1 s' where id = $1`, [
    open[0]?.linkId,
  ]);
  expect((await view(token)).status).toBe('link.not_found');
  expect((await view('AAAAAAAAAAAAAAAAAAAAAA')).status).toBe('link.not_found');
  expect((await server.call({ method: 'POST', path: '/api/link/shipment', json: { token } })).status).toBe(
    'link.not_found',
  );
});

test('vehicles of other organisations and other assets are not shared', async () => {
  const { rows } = await server.pool.query<{ id: number }>(
    `insert into asset (organization_id, kind, code, name) values ($1, 'refrigerator', 'NO-CAR', 'NO-CAR') returning id::int`,
    [hospital],
  );
  for (const id of [await vehicle('Foreign', other), rows[0]?.id as number])
    expect((await create({ name: 'Foreign', assetIds: [id] })).status).toBe('asset.not_found');
});

const MIN = 60_000;
const now = Math.floor(Date.now() / MIN) * MIN;
const ago = (...minutes: number[]) => minutes.map((each) => now - each * MIN);
const trail = (token: string, assetId: number, toleranceM = 0) =>
  server.call<Trail>({
    method: 'POST',
    path: '/api/link/cars/trail',
    json: { token, assetId, toleranceM },
  });
/** Sends a position for each of these minutes ago. */
async function drive(number: string, minutes: readonly number[]): Promise<void> {
  const positions = minutes.map((each) => ({
    at: now - each * MIN,
    latitude: 31 + (100 - each) / 100,
    longitude: 121.4,
  }));
  expect((await server.ingest(number, TEST_KEY, { positions })).httpStatus).toBe(200);
}

test('the trail of a vehicle is its way in the last hours, in lines that end where no positions came', async () => {
  const [id, foreign, still] = await trucks('74000001', '74000002', '74000003');
  await server.pool.query('update asset set organization_id = $2 where id = $1', [foreign, other]);
  const minutes = [TRAIL_MS / MIN + 20, 90, 88, 86, 60, 58, 56];
  for (const number of ['74000001', '74000002']) await drive(number, minutes);
  const every = expectDone(await create({ name: 'Every' })).token;
  const chosen = expectDone(await create({ name: 'Chosen', assetIds: [still] })).token;

  const whole = expectDone(await trail(every, id));
  expect(whole.at).toEqual(ago(90, 88, 86, 60, 58, 56));
  expect(whole.lineEnds).toEqual([2, 5]);
  expect(whole.latitude[0]).toBe(31.1);
  expect(Object.keys(whole).sort()).toEqual(['at', 'latitude', 'lineEnds', 'longitude']);
  expect(expectDone(await trail(every, id, 100)).at).toEqual(ago(90, 86, 60, 56));
  expect(expectDone(await trail(chosen, still)).at).toEqual([]);

  for (const [token, assetId] of [
    [chosen, id],
    [every, foreign],
    [every, 999_999],
  ] as const)
    expect((await trail(token, assetId)).status).toBe('asset.not_found');
  expect((await trail('A'.repeat(22), id)).status).toBe('link.not_found');
  expect((await trail(every, id, 10_001)).status).toBe('request.invalid');
});

test('the trail of a vehicle ends when its device expires', async () => {
  const [id] = await trucks('74000004');
  await drive('74000004', [40, 35, 30, 25]);
  const { token } = expectDone(await create({ name: 'Expiring device', assetIds: [id] }));
  const expire = (at: Date | null) =>
    server.pool.query(`update device set expires_at = $1 where number = '74000004'`, [at]);
  await expire(new Date(now - 32 * MIN));
  expect(expectDone(await trail(token, id)).at).toEqual(ago(40, 35));
  await expire(new Date(now - TRAIL_MS - MIN));
  expect(expectDone(await trail(token, id)).at).toEqual([]);
  await expire(null);
  expect(expectDone(await trail(token, id)).at).toEqual(ago(40, 35, 30, 25));
});

test('a device that was moved to another vehicle is in the trail of each in its time', async () => {
  const [before, after] = await trucks('74000005', '74000006');
  await drive('74000005', [40, 35, 30, 25]);
  const moved = new Date(now - 32 * MIN);
  await server.pool.query(
    `update binding set valid_until = $1
      where device_id in (select id from device where number in ('74000005', '74000006'))`,
    [moved],
  );
  await server.pool.query(
    `insert into binding (sensor_id, indicator, channel_id, device_id, valid_from)
     select b.sensor_id, b.indicator, c.id, b.device_id, $1
       from binding b join device d on d.id = b.device_id and d.number = '74000005'
       join channel c on c.asset_id = $2 and c.indicator = b.indicator`,
    [moved, after],
  );
  const { token } = expectDone(await create({ name: 'Moved device', assetIds: [before, after] }));
  expect(expectDone(await trail(token, before)).at).toEqual(ago(40, 35));
  expect(expectDone(await trail(token, after)).at).toEqual(ago(30, 25));
});

test('a deleted vehicle has no trail, and neither has one out of service', async () => {
  const [id] = await trucks('74000007');
  await drive('74000007', [40, 35]);
  const tokens = [
    expectDone(await create({ name: 'Chosen of the deleted', assetIds: [id] })).token,
    expectDone(await create({ name: 'All of the deleted' })).token,
  ];
  const statuses = async () =>
    (await Promise.all(tokens.map((token) => trail(token, id)))).map((each) => each.status);
  expect(await statuses()).toEqual(['1', '1']);
  await server.pool.query(`update asset set status = 'scrapped' where id = $1`, [id]);
  expect(await statuses()).toEqual(['asset.not_found', 'asset.not_found']);
  await server.pool.query(`update asset set status = 'normal', deleted_at = now() where id = $1`, [id]);
  expect(await statuses()).toEqual(['asset.not_found', 'asset.not_found']);
});

test('a revoked and an expired link show no trail', async () => {
  const [id] = await trucks('74000008');
  await drive('74000008', [40, 35]);
  const revoked = expectDone(await create({ name: 'Revoked trail', assetIds: [id] }));
  const expired = expectDone(await create({ name: 'Expired trail', assetIds: [id] }));
  for (const { token } of [revoked, expired]) expectDone(await trail(token, id));
  expectDone(await revoke(revoked.screens[0]?.id as number));
  await server.pool.query('update public_link set expires_at = now() where id = $1', [
    expired.screens[0]?.linkId,
  ]);
  for (const { token } of [revoked, expired]) expect((await trail(token, id)).status).toBe('link.not_found');
});

test('a vehicle that joined the organisation an hour ago is shown with its way before that, and not where it came from', async () => {
  const [id] = await trucks('74000009');
  await drive('74000009', [90, 85, 30, 25]);
  const { token } = expectDone(await create({ name: 'Joined' }));
  const belongTo = (organizationId: number) =>
    server.pool.query('update asset set organization_id = $2 where id = $1', [id, organizationId]);
  await belongTo(other);
  expect((await trail(token, id)).status).toBe('asset.not_found');
  // The organisation of an asset is that of its whole history: there is no time from which it counts.
  await belongTo(hospital);
  expect(expectDone(await trail(token, id)).at).toEqual(ago(90, 85, 30, 25));
});

/** Vehicles with devices that were bound long ago. */
async function trucks<Numbers extends readonly string[]>(
  ...numbers: Numbers
): Promise<{ [Index in keyof Numbers]: number }> {
  const { assets } = await boundFridges(server, manager, numbers);
  const ids = numbers.map((number) => assets.get(number) as number);
  await server.pool.query(`update asset set kind = 'vehicle', organization_id = $2 where id = any($1)`, [
    ids,
    hospital,
  ]);
  return ids as { [Index in keyof Numbers]: number };
}
