import type { AlarmPolicy, ChannelPolicy } from '@isotherm/contracts/alarm-policies';
import type { getAlarmCourse } from '@isotherm/contracts/alarms';
import type { Geofence } from '@isotherm/contracts/geofences';
import type { ResponseOf } from '@isotherm/contracts/route';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { expectDone } from '../../../testing/people.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';

/** From a position to the rules in force and their alarms. Of two processes on one database, one compiles what both request. */
const MIN = 60_000;
const WAIT_MS = 15_000;
const NUMBERS = ['76000001', '76000002', '76000003'] as const;
const DEPOT = { latitude: -30, longitude: 100 };
const now = Math.floor(Date.now() / MIN) * MIN;
let server: TestServer;
let other: TestServer;
let manager: Session;
let organizationId = 0;
let depot: Geofence;
let policy: AlarmPolicy;

beforeAll(async () => {
  server = await startTestServer({ environment: { ISOTHERM_ROLE: 'web,ingest' } });
  other = await startTestServer({
    databaseUrl: server.databaseUrl,
    environment: { ISOTHERM_ROLE: 'ingest,worker' },
  });
  manager = await server.logIn('demo.manager');
  await server.provision(
    manager,
    NUMBERS.map((number) => fridge(number)),
  );
  await server.pool.query(
    `update binding set valid_from = now() - interval '40 days' where valid_until = 'infinity'`,
  );
  organizationId = await one('select organization_id::int as id from device where number = $1', NUMBERS[0]);
  depot = expectDone(
    await server.call<Geofence>({
      method: 'POST',
      path: '/api/map/geofence',
      session: manager,
      json: { organizationId, name: 'Depot', shape: { kind: 'circle', centre: DEPOT, radiusM: 500 } },
    }),
  );
  await server.pool.query(
    `update geofence_version set valid_from = now() - interval '1 day' where geofence_id = $1`,
    [depot.id],
  );
  policy = expectDone(
    await server.call<AlarmPolicy>({
      method: 'POST',
      path: '/api/alarm/policy',
      session: manager,
      json: {
        organizationId,
        name: 'In the depot',
        definition: {
          conditions: [condition(10, 'inside'), condition(20, 'outside')],
          steps: [{ level: 1, triggerAfterMs: 0, limits: [] }],
        },
      },
    }),
  );
  for (const number of NUMBERS) {
    const id = await assetOf(number);
    expectDone(
      await server.call({
        method: 'POST',
        path: `/api/alarm/policy/${policy.id}/assignment`,
        session: manager,
        json: { kind: 'asset', id },
      }),
    );
    expectDone(
      await server.call({
        method: 'DELETE',
        path: `/api/alarm/policy/of-asset/${id}/own-rules`,
        session: manager,
        json: { reason: 'Policies' },
      }),
    );
  }
});
afterAll(async () => {
  await other.stop();
  await server.stop();
});

async function one(sql: string, value: unknown): Promise<number> {
  const { rows } = await server.pool.query<{ id: number }>(sql, [value]);
  return rows[0]?.id as number;
}
const assetOf = (number: string) => one('select id::int from asset where code = $1', `F-${number}`);
const condition = (high: number, side: 'inside' | 'outside') => ({
  quantity: 'temperature',
  low: null,
  high,
  recoveryMargin: 0,
  recoverAfterMs: 0,
  fence: { fenceId: depot.id, side },
});
const inside = (minutesAgo: number) => ({ at: now - minutesAgo * MIN, ...DEPOT });
const outside = (minutesAgo: number) => ({ ...inside(minutesAgo), latitude: DEPOT.latitude + 0.1 });
const send = async (number: string, body: object, by = server) =>
  expect((await by.ingest(number, TEST_KEY, body)).httpStatus).toBe(200);
const warm = (value: number) => ({
  readings: [{ channel: 'temperature-1', at: Date.now(), value }],
});

/** Waits until the limit of the policy in force for a device is this one. */
const inForce = (number: string, limit: number) =>
  vi.waitFor(async () => {
    const { rows } = await server.pool.query<{ limit: number }>(
      `select r.limit_value as "limit" from alarm_rule r join channel c on c.id = r.channel_id
         join device d on d.id = c.device_id
        where d.number = $1 and r.enabled and r.policy_rule_id is not null`,
      [number],
    );
    expect(rows.map((row) => row.limit)).toEqual([limit]);
  }, WAIT_MS);
const alarms = async (number: string) =>
  (
    await server.pool.query<{ id: number; limit: number; reason: string | null }>(
      `select a.id::float8 as id, a.limit_value as "limit", a.end_reason as reason from alarm a
         join channel c on c.id = a.channel_id join device d on d.id = c.device_id where d.number = $1 order by a.id`,
      [number],
    )
  ).rows;
/** Both processes judge positions by the fence: an asset visits it until they record it. */
const visits = (number: string, positions: object[], by: TestServer, limit: number) =>
  vi.waitFor(async () => {
    await send(number, { positions }, by);
    await inForce(number, limit);
  }, WAIT_MS);

it('an alarm inside a geofence ends as changed when the asset leaves it, and the rule outside applies', async () => {
  const [number] = NUMBERS;
  await inForce(number, 20);
  await visits(number, [outside(30), inside(20)], server, 10);
  await send(number, warm(15));
  const [alarm] = await alarms(number);
  expect(alarm).toMatchObject({ limit: 10, reason: null });
  const course = expectDone(
    await server.call<ResponseOf<typeof getAlarmCourse>>({
      path: `/api/alarm/${alarm?.id}/course`,
      session: manager,
    }),
  );
  expect(course.policy).toMatchObject({ id: policy.id, leg: null, fence: { side: 'inside', name: 'Depot' } });
  const states = async () =>
    expectDone(
      await server.call<ChannelPolicy[]>({
        path: `/api/alarm/policy/of-asset/${await assetOf(number)}`,
        session: manager,
      }),
    ).map(({ state }) => state);
  expect(await states()).toEqual(['applies']);
  // The other process learns that the asset left.
  await visits(number, [outside(10)], other, 20);
  expect(await alarms(number)).toMatchObject([{ limit: 10, reason: 'rule-changed' }]);
  await send(number, warm(15));
  expect(await alarms(number)).toHaveLength(1);
  await send(number, warm(25));
  expect(await alarms(number)).toMatchObject([{}, { limit: 20, reason: null }]);
});

it('positions that arrive late decide which rules apply from then on', async () => {
  const [, number] = NUMBERS;
  await inForce(number, 20);
  // The last position is outside, but within the margin: the asset has not left yet.
  const near = { ...inside(10), latitude: DEPOT.latitude + 530 / 111_195 };
  await visits(number, [inside(20), near], other, 10);
  // It had left before, and did not come back.
  await send(number, { positions: [outside(15)] }, server);
  await inForce(number, 20);
  // It came back in between.
  await send(number, { positions: [inside(12)] }, other);
  await inForce(number, 10);
});

it('a geofence that a policy names can be neither deleted nor withdrawn from the organisations below', async () => {
  const remove = () =>
    server.call({
      method: 'DELETE',
      path: `/api/map/geofence/${depot.id}`,
      session: manager,
      json: { reason: 'Closed' },
    });
  const edit = (shared: boolean, radiusM = 500) =>
    server.call({
      method: 'PUT',
      path: `/api/map/geofence/${depot.id}`,
      session: manager,
      json: { organizationId, name: 'Depot', shape: { kind: 'circle', centre: DEPOT, radiusM }, shared },
    });
  const refused = await remove();
  expect(refused.status).toBe('geofence.in_policies');
  expect(refused.message).toContain('In the depot');
  expect((await edit(false)).status).toBe('geofence.in_policies');
  expectDone(await edit(true, 600));
  expectDone(
    await server.call({
      method: 'DELETE',
      path: `/api/alarm/policy/${policy.id}`,
      session: manager,
      json: { reason: 'Done' },
    }),
  );
  expectDone(await edit(false));
  expectDone(await remove());
});
