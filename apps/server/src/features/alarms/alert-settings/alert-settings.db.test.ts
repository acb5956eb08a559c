import type { AlarmPolicy } from '@isotherm/contracts/alarm-policies';
import type { AlertSetting } from '@isotherm/contracts/alert-settings';
import type { BatchResult } from '@isotherm/contracts/batches';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectDone, people } from '../../../testing/people.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';

interface Listed {
  items: AlertSetting[];
  total: number;
  none: number;
  own: number;
  policy: number;
}

/** A refrigerator without rules, with temperature and humidity. */
function bare(number: string, organizationCode: string) {
  const { sensors, ...rest } = fridge(number, { organizationCode });
  const channels = [
    { indicator: 'temperature' as const, name: 'Air' },
    { indicator: 'humidity' as const, name: 'Humidity' },
  ];
  return { ...rest, sensors: sensors.map((sensor) => ({ ...sensor, channels })) };
}

let server: TestServer;
let manager: Session;
let hospital: Session;
let demo: number;
/** Ids of assets by the number of their device. */
const assets = new Map<string, number>();

const numbers = ['40000081', '40000082', '40000083', '40000084'] as const;
const [OWN, BARE, POLICY, BELOW] = numbers;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  const known = people(server, await server.logIn('demo.platform'));
  demo = await known.organizationId('DEMO');
  hospital = await server.logIn('demo.keeper');
  await server.provision(manager, [
    fridge(OWN, { organizationCode: 'DEMO' }),
    bare(BARE, 'DEMO'),
    bare(POLICY, 'DEMO'),
    bare(BELOW, 'DEMO-HOSPITAL'),
  ]);
  for (const number of numbers) {
    const { rows } = await server.pool.query<{ asset_id: string }>(
      'select asset_id from device where number = $1',
      [number],
    );
    assets.set(number, Number(rows[0]?.asset_id));
  }
});
afterAll(() => server.stop());

const assetOf = (number: string) => assets.get(number) ?? 0;
const list = async (query: Record<string, string> = {}, session = manager) =>
  expectDone(await server.call<Listed>({ path: '/api/alarm/alert-setting', query, session }));
const temperatureOf = async (number: string) =>
  (await list({ assetId: String(assetOf(number)), quantity: 'temperature' })).items[0] as AlertSetting;
const post = <T = BatchResult>(path: string, json: object, session = manager) =>
  server.call<T>({ method: 'POST', path: `/api/alarm/alert-setting${path}`, json, session });

/** Registers a device without rules on a new asset, and returns the asset. */
async function provisioned(number: string): Promise<number> {
  await server.provision(manager, [bare(number, 'DEMO')]);
  const { rows } = await server.pool.query<{ asset_id: string }>(
    'select asset_id from device where number = $1',
    [number],
  );
  return Number(rows[0]?.asset_id);
}

let made = 0;
async function policy(high: number): Promise<AlarmPolicy> {
  const definition = {
    conditions: [{ quantity: 'temperature', low: 2, high, recoveryMargin: 0, recoverAfterMs: 0 }],
    steps: [{ level: 2, triggerAfterMs: 60_000, limits: [] }],
    limitIsOutside: false,
  };
  return expectDone(
    await server.call<AlarmPolicy>({
      method: 'POST',
      path: '/api/alarm/policy',
      json: { organizationId: demo, name: `Limits ${++made}`, definition },
      session: manager,
    }),
  );
}

test('each channel is listed with its rules and their source, and channels without limits are counted', async () => {
  const all = await list();
  expect(all.total).toBe(all.none + all.own + all.policy);
  expect(await temperatureOf(OWN)).toMatchObject({ source: 'own', policies: [] });
  expect((await temperatureOf(OWN)).rules.length).toBeGreaterThan(0);
  expect(await temperatureOf(BARE)).toMatchObject({ source: 'none', rules: [] });
  const none = await list({ source: 'none', search: BARE });
  expect(none.total).toBe(none.none);
  expect(none.items.every(({ source }) => source === 'none')).toBe(true);
});

test('a policy is assigned to several assets, and the winning assignment is shown', async () => {
  const { id, name } = await policy(8);
  const targets = [
    { kind: 'asset', id: assetOf(BARE) },
    { kind: 'asset', id: assetOf(OWN) },
  ];
  expect(expectDone(await post('/assign', { policyId: id, targets }))).toMatchObject({ success: 2, fail: 0 });
  const bare = await temperatureOf(BARE);
  expect(bare).toMatchObject({
    source: 'policy',
    policies: [{ id, name, target: { kind: 'asset', name: bare.assetName } }],
  });
  expect(bare.rules.map(({ limitValue }) => limitValue).sort()).toEqual([2, 8]);
  expect((await temperatureOf(OWN)).source).toBe('own');
  const listed = await list({ policyId: String(id) });
  expect(listed.items.map(({ assetId }) => assetId)).toEqual([assetOf(BARE)]);
});

test('with the own rules ended, the policy applies, and a failure is reported by its target', async () => {
  const { id } = await policy(7);
  const answer = expectDone(
    await post('/assign', {
      policyId: id,
      targets: [
        { kind: 'asset', id: assetOf(OWN) },
        { kind: 'asset', id: 999_999 },
      ],
      endOwn: true,
    }),
  );
  expect(answer).toMatchObject({ success: 1, fail: 1, failures: [{ id: 999_999 }] });
  const now = await temperatureOf(OWN);
  expect(now.source).toBe('policy');
  expect(now.policies.map((each) => each.id)).toContain(id);
});

test('settings are copied with the policies and direct rules of an asset, and sensors and devices are counted', async () => {
  await server.pool.query(
    `insert into alarm_rule (channel_id, kind, level, limit_value, recovery_margin, trigger_after_ms, recover_after_ms)
     select id, 'high', 1, 70, 1, 0, 0 from channel where asset_id = $1 and indicator = 'humidity'`,
    [assetOf(BARE)],
  );
  const copied = expectDone(
    await post<BatchResult & { sensors: number; devices: number }>(`/of-asset/${assetOf(BARE)}/copy`, {
      assetIds: [assetOf(POLICY), assetOf(BELOW)],
      reason: 'Same vaccine',
    }),
  );
  expect(copied).toMatchObject({ success: 2, fail: 0, devices: 2 });
  expect(copied.sensors).toBeGreaterThanOrEqual(2);
  const from = await temperatureOf(BARE);
  for (const number of [POLICY, BELOW]) {
    const to = await temperatureOf(number);
    expect(to.policies.map(({ id, target }) => [id, target.kind])).toEqual(
      from.policies.map(({ id }) => [id, 'asset']),
    );
    const { items } = await list({ assetId: String(assetOf(number)), quantity: 'humidity' });
    expect(items.every(({ source }) => source === 'own')).toBe(true);
    expect(items[0]?.rules).toMatchObject([{ kind: 'high', level: 1, limitValue: 70, triggerAfterMs: 0 }]);
  }
  const { rows } = await server.pool.query(
    `select count(*)::int as count from audit_entry where action = 'copy-settings'`,
  );
  expect(rows[0]?.count).toBe(2);
});

test('copied rules raise alarms, and a copy ends an alarm that only a replaced rule holds', async () => {
  await server.ingest(POLICY, TEST_KEY, {
    readings: [{ channel: 'humidity-1', at: Date.now(), value: 90 }],
  });
  const newest = async () => {
    const { rows } = await server.pool.query(
      'select ended_at, end_reason from alarm where asset_id = $1 order by id desc limit 1',
      [assetOf(POLICY)],
    );
    return rows[0];
  };
  expect(await newest()).toMatchObject({ ended_at: null });
  const other = await provisioned('40000086');
  const { id } = await policy(9);
  expectDone(await post('/assign', { policyId: id, targets: [{ kind: 'asset', id: other }] }));
  expectDone(await post(`/of-asset/${other}/copy`, { assetIds: [assetOf(POLICY)], reason: 'Test' }));
  expect(await newest()).toMatchObject({ end_reason: 'rule-changed' });
});

test('an asset without rules and one outside the scope are refused', async () => {
  const empty = await provisioned('40000085');
  const copy = (id: number) => post(`/of-asset/${id}/copy`, { assetIds: [assetOf(BARE)], reason: 'x' });
  expect((await copy(empty)).status).toBe('alert_settings.nothing');
  expect((await copy(999_999)).status).toBe('asset.not_found');
  const seen = await list({}, hospital);
  expect(seen.items.every(({ organizationId }) => organizationId !== demo)).toBe(true);
});
