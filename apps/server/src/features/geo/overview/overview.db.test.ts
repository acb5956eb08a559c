import type { getMapOverview, listTripExcursions } from '@isotherm/contracts/map-overview';
import type { ResponseOf } from '@isotherm/contracts/route';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Db } from '../../../platform/db/pool.ts';
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
import { listTripExcursions as readTripExcursions } from './overview.repo.ts';

const MIN = 60_000;
const DAY = 24 * 60 * MIN;
const NUMBERS = ['76000001', '76000002'] as const;
let server: TestServer;
let manager: Session;
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
});
afterAll(() => server.stop());

const assetOf = async (number: string): Promise<number> => {
  const { rows } = await server.pool.query<{ id: number }>('select id::int from asset where code = $1', [
    `F-${number}`,
  ]);
  return rows[0]?.id as number;
};
const send = (number: string, body: object) => server.ingest(number, TEST_KEY, body);
const overview = (days: number, more: Record<string, string> = {}) =>
  server.call<ResponseOf<typeof getMapOverview>>({
    path: '/api/map/overview',
    query: { from: new Date(now - days * DAY).toISOString(), to: new Date(now + MIN).toISOString(), ...more },
    session: manager,
  });

const tripExcursions = (id: number) =>
  server.call<ResponseOf<typeof listTripExcursions>>({
    path: `/api/map/overview/trip/${id}`,
    session: manager,
  });

/** An alarm of the temperature that began at this time; 30 minutes long. */
async function excursion(number: string, at: number): Promise<number> {
  const { rows } = await server.pool.query<{ id: number }>(
    `insert into alarm (channel_id, rule_id, asset_id, organization_id, kind, level, peak_level, state, since, raised_at, ended_at,
                        end_reason, trigger_after_ms, late, recorded_at, limit_value)
     select c.id, 0, s.id, s.organization_id, 'high', 4, 4, 'ended', $2, $2, $2::timestamptz + interval '30 minutes', 'recovered', 0,
            false, $2, 8
       from device d join asset s on s.id = d.asset_id join channel c on c.device_id = d.id and c.indicator = 'temperature'
      where d.number = $1 order by c.id limit 1 returning id::int`,
    [number, new Date(at)],
  );
  return rows[0]?.id as number;
}

test('an excursion is where the asset was when it began, whether its positions are sealed or not', async () => {
  const [number] = NUMBERS;
  const positions = [5 * DAY, 30 * MIN].flatMap((ago) => [
    { at: now - ago - 20 * MIN, latitude: 31 + ago / DAY, longitude: 121.1 },
    { at: now - ago - 10 * MIN, latitude: 32 + ago / DAY, longitude: 121.2 },
    { at: now - ago + 10 * MIN, latitude: 33 + ago / DAY, longitude: 121.3 },
  ]);
  await send(number, { positions });
  const old = await excursion(number, now - 5 * DAY);
  const fresh = await excursion(number, now - 30 * MIN);
  const lost = await excursion(number, now - 2 * DAY);
  const seen = async () => {
    const { excursions } = expectDone(await overview(30));
    return [old, fresh, lost].map((id) => excursions.find((each) => each.id === id)?.place);
  };
  const expected = [
    { latitude: 37, longitude: 121.2 },
    { latitude: expect.closeTo(32.02083, 4), longitude: 121.2 },
    null,
  ];
  expect(await seen()).toEqual(expected);
  await sealClosedDays({
    pool: server.pool,
    owner: server.pool,
    clock: { now: Date.now },
    log: createLog('silent', false),
    sealAfterMs: 0,
  });
  const { rows } = await server.pool.query('select count(*)::int as days from sealed_track');
  expect(rows[0].days).toBeGreaterThan(0);
  expect(await seen()).toEqual(expected);
});

test('a fixed asset is at the place that was entered for it', async () => {
  const id = await excursion(NUMBERS[1], now - 3 * DAY);
  await server.pool.query('update asset set latitude = 30.5, longitude = 120.5 where id = $1', [
    await assetOf(NUMBERS[1]),
  ]);
  const { excursions } = expectDone(await overview(30));
  expect(excursions.find((each) => each.id === id)?.place).toEqual({ latitude: 30.5, longitude: 120.5 });
});

test('lanes have their trips, and which of them had an excursion while the asset carried the goods', async () => {
  const assetId = await assetOf(NUMBERS[0]);
  const trip = (name: string, from: number, to: number | null) =>
    server.pool.query(
      `with made as (
         insert into waybill (organization_id, number, state, consignor_unit, consignee_unit, asset_id, planned_departure_at, limits,
                              departed_at, ended_at, changed_by, changed_at)
         select organization_id, $2, case when $4::timestamptz is null then 'in-transport' else 'arrived' end, 'Depot', 'Clinic',
                id, $3, '{}', $3, $4, 'test', now() from asset where id = $1 returning id)
       insert into waybill_leg (waybill_id, position, asset_id, started_at, ended_at)
       select id, 1, $1, $3, $4 from made`,
      [assetId, name, new Date(from), to === null ? null : new Date(to)],
    );
  await trip('BAD', now - 5 * DAY - 10 * MIN, now - 5 * DAY + 10 * MIN);
  await trip('GOOD', now - 4 * DAY, now - 4 * DAY + 10 * MIN);
  await trip('OPEN', now - 5 * MIN, null);
  const { lanes } = expectDone(await overview(30));
  const lane = lanes.find(({ from, to }) => from === 'Depot' && to === 'Clinic');
  expect(lane?.trips.map(({ number, excursions }) => [number, excursions])).toEqual([
    ['OPEN', 1],
    ['GOOD', 0],
    ['BAD', 1],
  ]);
  expect(expectDone(await overview(2)).lanes.flatMap(({ trips }) => trips)).toHaveLength(1);
  // The list of a trip has as many excursions as the lane counts.
  const { excursions } = expectDone(await overview(30));
  for (const { id, number, excursions: count } of lane?.trips ?? []) {
    const trip = expectDone(await tripExcursions(id));
    expect([trip.number, trip.excursions.length]).toEqual([number, count]);
    for (const each of trip.excursions) expect(excursions).toContainEqual(each);
  }
});

test('the excursions of a trip are found by its assets, and not among the alarms of all', async () => {
  const { rows } = await server.pool.query<{ id: number }>(
    'select waybill_id::int as id from waybill_leg order by started_at limit 1',
  );
  // Alarms of a thousand other assets, as in a large fleet; they are not kept.
  const client = await server.pool.connect();
  try {
    await client.query('begin');
    await client.query(
      `insert into alarm (channel_id, rule_id, asset_id, organization_id, kind, level, peak_level, state, since, raised_at, ended_at,
                          end_reason, trigger_after_ms, late, recorded_at, limit_value)
       select a.channel_id, -1, 1000000 + n % 1000, a.organization_id, a.kind, a.level, a.peak_level, a.state, t, t, t + interval '1 s',
              a.end_reason, 0, false, t, 8
         from (select * from alarm order by id limit 1) a,
              (select n, now() - n * interval '1 minute' as t from generate_series(1, 20000) n) times`,
    );
    await client.query('analyze alarm');
    const explaining = {
      query: (text: string, values: unknown[]) => client.query(`explain (format json) ${text}`, values),
    } as unknown as Db;
    const plan = JSON.stringify(await readTripExcursions(explaining, rows[0]?.id as number, 10));
    const reads = [...plan.matchAll(/"Node Type":"([^"]+)"[^{}]*?"Relation Name":"alarm"/g)].map(
      ([, node]) => node,
    );
    expect(reads).not.toEqual([]);
    expect(reads).not.toContain('Seq Scan');
    expect(plan).toMatch(/"Index Cond":"\(asset_id = [^"]*\)"/);
  } finally {
    await client.query('rollback');
    client.release();
  }
});

test('the excursions of a trip of another organisation are not found', async () => {
  const { rows } = await server.pool.query<{ id: number }>(
    `with away as (insert into organization (parent_id, code, name, level, path)
                   select id, 'AWAY', 'Away', 'unit', path || '9995/' from organization where path = '/1/' returning id),
          truck as (insert into asset (organization_id, kind, code, name) select id, 'vehicle', 'AWAY-1', 'AWAY-1' from away returning id)
     insert into waybill (organization_id, number, state, consignor_unit, consignee_unit, asset_id, planned_departure_at, limits,
                          changed_by, changed_at)
     select away.id, 'AWAY', 'not-shipped', 'A', 'B', truck.id, now(), '{}', 'test', now() from away, truck returning id::int`,
  );
  for (const id of [rows[0]?.id as number, 999_999])
    expect((await tripExcursions(id)).status).toBe('waybill.not_found');
});

test('one organisation has its own excursions and lanes, and those of other organisations are not found', async () => {
  const { rows } = await server.pool.query<{ own: string; below: string; far: string }>(
    `with own as (select o.id, o.path from organization o join asset a on a.organization_id = o.id where a.id = $1),
          below as (insert into organization (parent_id, code, name, level, path)
                    select id, 'BELOW', 'Below', 'unit', path || '9997/' from own returning id),
          far as (insert into organization (parent_id, code, name, level, path)
                  select id, 'FAR', 'Far', 'unit', path || '9996/' from organization where path = '/1/' returning id)
     select (select id from own)::text as own, (select id from below)::text as below, (select id from far)::text as far`,
    [await assetOf(NUMBERS[0])],
  );
  const [{ own, below, far }] = rows as [(typeof rows)[number]];
  const whole = expectDone(await overview(30, { organizationId: own }));
  expect([whole.totalExcursions, whole.totalTrips]).toEqual([4, 3]);
  const none = expectDone(await overview(30, { organizationId: below }));
  expect([none.totalExcursions, none.totalTrips]).toEqual([0, 0]);
  expect((await overview(30, { organizationId: far })).status).toBe('organization.not_found');
});

test('a period that is empty or too long is refused', async () => {
  expect((await overview(93)).status).toBe('overview.range');
  expect((await overview(-2)).status).toBe('overview.range');
});
