import type { Geofence, GeofenceEvent, listFenceOutlines } from '@isotherm/contracts/geofences';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { FenceShape } from '@isotherm/domain/geo/fence';
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest';
import { createLog } from '../../../platform/log.ts';
import { expectDone } from '../../../testing/people.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';
import { sealClosedDays } from '../../telemetry/seal.ts';
import { recordDueDwells } from './judging.repo.ts';

interface Page<T> {
  items: T[];
  total: number;
}

const MIN = 60_000;
const DAY = 24 * 60 * MIN;
const NUMBERS = Array.from({ length: 33 }, (_, index) => String(74_000_001 + index));
let server: TestServer;
/** Another process on the same database. */
let other: TestServer;
let manager: Session;
let keeper: Session;
let hospital = 0;
const now = Math.floor(Date.now() / MIN) * MIN;
/** Kilometres east of a depot in the sea, far from the places of the demo. */
const DEPOT = { latitude: -10, longitude: 179.98 };
const depot: FenceShape = { kind: 'circle', centre: DEPOT, radiusM: 500 };
const at = (minutesAgo: number, metresEast: number) => {
  const longitude = DEPOT.longitude + metresEast / (111_195 * Math.cos((10 * Math.PI) / 180));
  return {
    at: now - minutesAgo * MIN,
    latitude: DEPOT.latitude,
    longitude: longitude > 180 ? longitude - 360 : longitude,
  };
};

beforeAll(async () => {
  server = await startTestServer();
  other = await startTestServer({ databaseUrl: server.databaseUrl });
  manager = await server.logIn('demo.manager');
  keeper = await server.logIn('demo.keeper');
  await server.provision(
    manager,
    NUMBERS.map((number) => fridge(number)),
  );
  await server.pool.query(
    `update binding set valid_from = now() - interval '40 days' where valid_until = 'infinity'`,
  );
  const { rows } = await server.pool.query<{ id: number }>(
    `select organization_id::int as id from device where number = $1`,
    [NUMBERS[0]],
  );
  hospital = rows[0]?.id as number;
});
afterAll(async () => {
  await other.stop();
  await server.stop();
});

const assetOf = async (number: string): Promise<number> => {
  const { rows } = await server.pool.query<{ id: number }>('select id::int from asset where code = $1', [
    `F-${number}`,
  ]);
  return rows[0]?.id as number;
};
const send = async (number: string, positions: object[], by = server) =>
  expect((await by.ingest(number, TEST_KEY, { positions })).httpStatus).toBe(200);
const form = (name: string, more: object = {}) => ({ organizationId: hospital, name, shape: depot, ...more });
const create = async (json: object, session = manager) =>
  server.call<Geofence>({ method: 'POST', path: '/api/map/geofence', session, json });
const edit = (id: number, json: object, session = manager) =>
  server.call<Geofence>({ method: 'PUT', path: `/api/map/geofence/${id}`, session, json });
const remove = (id: number, session = manager) =>
  server.call({ method: 'DELETE', path: `/api/map/geofence/${id}`, session, json: { reason: 'Closed' } });
const list = async (query: Record<string, string> = {}, session = manager) =>
  expectDone(await server.call<Page<Geofence>>({ path: '/api/map/geofence', query, session })).items;

/** A fence that exists since two hours ago. */
async function old(name: string, more: object = {}): Promise<Geofence> {
  const fence = await oldUnheard(form(name, more));
  await heard(fence.id);
  return fence;
}

/** The same, but the processes may not judge by it yet. */
async function oldUnheard(json: object, session = manager): Promise<Geofence> {
  const fence = expectDone(await create(json, session));
  await server.pool.query(`update geofence_version set valid_from = $2 where geofence_id = $1`, [
    fence.id,
    new Date(now - 120 * MIN),
  ]);
  return fence;
}

let visits = 0;
/** Waits until both processes judge by the present versions of a fence: an asset visits it until they tell so. */
async function heard(geofenceId: number): Promise<void> {
  const number = NUMBERS[29] as string;
  const assetId = await assetOf(number);
  for (const by of [server, other]) {
    const minute = 119 - 2 * ++visits;
    await vi.waitFor(async () => {
      await send(number, [at(minute, -1_500), at(minute - 0.5, 100), at(minute - 1, -1_500)], by);
      const events = await eventsOf(assetId, geofenceId);
      expect(events.some((event) => Date.parse(event.at) === now - (minute - 0.5) * MIN)).toBe(true);
    });
  }
}
const eventsOf = async (assetId: number, geofenceId: number, session = manager) => {
  const answer = await server.call<Page<GeofenceEvent>>({
    path: '/api/map/geofence/event',
    query: { assetId: String(assetId), geofenceId: String(geofenceId), order: 'asc' },
    session,
  });
  return expectDone(answer).items;
};
const told = (events: readonly GeofenceEvent[]) =>
  events.map(({ kind, at: when, until }) => {
    const ago = (moment: string) => Math.round((now - Date.parse(moment)) / MIN);
    return `${kind} ${ago(when)}${until === null ? '' : ` to ${ago(until)}`}`;
  });

describe('records', () => {
  it('a geofence is created, changed with a new version, and deleted; its events stay', async () => {
    const made = expectDone(await create(form('Records')));
    expect(made).toMatchObject({
      name: 'Records',
      shape: depot,
      marginM: 50,
      version: 1,
      inside: 0,
      editable: true,
    });
    expect((await create(form('records'))).status).toBe('geofence.taken');
    const renamed = expectDone(await edit(made.id, form('Renamed', { note: 'Gate 3' })));
    expect(renamed).toMatchObject({ name: 'Renamed', version: 1 });
    const wider = expectDone(await edit(made.id, form('Renamed', { shape: { ...depot, radiusM: 900 } })));
    expect(wider).toMatchObject({ version: 2, shape: { radiusM: 900 } });
    expect((await remove(made.id)).status).toBe('1');
    expect((await remove(made.id)).status).toBe('geofence.not_found');
    expectDone(await create(form('Renamed')));
    const { rows } = await server.pool.query(
      `select action, before->>'shape' as before, after->>'shape' as after from audit_entry
        where object_kind = 'geofence' and object_id = $1 order by seq`,
      [String(made.id)],
    );
    expect(rows.map(({ action }) => action)).toEqual(['create', 'change', 'change', 'delete']);
    expect(rows[2]).toMatchObject({ before: 'circle 500 -10,179.98', after: 'circle 900 -10,179.98' });
  });

  it.each<[string, object]>([
    [
      'crossing edges',
      {
        kind: 'polygon',
        ring: [
          [0, 0],
          [1, 1],
          [0, 1],
          [1.5, 0],
        ].map(([latitude, longitude]) => ({ latitude, longitude })),
      },
    ],
    [
      'too many corners',
      { kind: 'polygon', ring: Array.from({ length: 600 }, (_, n) => ({ latitude: n / 10, longitude: 0 })) },
    ],
    ['a radius of nothing', { ...depot, radiusM: 0 }],
    ['another kind', { kind: 'star' }],
  ])('a shape that is none is refused: %s', async (_, shape) => {
    expect((await create(form('None', { shape }))).status).toBe('request.invalid');
  });

  it('other organisations neither see nor change it; organisations below see what is shared', async () => {
    const { rows } = await server.pool.query<{ id: number }>(
      `select id::int from organization where path = '/1/'`,
    );
    const platform = await server.logIn('demo.platform');
    const top = rows[0]?.id as number;
    const shared = expectDone(await create({ ...form('Shared'), organizationId: top }, platform));
    const own = expectDone(await create({ ...form('Own'), organizationId: top, shared: false }, platform));
    const names = (await list()).map(({ name }) => name);
    expect(names).toContain('Shared');
    expect(names).not.toContain('Own');
    expect((await list({ search: 'shared' }))[0]).toMatchObject({ editable: false });
    expect((await edit(shared.id, { ...form('Mine'), organizationId: top })).status).toBe(
      'geofence.not_found',
    );
    expect((await remove(own.id)).status).toBe('geofence.not_found');
    expect((await create({ ...form('Above'), organizationId: top })).status).toBe('organization.not_found');
    for (const { id } of [shared, own]) expectDone(await remove(id, platform));
  });
});

describe('events', () => {
  /** In and out, noise at the edge, a jump, a receiver without a fix, and a second visit. */
  const TRIP = [
    at(60, 3_000),
    at(58, 400),
    at(56, 530),
    at(54, 450),
    at(52, 900),
    at(50, 2_500),
    at(48, 900_000),
    { ...at(47, 0), latitude: 0, longitude: 0 },
    at(46, 2_400),
    at(44, 300),
    at(20, 200),
    at(18, 1_000),
  ];
  const TOLD = ['enter 58 to 52', 'leave 52', 'enter 44 to 18', 'dwell 29', 'leave 18'];

  test('an asset is judged at the fences of its organisation, and at those that the ones above share', async () => {
    const platform = await server.logIn('demo.platform');
    const { rows } = await server.pool.query<{ id: number }>(
      `select id::int from organization where path = '/1/'`,
    );
    const top = { organizationId: rows[0]?.id as number };
    const unshared = await oldUnheard({ ...form('Depot of the top'), ...top, shared: false }, platform);
    const own = await oldUnheard(form('Depot of the hospital', { shared: false }));
    const shared = await oldUnheard({ ...form('Shared depot'), ...top }, platform);
    await heard(shared.id);
    const number = NUMBERS[32] as string;
    await send(number, [at(30, 3_000), at(29, 100), at(28, 3_000)]);
    const assetId = await assetOf(number);
    const kinds = ['enter 29 to 28', 'leave 28'];
    expect(told(await eventsOf(assetId, shared.id, platform))).toEqual(kinds);
    expect(told(await eventsOf(assetId, own.id))).toEqual(kinds);
    expect(await eventsOf(assetId, unshared.id, platform)).toEqual([]);
    for (const { id } of [shared, unshared, own])
      expectDone(await remove(id, id === own.id ? manager : platform));
  });

  test('any order of arrival at two processes gives the same events', async () => {
    const fence = await old('Depot', { dwellMinutes: 15 });
    // A generator with a fixed seed (Lehmer), so that a failure can be repeated.
    let seed = 16;
    const random = (most: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % most;
    };
    await Promise.all(
      NUMBERS.slice(0, 20).map(async (number, trial) => {
        const left = [...TRIP, ...TRIP.slice(2, 5)];
        const shuffled = [...left];
        if (trial > 0)
          for (const place of left.keys()) shuffled.push(...shuffled.splice(random(left.length - place), 1));
        const batches: object[][] = [];
        while (shuffled.length > 0) batches.push(shuffled.splice(0, 1 + random(4)));
        for (const [turn, batch] of batches.entries())
          await send(number, batch, turn % 2 === 0 ? server : other);
        expect(told(await eventsOf(await assetOf(number), fence.id)), `trial ${trial}`).toEqual(TOLD);
      }),
    );
    expectDone(await remove(fence.id));
  });

  test('sealed positions count like others', async () => {
    const [sealed, open] = [NUMBERS[30] as string, NUMBERS[31] as string];
    const fence = await old('Long ago', { dwellMinutes: 24 * 60 });
    await server.pool.query('update geofence_version set valid_from = $2 where geofence_id = $1', [
      fence.id,
      new Date(now - 30 * DAY),
    ]);
    const ago = (days: number, minute: number, metres: number) => ({
      ...at(0, metres),
      at: now - days * DAY + minute * MIN,
    });
    await vi.waitFor(async () => {
      await send(NUMBERS[29] as string, [ago(20, visits++, -1_500), ago(20, visits++, 100)]);
      expect((await eventsOf(await assetOf(NUMBERS[29] as string), fence.id)).length).toBeGreaterThan(0);
    });
    const trip = [
      ...[0, 1, 2].map((minute) => ago(9, minute, 3_000)),
      ...[0, 1, 2].map((minute) => ago(8, minute, 100)),
      ...[0, 1, 2].map((minute) => ago(4, minute, 2_000)),
    ];
    for (const number of [sealed, open]) await send(number, trip);
    const seal = () =>
      sealClosedDays({
        pool: server.pool,
        owner: server.pool,
        clock: { now: Date.now },
        log: createLog('silent', false),
        sealAfterMs: 0,
      });
    // The second asset has the same positions, sent when none of them is sealed.
    const late = [ago(6, 0, 50), ago(8, -5, 2_900), ago(3, 0, 100)];
    for (const position of late) await send(open, [position]);
    const told = async (number: string) =>
      (await eventsOf(await assetOf(number), fence.id)).map(({ kind, at: when, until }) => [
        kind,
        when,
        until,
      ]);
    const expected = await told(open);
    expect(expected.map(([kind]) => kind)).toEqual(['enter', 'dwell', 'leave', 'enter', 'dwell']);
    for (const position of late) {
      await seal();
      await send(sealed, [position]);
    }
    const { rows } = await server.pool.query(
      'select count(*)::int as days from sealed_track t join device d on d.id = t.device_id where d.number = $1',
      [sealed],
    );
    expect(rows[0].days).toBeGreaterThan(2);
    expect(await told(sealed)).toEqual(expected);
    expectDone(await remove(fence.id));
  });

  test('two devices of one asset at two processes give each event once', async () => {
    const [one, two] = [NUMBERS[20] as string, NUMBERS[21] as string];
    const assetId = await assetOf(one);
    await server.pool.query(
      `update channel set asset_id = $2 where device_id = (select id from device where number = $1)`,
      [two, assetId],
    );
    await server.pool.query('update device set asset_id = $2 where number = $1', [two, assetId]);
    const fence = await old('Shared asset');
    const trip = [at(40, 3_000), at(39, 100), at(38, 90), at(37, 2_000)];
    for (const position of trip)
      await Promise.all([send(one, [position]), send(two, [{ ...position, latitude: -10.0005 }], other)]);
    expect(told(await eventsOf(assetId, fence.id))).toEqual(['enter 39 to 37', 'leave 37']);
    expectDone(await remove(fence.id));
  });

  test('a device that moved to another asset tells of each in its time', async () => {
    const number = NUMBERS[22] as string;
    const second = NUMBERS[23] as string;
    const [before, after] = [await assetOf(number), await assetOf(second)];
    await server.pool.query(
      `update binding set valid_until = $2 where device_id in (select id from device where number = any($1))`,
      [[number, second], new Date(now - 30 * MIN)],
    );
    await server.pool.query(
      `insert into binding (sensor_id, indicator, channel_id, device_id, valid_from)
       select b.sensor_id, b.indicator, c.id, b.device_id, $2
         from binding b join device d on d.id = b.device_id and d.number = $1
         join channel c on c.asset_id = $3 and c.indicator = b.indicator`,
      [number, new Date(now - 30 * MIN), after],
    );
    const fence = await old('Moved');
    await send(number, [at(25, 100), at(20, 3_000)]);
    await send(number, [at(40, 3_000), at(35, 100)]);
    expect(told(await eventsOf(before, fence.id))).toEqual(['enter 35']);
    expect(told(await eventsOf(after, fence.id))).toEqual(['found 25 to 20', 'leave 20']);
    expectDone(await remove(fence.id));
  });

  test('a stay becomes a dwell by its deadline if nothing more arrives, once for all processes', async () => {
    const number = NUMBERS[24] as string;
    const assetId = await assetOf(number);
    const fence = await old('Dwell', { dwellMinutes: 10 });
    await send(number, [at(6, 3_000), at(5, 100)]);
    expect(told(await eventsOf(assetId, fence.id))).toEqual(['enter 5']);
    expect((await list({ search: 'Dwell' }))[0]).toMatchObject({ inside: 1 });
    const later = new Date(now + 6 * MIN);
    await Promise.all([recordDueDwells(server.pool, later), recordDueDwells(other.pool, later)]);
    expect(told(await eventsOf(assetId, fence.id))).toEqual(['enter 5', 'dwell -5']);
    // A position that arrives late says that the asset was gone by then.
    await send(number, [at(3, 3_000)]);
    expect(told(await eventsOf(assetId, fence.id))).toEqual(['enter 5 to 3', 'leave 3']);
    expectDone(await remove(fence.id));
  });

  test('an edit does not rewrite history, and moves no asset', async () => {
    const number = NUMBERS[25] as string;
    const assetId = await assetOf(number);
    const fence = await old('Edited');
    await send(number, [at(30, 3_000), at(29, 100), at(28, 1_000)]);
    expectDone(await edit(fence.id, form('Edited', { shape: { ...depot, radiusM: 5_000 } })));
    // As if it had been edited 20 minutes ago.
    await server.pool.query(
      `update geofence_version set valid_until = case when valid_until < 'infinity' then $2 else valid_until end,
              valid_from = case when valid_until < 'infinity' then valid_from else $2 end
        where geofence_id = $1`,
      [fence.id, new Date(now - 20 * MIN)],
    );
    await vi.waitFor(async () => {
      await send(number, [at(10, 1_200)]);
      expect(told(await eventsOf(assetId, fence.id))).toEqual(['enter 29 to 28', 'leave 28', 'found 20']);
    });
    // A late position of the time before is judged by the shape of that time.
    await send(number, [at(25, 50), at(24, 1_500)]);
    expect(told(await eventsOf(assetId, fence.id))).toEqual([
      'enter 29 to 28',
      'leave 28',
      'enter 25 to 24',
      'leave 24',
      'found 20',
    ]);
    expectDone(await remove(fence.id));
  });

  test('positions after the expiry of a device are not judged', async () => {
    const number = NUMBERS[26] as string;
    const fence = await old('Expired');
    await server.pool.query('update device set expires_at = $2 where number = $1', [
      number,
      new Date(now - 15 * MIN),
    ]);
    await send(number, [at(20, 3_000), at(18, 100), at(10, 3_000)]);
    expect(told(await eventsOf(await assetOf(number), fence.id))).toEqual(['enter 18']);
    expectDone(await remove(fence.id));
  });

  test('leaving a corridor aside is told from its end', async () => {
    const number = NUMBERS[27] as string;
    const line = [at(0, 0), at(0, 20_000)].map(({ latitude, longitude }) => ({ latitude, longitude }));
    const fence = await old('Route', { shape: { kind: 'corridor', line, sideM: 300 } });
    await send(number, [
      at(40, 5_000),
      { ...at(35, 6_000), latitude: -10.01 },
      at(30, 7_000),
      at(20, 20_900),
    ]);
    expect(told(await eventsOf(await assetOf(number), fence.id))).toEqual([
      'found 40 to 35',
      'off-route 35',
      'enter 30 to 20',
      'leave 20',
    ]);
    expectDone(await remove(fence.id));
  });

  test('the events are exported and belong to the organisation of the asset', async () => {
    const number = NUMBERS[28] as string;
    const assetId = await assetOf(number);
    const fence = await old('Exported');
    await send(number, [at(30, 3_000), at(29, 100)]);
    const query = { assetId: String(assetId), geofenceId: String(fence.id) };
    const exported = expectDone(
      await server.call<{ rows: number }>({
        path: '/api/map/geofence/event/export',
        query,
        session: manager,
      }),
    );
    expect(exported.rows).toBe(1);
    const track = expectDone(
      await server.call<{ fenceEvents: { kind: string; name: string }[] }>({
        path: `/api/map/track/${assetId}`,
        query: { from: new Date(now - 60 * MIN).toISOString(), to: new Date(now).toISOString() },
        session: manager,
      }),
    );
    expect(track.fenceEvents).toContainEqual(expect.objectContaining({ kind: 'enter', name: 'Exported' }));
    await server.pool.query(
      `update asset set organization_id = (select id from organization where path = '/1/') where id = $1`,
      [assetId],
    );
    expect(await eventsOf(assetId, fence.id)).toEqual([]);
    await server.pool.query('update asset set organization_id = $2 where id = $1', [assetId, hospital]);
    expectDone(await remove(fence.id));
  });
});

describe('files', () => {
  const importing = (content: string, dryRun = false, session = manager) =>
    server.call<{
      success: number;
      fail: number;
      written: boolean;
      failures: { row: number; message: string }[];
    }>({
      method: 'POST',
      path: '/api/map/geofence/import',
      session,
      fields: {
        file: { name: 'fences.geojson', bytes: new TextEncoder().encode(content) },
        dryRun: String(dryRun),
        organizationId: String(hospital),
      },
    });
  const point = (name: string, radius: unknown = 500) => ({
    type: 'Feature',
    properties: { name, radius_m: radius },
    geometry: { type: 'Point', coordinates: [121, 31] },
  });
  const file = (...features: object[]) => JSON.stringify({ type: 'FeatureCollection', features });

  it('faults are reported by element, and the others are imported and exported again', async () => {
    const content = file(
      point('Import A'),
      point('import a'),
      point(''),
      point('Import B', 1),
      point('Import C'),
    );
    const checked = expectDone(await importing(content, true));
    expect(checked).toMatchObject({ success: 2, fail: 3, written: false });
    expect(checked.failures.map(({ row }) => row)).toEqual([2, 3, 4]);
    expect(expectDone(await importing(content))).toMatchObject({ success: 2, written: true });
    expect((await list({ search: 'import ' })).map(({ name }) => name)).toEqual(['Import A', 'Import C']);
    expect(expectDone(await importing(content))).toMatchObject({ success: 0, fail: 5, written: false });
    const exported = await server.call<string>({
      path: '/api/map/geofence/export',
      query: { search: 'import ' },
      session: manager,
    });
    const { features } = JSON.parse(expectDone(exported));
    expect(features.map((each: { properties: object }) => each.properties)).toMatchObject([
      { name: 'Import A', radius_m: 500 },
      { name: 'Import C', radius_m: 500 },
    ]);
    const outlines = expectDone(
      await server.call<ResponseOf<typeof listFenceOutlines>>({
        path: '/api/map/geofence/outline',
        session: manager,
      }),
    );
    expect(outlines.fences.map(({ name }) => name)).toContain('Import A');
  });

  it.each<[string, string, string]>([
    ['no GeoJSON', 'hello', 'geofence.file'],
    ['a bomb of features', file(...Array.from({ length: 1_001 }, () => point('x'))), 'import.too_many_rows'],
  ])('%s is refused', async (_, content, status) => {
    expect((await importing(content)).status).toBe(status);
  });

  it('who may not import is refused', async () => {
    expect((await importing(file(), true, keeper)).status).toBe('permission.denied');
  });
});
