import type { getTrack } from '@isotherm/contracts/maps';
import type { ResponseOf } from '@isotherm/contracts/route';
import type {
  listSharedReplays,
  shareReplay,
  viewReplayEvents,
  viewSharedReplay,
} from '@isotherm/contracts/shared-replays';
import type { getCurve } from '@isotherm/contracts/telemetry';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { boundFridges } from '../../../testing/bound-fridges.ts';
import { expectDone } from '../../../testing/people.ts';
import { type Session, startTestServer, TEST_KEY, type TestServer } from '../../../testing/test-server.ts';

const MIN = 60_000;
const NUMBERS = ['73100001', '73100002', '73100003'] as const;
const now = Math.floor(Date.now() / MIN) * MIN;
/** An hour, of which the devices have sent some minutes before and after. */
const [FROM, TO] = [now - 90 * MIN, now - 30 * MIN];
let server: TestServer;
let manager: Session;
let hospital: number;
let first: number;
let second: number;
let unshared: number;
/** Temperature channels by asset. */
const channels = new Map<number, number>();

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  const { assets, organizationId } = await boundFridges(server, manager, NUMBERS);
  hospital = organizationId;
  [first, second, unshared] = NUMBERS.map((number) => assets.get(number)) as [number, number, number];
  const { rows } = await server.pool.query<{ asset: number; id: number }>(
    `select asset_id::int as asset, id::int from channel where asset_id = any($1) and indicator = 'temperature'`,
    [[first, second, unshared]],
  );
  for (const { asset, id } of rows) channels.set(asset, id);
  for (const [index, number] of NUMBERS.entries()) {
    const positions = [95, 85, 80, 75, 25].map((minutes) => ({
      at: now - minutes * MIN,
      latitude: 31 + index + (95 - minutes) / 1_000,
      longitude: 121.4,
      speedKmh: 60,
    }));
    expect((await server.ingest(number, TEST_KEY, { positions })).httpStatus).toBe(200);
  }
  await server.pool.query(
    `insert into reading (channel_id, delay_s, measured_at, value)
     select c, 0, to_timestamp($2::float8 / 1000) + n * interval '1 minute', 4 + n / 100.0
       from unnest($1::bigint[]) c, generate_series(0, 118) n`,
    [[...channels.values()], now - 120 * MIN],
  );
});
afterAll(() => server.stop());

const isoRange = (from = FROM, to = TO) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
});
const share = (json: object = {}, session = manager) =>
  server.call<ResponseOf<typeof shareReplay>>({
    method: 'POST',
    path: '/api/map/replay',
    session,
    json: {
      name: 'Morning run',
      assetIds: [first, second],
      channelIds: [channels.get(first)],
      speed: 300,
      skipsStops: false,
      ...isoRange(),
      ...json,
    },
  });
const shared = async (json: object = {}) => expectDone(await share(json));
const list = async () =>
  expectDone(
    await server.call<ResponseOf<typeof listSharedReplays>>({ path: '/api/map/replay', session: manager }),
  );
const revoke = (id: number) =>
  server.call({ method: 'DELETE', path: `/api/map/replay/${id}`, session: manager });
const view = (token: string) =>
  server.call<ResponseOf<typeof viewSharedReplay>>({
    method: 'POST',
    path: '/api/link/replay',
    json: { token },
  });
const track = (token: string, assetId: number) =>
  server.call<ResponseOf<typeof getTrack>>({
    method: 'POST',
    path: '/api/link/replay/track',
    json: { token, assetId },
  });
const curve = (token: string, part: object = {}) =>
  server.call<ResponseOf<typeof getCurve>>({
    method: 'POST',
    path: '/api/link/replay/curve',
    json: { token, points: 800, ...part },
  });
const events = (token: string, assetId: number) =>
  server.call<ResponseOf<typeof viewReplayEvents>>({
    method: 'POST',
    path: '/api/link/replay/event',
    json: { token, assetId },
  });
/** Answers of all four calls of a link. */
const answers = async (token: string) => [
  (await view(token)).status,
  (await track(token, first)).status,
  (await events(token, first)).status,
  (await curve(token)).status,
];
const all = (status: string) => [status, status, status, status];
async function move(assetId: number, organizationId: number): Promise<void> {
  await server.pool.query('update asset set organization_id = $2 where id = $1', [assetId, organizationId]);
}

test('a link shows the tracks, the chart and the view of this replay without login', async () => {
  const { token, replays } = await shared();
  expect(token).toMatch(/^[\w-]{22}$/);
  expect(replays[0]).toMatchObject({ name: 'Morning run', assets: 2, lastOpenedAt: null, ...isoRange() });
  expect(expectDone(await view(token))).toEqual({
    name: 'Morning run',
    speed: 300,
    skipsStops: false,
    assetIds: [first, second],
    missing: 0,
    hasChart: true,
    ...isoRange(),
  });
  expect(expectDone(await track(token, first)).at).toEqual(
    [85, 80, 75].map((minutes) => now - minutes * MIN),
  );
  expect(expectDone(await track(token, second)).latitude[0]).toBeCloseTo(32.01, 5);
  const { series } = expectDone(await curve(token));
  expect(series.map(({ channelId, sources }) => [channelId, sources])).toEqual([[channels.get(first), []]]);
  const at = series[0]?.at ?? [];
  expect(at.length).toBeGreaterThan(50);
  expect([Math.min(...at) >= FROM, Math.max(...at) <= TO]).toEqual([true, true]);
  const [seen] = await list();
  expect(seen?.lastOpenedAt).not.toBeNull();
  expect(JSON.stringify(seen)).not.toContain(token);
});

test('a part of the chart is inside the range, whatever is asked for', async () => {
  const { token } = await shared();
  const part = expectDone(await curve(token, isoRange(FROM - 60 * MIN, FROM + 10 * MIN)));
  expect([part.from, part.to]).toEqual(Object.values(isoRange(FROM, FROM + 10 * MIN)));
  const whole = expectDone(await curve(token, isoRange(0, now + 60 * MIN)));
  expect([whole.from, whole.to]).toEqual(Object.values(isoRange()));
  expect((await curve(token, isoRange(0, FROM - MIN))).status).toBe('curve.range');
});

test('an alarm that ended after the range is shown as open', async () => {
  await server.pool.query(
    `insert into alarm (channel_id, rule_id, asset_id, organization_id, kind, subject, level, peak_level, state, since, raised_at,
                        limit_value, recovery_margin, trigger_after_ms, value, peak_value, peak_at, late, recorded_at, ended_at)
     select $1, 0, $2, $3, 'high', 'channel', 3, 3, 'ended', at, at, 8, 0.5, 0, 9, 10, at, false, now(), ends
       from (values ($4::timestamptz, $5::timestamptz), ($4, $6::timestamptz)) as times (at, ends)`,
    [
      channels.get(first),
      first,
      hospital,
      new Date(FROM + 10 * MIN),
      new Date(FROM + 20 * MIN),
      new Date(TO + 5 * MIN),
    ],
  );
  const { token } = await shared();
  const expected = [null, new Date(FROM + 20 * MIN).toISOString()];
  const ends = (alarms: { endedAt: string | null }[]) => alarms.map(({ endedAt }) => endedAt).sort();
  expect(ends(expectDone(await track(token, first)).alarms)).toEqual(expected.toSorted());
  expect(ends(expectDone(await curve(token)).alarms)).toEqual(expected.toSorted());
  await server.pool.query('delete from alarm where rule_id = 0');
});

test('a link shows nothing else of the organisation', async () => {
  const { token } = await shared();
  expect((await track(token, unshared)).status).toBe('asset.not_found');
  expect((await events(token, unshared)).status).toBe('asset.not_found');
  // Without channels there is no chart, although the asset has readings.
  const bare = await shared({ channelIds: [] });
  expect(expectDone(await view(bare.token)).hasChart).toBe(false);
  expect((await curve(bare.token)).status).toBe('channel.not_found');
});

test('a link shows door openings and excursions of the channels of its chart only', async () => {
  const { rows } = await server.pool.query<{ id: number; asset: number; name: string }>(
    `select id::int, asset_id::int as asset, name from channel where asset_id = any($1) and indicator = 'door'`,
    [[first, second]],
  );
  const door = rows.find(({ asset }) => asset === first)?.id as number;
  await server.pool.query(
    `insert into reading (channel_id, delay_s, measured_at, value)
     select id, 0, to_timestamp($2::float8 / 1000) + n * interval '1 minute', (n between 5 and 9)::int
       from unnest($1::bigint[]) id, generate_series(0, 20) n`,
    [rows.map(({ id }) => id), FROM],
  );
  const limit = (value: number) =>
    server.pool.query(`update alarm_rule set limit_value = $2 where kind = 'high' and channel_id = any($1)`, [
      [...channels.values()],
      value,
    ]);
  await limit(4.5);
  const shownBy = async (channelIds: (number | undefined)[], assetId = first) => {
    const { token } = await shared({ channelIds });
    const { doors, excursions, total } = expectDone(await events(token, assetId));
    return { doors: doors.length, excursions: excursions.length, total };
  };
  const temperature = channels.get(first);
  const none = { doors: 0, excursions: 0, total: 0 };
  expect(await shownBy([])).toEqual(none);
  expect(await shownBy([temperature])).toEqual({ doors: 0, excursions: 1, total: 1 });
  expect(await shownBy([door])).toEqual({ doors: 1, excursions: 0, total: 1 });
  expect(await shownBy([temperature, door])).toEqual({ doors: 1, excursions: 1, total: 2 });
  // The chart is that of the first asset.
  expect(await shownBy([temperature, door], second)).toEqual(none);
  await limit(8);
});

test('an asset that left the organisation is not shown any more, and again when it is back', async () => {
  const { token } = await shared();
  const { rows } = await server.pool.query<{ id: number }>(
    `insert into organization (parent_id, code, name, level, path)
     select id, 'ELSEWHERE', 'Elsewhere', 'unit', path || '9998/' from organization where path = '/1/' returning id::int`,
  );
  const elsewhere = rows[0]?.id as number;
  await move(first, elsewhere);
  expect(expectDone(await view(token))).toMatchObject({ assetIds: [second], missing: 1, hasChart: false });
  expect((await track(token, first)).status).toBe('asset.not_found');
  expect((await curve(token)).status).toBe('channel.not_found');
  expect(expectDone(await track(token, second)).at).toHaveLength(3);
  await move(second, elsewhere);
  expect(expectDone(await view(token))).toMatchObject({ assetIds: [], missing: 2 });
  await move(first, hospital);
  await move(second, hospital);
  expect(await answers(token)).toEqual(all('1'));
});

test('a channel that measures another asset now is not in the chart', async () => {
  const { token } = await shared();
  const channel = channels.get(first);
  await server.pool.query('update channel set asset_id = $2 where id = $1', [channel, unshared]);
  expect(expectDone(await view(token)).hasChart).toBe(false);
  expect((await curve(token)).status).toBe('channel.not_found');
  await server.pool.query('update channel set asset_id = $2 where id = $1', [channel, first]);
});

test('a revoked link shows nothing, and both steps are in the log', async () => {
  const { token, replays } = await shared({ name: 'Revoked' });
  const id = replays[0]?.id as number;
  expect(await answers(token)).toEqual(all('1'));
  expectDone(await revoke(id));
  expect(await answers(token)).toEqual(all('link.not_found'));
  expect((await revoke(id)).status).toBe('link.not_found');
  expect((await list()).some((each) => each.id === id)).toBe(false);
  const { rows } = await server.pool.query(
    `select action, after, before from audit_entry where object_kind = 'shared-replay' and object_name = 'Revoked' order by seq`,
  );
  expect(rows.map(({ action }) => action)).toEqual(['create', 'delete']);
  expect(rows[0].after).toMatchObject({ assets: [first, second], ...isoRange() });
  expect(JSON.stringify(rows)).not.toContain(token);
});

test('an expired, a guessed and another kind of link show nothing', async () => {
  const { token } = await shared({ name: 'Expired' });
  await server.pool.query(
    `update public_link set expires_at = now() where purpose = 'replay' and subject_id = (select max(id) from shared_replay)`,
  );
  expect(await answers(token)).toEqual(all('link.not_found'));
  expect(await answers('A'.repeat(22))).toEqual(all('link.not_found'));
  const screen = expectDone(
    await server.call<{ token: string }>({
      method: 'POST',
      path: '/api/map/car/screen',
      session: manager,
      json: { name: 'Screen' },
    }),
  );
  expect(await answers(screen.token)).toEqual(all('link.not_found'));
  const replay = await shared();
  for (const path of ['/api/link/cars', '/api/link/shipment', '/api/link/screen'])
    expect((await server.call({ method: 'POST', path, json: { token: replay.token } })).status).toBe(
      'link.not_found',
    );
});

test('a link answers a limited number of calls', async () => {
  const { token, replays } = await shared();
  await server.pool.query(
    `insert into login_failure (subject, failures, since) values ('replay:' || $1::bigint, 2000, now())`,
    [replays[0]?.id],
  );
  expect(await answers(token)).toEqual(all('request.too_many'));
});

test('events, which read many readings, have a limit of their own', async () => {
  const { token, replays } = await shared();
  await server.pool.query(
    `insert into login_failure (subject, failures, since) values ('replay-events:' || $1::bigint, 200, now())`,
    [replays[0]?.id],
  );
  expect(await answers(token)).toEqual(['1', '1', 'request.too_many', '1']);
});

test('only assets and channels of the own organisation, and ranges of a month, are shared', async () => {
  const platform = await server.logIn('demo.platform');
  const { rows } = await server.pool.query<{ id: number }>(
    `insert into asset (organization_id, kind, code, name)
     select id, 'vehicle', 'FOREIGN', 'FOREIGN' from organization where path = '/1/' returning id::int`,
  );
  const foreign = rows[0]?.id as number;
  expect((await share({ assetIds: [first, foreign] })).status).toBe('asset.not_found');
  expect((await share({ channelIds: [channels.get(second)] })).status).toBe('channel.not_found');
  expect((await share(isoRange(now - 32 * 24 * 60 * MIN, now))).status).toBe('curve.range');
  expect((await share(isoRange(now + 5 * MIN, now + 10 * MIN))).status).toBe('curve.range');
  expect((await share({ assetIds: [] })).status).toBe('request.invalid');
  // What the platform shares belongs to the platform: the hospital neither sees nor revokes it.
  const above = expectDone(await share({ name: 'Above' }, platform)).replays[0]?.id as number;
  expect((await list()).some(({ id }) => id === above)).toBe(false);
  expect((await revoke(above)).status).toBe('link.not_found');
});

test('a range that has not ended yet ends when the link is made', async () => {
  const { replays } = await shared(isoRange(FROM, now + 24 * 60 * MIN));
  expect(Date.parse(replays[0]?.to ?? '')).toBeLessThanOrEqual(Date.now());
});
