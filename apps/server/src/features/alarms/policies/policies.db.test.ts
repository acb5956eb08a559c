import type { AssignmentTarget, PolicyInput } from '@isotherm/contracts/alarm-policies';
import type { PolicyCondition, PolicyStep } from '@isotherm/domain/alarms/graded-policy';
import { OTHER_MAX_AGE_MS } from '@isotherm/domain/alarms/policy-signal';
import { createTestDatabase } from '@isotherm/testkit/test-database';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AuditEvent } from '../../../platform/audit/audit.ts';
import { createInvalidations } from '../../../platform/cache/invalidations.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { type AlarmBench, startAlarmBench } from '../../../testing/alarm-bench.ts';
import { createRuleBook } from '../rule-book.ts';
import { createCompiler } from './compile.ts';
import { createPoliciesService, type PoliciesService } from './policies.service.ts';

const MIN = 60_000;
const clock = { now: () => Date.now() };
let bench: AlarmBench;
let policies: PoliciesService;
let compile: () => Promise<void>;
let organizationId: number;
const logged: AuditEvent[] = [];

/** Creates the compiler of one process. */
const newCompiler = (pool = bench.pool) =>
  createCompiler(pool, createRuleBook(createInvalidations(true)), clock, () => undefined);

beforeAll(async () => {
  bench = await startAlarmBench(await createTestDatabase());
  const compiler = newCompiler();
  compile = compiler.compile;
  const record = async (_tx: unknown, _caller: unknown, ...events: AuditEvent[]) =>
    void logged.push(...events);
  policies = createPoliciesService(bench.pool, { record }, clock, compiler, { mac: (_, text) => text });
  organizationId = (await one<{ id: number }>('select id from organization')).id;
});
afterAll(() => bench.stop());
beforeEach(async () => {
  await bench.pool.query('update alarm_assignment set valid_until = now() where valid_until is null');
  await compile();
});

async function one<T extends object>(text: string, values: unknown[] = []): Promise<T> {
  const { rows } = await bench.pool.query<T>(text, values);
  return rows[0] as T;
}

type Definition = PolicyInput['definition'];

const step = (
  level: PolicyStep['level'] = 1,
  triggerAfterMs = 0,
  high?: number,
): Definition['steps'][number] => ({
  level,
  triggerAfterMs,
  limits: high === undefined ? [] : [{ quantity: 'temperature', low: null, high }],
});
const above = (high: number, quantity: PolicyCondition['quantity'] = 'temperature'): PolicyCondition => ({
  quantity,
  low: null,
  high,
  recoveryMargin: 0,
  recoverAfterMs: 0,
});
const of = (conditions: PolicyCondition[], steps: Definition['steps'] = [step()]): Definition => ({
  conditions,
  steps,
  limitIsOutside: false,
});
const offline = of(
  [{ quantity: 'contact', low: null, high: null, recoveryMargin: 0, recoverAfterMs: 0 }],
  [step(2, 10 * MIN)],
);

const caller = { username: 'test', scope: '/', accountId: 1 } as unknown as Caller;
let names = 0;
async function create(definition: Definition): Promise<number> {
  const name = `Policy ${++names}`;
  const made = await policies.create(caller, {
    organizationId,
    name,
    description: '',
    enabled: true,
    definition,
  });
  return made.id;
}
async function edit(id: number, definition: Definition, enabled = true): Promise<void> {
  const { version, name } = await policies.get(caller, id);
  await policies.edit(caller, id, version, { name, description: '', enabled, definition });
}
const assign = (
  id: number,
  kind: AssignmentTarget['kind'],
  target: number,
  assetKind?: AssignmentTarget['assetKind'],
) => policies.assign(caller, id, { kind, id: target, assetKind: assetKind ?? null });

/** Returns the rules in force of these channels. */
async function inForce(...channelIds: number[]) {
  const { rows } = await bench.pool.query<{
    id: number;
    channel_id: number;
    kind: string;
    limit_value: number;
  }>(
    `select id, channel_id, kind, subject, limit_value from alarm_rule
      where channel_id = any($1) and enabled order by channel_id, id`,
    [channelIds],
  );
  return rows;
}

async function channel(): Promise<number> {
  return (await bench.channel({ versions: [] })).channelId;
}

test('a policy that is assigned to an organisation becomes rules of its channels, and readings are evaluated with them', async () => {
  const [a, b] = [await channel(), await channel()];
  const policy = await create(of([above(8), above(60, 'humidity')]));
  expect(await inForce(a, b)).toEqual([]);
  await assign(policy, 'organization', organizationId);
  expect(await inForce(a, b)).toMatchObject([
    { channel_id: a, kind: 'high', limit_value: 8 },
    { channel_id: b, kind: 'high', limit_value: 8 },
  ]);
  await bench.send(a, [{ at: clock.now(), value: 9 }]);
  expect(await bench.alarmsOf(a)).toMatchObject([{ kind: 'high', endedAt: null }]);
});

test('a policy delays alarms during a defrost: rules refer to the switch of the device, and the alarm says by how much', async () => {
  const cold = await channel();
  const { device_id } = await one<{ device_id: number }>('select device_id from channel where id = $1', [
    cold,
  ]);
  const policy = await create(of([{ ...above(8), defrostDelayMs: 20 * MIN }], [step(1, 5 * MIN)]));
  await assign(policy, 'device', device_id);
  const rules = async () =>
    (
      await bench.pool.query<{ rule: string }>(
        `select format('%s %s %s', kind, defrost_delay_ms / 60000, defrost_channel_id) as rule from alarm_rule
          where channel_id = $1 and enabled`,
        [cold],
      )
    ).rows.map(({ rule }) => rule);
  expect(await rules()).toEqual(['high 20 ']);
  const defrost = await bench.sibling(cold, 2, 'defrost');
  await compile();
  expect(await rules()).toEqual([`high 20 ${defrost}`]);
  const at = clock.now() + 1;
  await bench.send(defrost, [{ at, value: 1 }]);
  await bench.send(
    cold,
    [1, 5, 9, 13, 17, 21, 25].map((minute) => ({ at: at + minute * MIN, value: 9 })),
  );
  expect(await bench.alarmsOf(cold)).toEqual([]);
  await bench.send(cold, [{ at: at + 26 * MIN, value: 9 }]);
  const alarm = await one('select kind, defrost_delay_ms::float8 as delay from alarm where channel_id = $1', [
    cold,
  ]);
  expect(alarm).toEqual({ kind: 'high', delay: 17 * MIN });
  await bench.send(cold, [{ at: at + 27 * MIN, value: 5 }]);
  await bench.pool.query('update channel set retired_at = now() where id = $1', [defrost]);
  await compile();
  expect(await rules()).toEqual(['high 20 ']);
});

test('a condition on the difference from a given sensor becomes a rule for each of the other sensors, which refers to the channel of the given sensor', async () => {
  const second = await channel();
  const { device_id } = await one<{ device_id: number }>('select device_id from channel where id = $1', [
    second,
  ]);
  const first = await bench.sibling(second, 2, 'temperature');
  const third = await bench.sibling(second, 3, 'temperature');
  const door = await bench.sibling(second, 4, 'door');
  const other = { otherQuantity: 'temperature' as const, otherSensor: 2, maxAgeMs: OTHER_MAX_AGE_MS };
  const closed = {
    otherQuantity: 'door' as const,
    otherSensor: 4,
    maxAgeMs: OTHER_MAX_AGE_MS,
    low: null,
    high: 0.5,
  };
  const policy = await create(
    of([
      { ...above(3), signal: { type: 'difference', ...other } },
      { ...above(8), signal: { type: 'while', ...closed } },
      { ...above(20), signal: { type: 'rate', windowMs: 10 * MIN } },
    ]),
  );
  await assign(policy, 'device', device_id);
  const rules = async () =>
    (
      await bench.pool.query<{ rule: string }>(
        `select format('%s %s %s %s', channel_id, kind, limit_value, other_channel_id) as rule from alarm_rule
          where channel_id in (select id from channel where device_id = $1) and enabled order by channel_id, id`,
        [device_id],
      )
    ).rows.map(({ rule }) => rule);
  const ofEach = (id: number, watched: string) => [`${id} high 8 ${watched}`, `${id} fast-rise 20 `];
  expect((await rules()).sort()).toEqual(
    [second, first, third]
      .flatMap((id) => ofEach(id, String(door)))
      .concat([`${second} difference 3 ${first}`, `${third} difference 3 ${first}`])
      .sort(),
  );
  const at = clock.now();
  await bench.send(second, [{ at, value: 9 }]);
  await bench.send(first, [{ at, value: 4 }]);
  expect(await bench.alarmsOf(second)).toMatchObject([
    { kind: 'difference', endedAt: null },
    { kind: 'high', endedAt: null },
  ]);
  // A late reading of the door shows that it was already open before the temperature reading, so the alarm
  // is refuted.
  await bench.send(door, [{ at: at - MIN, value: 1 }]);
  expect((await bench.alarmsOf(second)).map(({ kind }) => kind)).toEqual(['difference']);
  // After the door's channel is retired, the value is evaluated without regard to the door.
  await bench.pool.query('update channel set retired_at = now() where id = $1', [door]);
  await compile();
  expect(await rules()).toEqual(expect.arrayContaining(ofEach(third, '')));
});

test('a condition with further conditions raises an alarm only while all of them are met', async () => {
  const cold = await channel();
  const { device_id } = await one<{ device_id: number }>('select device_id from channel where id = $1', [
    cold,
  ]);
  const door = await bench.sibling(cold, 2, 'door');
  const power = await bench.sibling(cold, 3, 'power');
  const sensorOf = (
    otherQuantity: 'door' | 'power' | 'illuminance',
    otherSensor: number,
    low: number | null,
  ) => ({
    otherQuantity,
    otherSensor,
    maxAgeMs: OTHER_MAX_AGE_MS,
    low,
    high: low === null ? 0.5 : null,
  });
  // Warm while the door is closed, power is on and a light sensor, which the device does not have, is dark.
  const policy = await create(
    of([
      {
        ...above(8),
        signal: {
          type: 'while',
          ...sensorOf('door', 2, null),
          and: [sensorOf('power', 3, 0.5), sensorOf('illuminance', 4, null)],
        },
      },
    ]),
  );
  await assign(policy, 'device', device_id);
  const rule = () =>
    one<{ other: number; further: number[] }>(
      'select other_channel_id as other, and_channel_ids as further from alarm_rule where channel_id = $1 and enabled',
      [cold],
    );
  expect(await rule()).toEqual({ other: door, further: [power, 0] });
  const at = clock.now();
  await bench.send(power, [{ at, value: 0 }]);
  await bench.send(cold, [{ at: at + 1, value: 9 }]);
  expect(await bench.alarmsOf(cold)).toEqual([]);
  await bench.send(power, [{ at: at + MIN, value: 1 }]);
  await bench.send(door, [{ at: at + MIN, value: 1 }]);
  await bench.send(cold, [{ at: at + MIN + 1, value: 9 }]);
  expect(await bench.alarmsOf(cold)).toEqual([]);
  await bench.send(door, [{ at: at + 2 * MIN, value: 0 }]);
  await bench.send(cold, [{ at: at + 2 * MIN + 1, value: 9 }]);
  expect(await bench.alarmsOf(cold)).toMatchObject([{ kind: 'high', endedAt: null }]);
  // A late reading of the power shows that it was off before.
  await bench.send(power, [{ at: at + 2 * MIN, value: 0 }]);
  expect(await bench.alarmsOf(cold)).toEqual([]);
  // Numbers of further conditions are part of what a rule is, so they are compared and not replaced.
  await edit(
    policy,
    of([
      {
        ...above(9),
        signal: { type: 'while', ...sensorOf('door', 2, null), and: [sensorOf('illuminance', 4, null)] },
      },
    ]),
  );
  expect(await rule()).toEqual({ other: door, further: [0] });
  await bench.pool.query('update channel set indicator = $2 where id = $1', [power, 'illuminance']);
  await bench.pool.query(
    'update sensor set index = 4 where id = (select sensor_id from channel where id = $1)',
    [power],
  );
  await compile();
  expect(await rule()).toEqual({ other: door, further: [power] });
  await policies.remove(caller, policy, 'Done');
});

test('an edit of a policy changes only the rules that differ, and an alarm continues if an unchanged rule holds it open', async () => {
  const a = await channel();
  const policy = await create(of([above(8)], [step(), step(3, 1, 10)]));
  await assign(policy, 'channel', a);
  const kept = (await inForce(a)).find((rule) => rule.limit_value === 8);
  const now = clock.now();
  await bench.send(a, [
    { at: now, value: 12 },
    { at: now + 1, value: 12 },
  ]);
  expect(await bench.alarmsOf(a)).toMatchObject([{ peakLevel: 3, endedAt: null }]);

  await edit(policy, of([above(8)], [step(), step(3, MIN, 11)]));
  expect(await inForce(a)).toMatchObject([{ id: kept?.id }, { limit_value: 11 }]);
  expect(await bench.alarmsOf(a)).toMatchObject([{ endedAt: null }]);
  expect(await one('select level from alarm where channel_id = $1', [a])).toEqual({ level: 1 });

  await edit(policy, of([above(15)]));
  expect(await bench.alarmsOf(a)).toMatchObject([{ endReason: 'rule-edited' }]);
  await bench.send(a, [{ at: clock.now() + 2, value: 12 }]);
  expect(await bench.alarmsOf(a)).toHaveLength(1);
  await policies.remove(caller, policy, 'Replaced');
  expect(await inForce(a)).toEqual([]);
});

test('an asset that joins or leaves a group gets or loses its rules, and direct rules of another quantity are kept', async () => {
  const a = await channel();
  const { asset } = await one<{ asset: number }>('select asset_id as asset from channel where id = $1', [a]);
  const group = await one<{ id: number }>(
    `insert into asset_group (organization_id, path, name) values ($1, '/900/', 'Fridges') returning id`,
    [organizationId],
  );
  const below = await one<{ id: number }>(
    `insert into asset_group (organization_id, parent_id, path, name) values ($1, $2, '/900/901/', 'Small') returning id`,
    [organizationId, group.id],
  );
  await bench.pool.query(
    `insert into alarm_rule (channel_id, kind, level, limit_value, trigger_after_ms) values ($1, 'no-data', 1, null, 600000)`,
    [a],
  );
  const policy = await create(of([above(8)]));
  await assign(policy, 'asset-group', group.id);
  expect(await inForce(a)).toMatchObject([{ kind: 'no-data' }]);
  await bench.pool.query('insert into asset_group_member (group_id, asset_id) values ($1, $2)', [
    below.id,
    asset,
  ]);
  await compile();
  expect(await inForce(a)).toMatchObject([{ kind: 'no-data' }, { kind: 'high' }]);
  await bench.pool.query('delete from asset_group_member where asset_id = $1', [asset]);
  await compile();
  expect(await inForce(a)).toMatchObject([{ kind: 'no-data' }]);
});

test("a rule about a device is stored with one of the device's channels, and with another channel when that one is retired", async () => {
  const a = await channel();
  const { id: b } = await one<{ id: number }>(
    `insert into channel (sensor_id, device_id, asset_id, indicator, name)
     select sensor_id, device_id, asset_id, 'humidity', 'Air' from channel where id = $1 returning id`,
    [a],
  );
  const policy = await create(offline);
  await assign(policy, 'organization', organizationId);
  expect(await inForce(a, b)).toMatchObject([{ channel_id: a, kind: 'no-data', subject: 'device' }]);
  await bench.pool.query('update channel set retired_at = now() where id = $1', [a]);
  await compile();
  expect(await inForce(a, b)).toMatchObject([{ channel_id: b, kind: 'no-data', subject: 'device' }]);
  expect(
    await one('select count(*)::int as due from alarm_due where channel_id = any($1)', [[a, b]]),
  ).toEqual({ due: 1 });
});

test('compiling again changes nothing, and several processes can compile at the same time', async () => {
  const channels = await Promise.all(Array.from({ length: 20 }, channel));
  const policy = await create(of([above(8)], [step(), step(3, MIN, 10)]));
  await bench.pool.query(
    `insert into alarm_assignment (policy_id, target_kind, target_id, valid_from) values ($1, 'organization', $2, now())`,
    [policy, organizationId],
  );
  await Promise.all([compile(), newCompiler().compile(), newCompiler().compile()]);
  const contact = await create(offline);
  await assign(contact, 'organization', organizationId);
  const before = await inForce(...channels);
  expect(before).toHaveLength(60);
  await bench.pool.query(
    `insert into alarm_compilation (target_kind, target_id) values ('organization', $1)`,
    [organizationId],
  );
  await compile();
  expect(await inForce(...channels)).toEqual(before);
});

test('several people who change policies at once share a compilation, which leaves database connections for ingest', async () => {
  const channels = await Promise.all(Array.from({ length: 5 }, channel));
  const pool = new pg.Pool({ connectionString: bench.pool.options.connectionString, max: 3 });
  let most = 0;
  pool.on('acquire', () => {
    most = Math.max(most, pool.totalCount - pool.idleCount);
  });
  const { compile: shared } = newCompiler(pool);
  const policy = await create(of([above(8)]));
  const request = (channelId: number) =>
    bench.pool.query(
      `insert into alarm_assignment (policy_id, target_kind, target_id, valid_from) values ($1, 'channel', $2, now())`,
      [policy, channelId],
    );
  await Promise.all(
    channels.map(async (id) => {
      await request(id);
      await shared();
      expect(await inForce(id)).toHaveLength(1);
    }),
  );
  expect(most).toBe(1);
  await pool.end();
});

test('a policy does not apply to a target that has moved out of its organisation, until it returns', async () => {
  const at = await placed();
  const nested = (parent: number, path: string) =>
    one<{ id: number }>(
      `insert into organization (parent_id, code, name, level, path) values ($1, $2, $2, 'org', $2) returning id`,
      [parent, path],
    );
  const owner = await nested(organizationId, '/999999999/owner/');
  const branch = await nested(owner.id, '/999999999/owner/branch/');
  await bench.pool.query('update asset set organization_id = $2 where id = $1', [at.asset, branch.id]);
  await bench.pool.query('update device set organization_id = $2 where id = $1', [at.device, branch.id]);
  const { id: policy } = await policies.create(caller, {
    organizationId: owner.id,
    name: 'Of the owner',
    description: '',
    enabled: true,
    definition: of([above(8)]),
  });
  await assign(policy, 'asset', at.asset);
  const move = async (path: string) => {
    await bench.pool.query('update organization set path = $2 where id = $1', [branch.id, path]);
    await compile();
    const [rules, targets, reaching] = [
      await inForce(at.id),
      await policies.assignments(caller, policy),
      await policies.explain(caller, at.asset),
    ];
    expect((await policies.get(caller, policy)).targets).toBe(targets.length);
    return [rules.length, targets.length, reaching.length];
  };
  expect(await move('/999999999/owner/branch/')).toEqual([1, 1, 1]);
  expect(await move('/999999999/branch/')).toEqual([0, 0, 0]);
  expect(await move('/999999999/owner/branch/')).toEqual([1, 1, 1]);
});

test('a new name or description of a policy requests no compilation, but a new limit does', async () => {
  const at = await placed();
  const policy = await create(of([above(8)]));
  await assign(policy, 'asset', at.asset);
  const requests = async (change: string, value: unknown) => {
    await bench.pool.query(`update alarm_policy set ${change} = $2, version = version + 1 where id = $1`, [
      policy,
      value,
    ]);
    return one('select count(*)::int as count from alarm_compilation');
  };
  expect(await requests('name', 'Another name')).toEqual({ count: 0 });
  expect(await requests('description', 'Why')).toEqual({ count: 0 });
  expect(await requests('definition', JSON.stringify(of([above(9)])))).toEqual({ count: 1 });
  await compile();
});

test('a deleted policy has no assignments, even if it is assigned at the same time', async () => {
  const at = await placed();
  const policy = await create(of([above(8)]));
  await assign(policy, 'asset', at.asset);
  await Promise.allSettled([
    policies.remove(caller, policy, 'Not needed'),
    assign(policy, 'device', at.device),
    assign(policy, 'channel', at.id),
  ]);
  expect(await inForce(at.id)).toEqual([]);
  expect(
    await one(
      'select count(*)::int as count from alarm_assignment where policy_id = $1 and valid_until is null',
      [policy],
    ),
  ).toEqual({ count: 0 });
});

/** Creates a channel with its asset. The asset is in a group of its own, which is inside another group. */
async function placed() {
  const id = await channel();
  const { asset } = await one<{ asset: number }>(
    `update asset set kind = 'refrigerator' where id = (select asset_id from channel where id = $1) returning id as asset`,
    [id],
  );
  const outer = await one<{ id: number }>(
    `insert into asset_group (organization_id, path, name) values ($1, $2, $2) returning id`,
    [organizationId, `/${id}0/`],
  );
  const inner = await one<{ id: number }>(
    `insert into asset_group (organization_id, parent_id, path, name) values ($1, $2, $3, $3) returning id`,
    [organizationId, outer.id, `/${id}0/${id}1/`],
  );
  await bench.pool.query('insert into asset_group_member (group_id, asset_id) values ($1, $2)', [
    inner.id,
    asset,
  ]);
  const { device } = await one<{ device: number }>('select device_id as device from channel where id = $1', [
    id,
  ]);
  return { id, asset, device, outer: outer.id, inner: inner.id };
}

test('what an assignment would reach is counted for each kind of target, before it is made', async () => {
  const at = await placed();
  const policy = await create(of([above(8)]));
  const humid = await create(of([above(60, 'humidity')]));
  const reach = (
    id: number,
    kind: AssignmentTarget['kind'],
    target: number,
    assetKind: 'vehicle' | null = null,
  ) => policies.reach(caller, id, { kind, id: target, assetKind });
  const one = { assets: 1, devices: 1, channels: 1, ownRuleChannels: 0 };
  const none = { assets: 0, devices: 0, channels: 0, ownRuleChannels: 0 };
  for (const [kind, target] of [
    ['channel', at.id],
    ['device', at.device],
    ['asset', at.asset],
    ['asset-group', at.inner],
    ['asset-group', at.outer],
  ] as const) {
    expect(await reach(policy, kind, target)).toEqual(one);
    expect(await reach(humid, kind, target)).toEqual(none);
  }
  expect(await reach(policy, 'asset-group', at.outer, 'vehicle')).toEqual(none);
  expect((await reach(policy, 'organization', organizationId)).channels).toBeGreaterThan(1);
  await bench.pool.query(
    `insert into alarm_rule (channel_id, kind, level, limit_value, trigger_after_ms) values ($1, 'high', 1, 8, 0)`,
    [at.id],
  );
  expect(await reach(policy, 'asset', at.asset)).toEqual({ ...one, ownRuleChannels: 1 });
  await expect(reach(policy, 'asset', 999_999)).rejects.toMatchObject({ code: 'policy.target' });
});

test('for each quantity the nearest assignment wins, and the page shows which one applies and why', async () => {
  const at = await placed();
  const limits = async () => (await inForce(at.id)).map(({ limit_value }) => limit_value);
  const ladder: [number, () => Promise<unknown>][] = [];
  const add = async (
    high: number,
    kind: AssignmentTarget['kind'],
    target: number,
    assetKind?: 'refrigerator',
  ) => {
    const policy = await create(of([above(high)]));
    await assign(policy, kind, target, assetKind);
    const [{ id } = { id: 0 }] = await policies.assignments(caller, policy);
    ladder.push([high, () => policies.unassign(caller, policy, id)]);
    expect(await limits(), `${kind} ${assetKind ?? ''}`).toEqual([high]);
  };
  await add(10, 'organization', organizationId);
  await add(11, 'organization', organizationId, 'refrigerator');
  await add(12, 'asset-group', at.outer);
  await add(13, 'asset-group', at.inner);
  await add(14, 'asset', at.asset);
  await add(15, 'device', at.device);
  await add(16, 'channel', at.id);

  const explained = await policies.explain(caller, at.asset);
  expect(explained.map(({ target, state }) => [target.kind, state])).toEqual([
    ['channel', 'applies'],
    ['device', 'overridden'],
    ['asset', 'overridden'],
    ['asset-group', 'overridden'],
    ['asset-group', 'overridden'],
    ['organization', 'overridden'],
    ['organization', 'overridden'],
  ]);

  for (const [high, unassign] of ladder.reverse()) {
    expect(await limits()).toEqual([high]);
    await unassign();
  }
  expect(await limits()).toEqual([]);
});

test('the nearest assignment is determined separately for each quantity', async () => {
  const at = await placed();
  await assign(await create(of([above(60, 'humidity'), above(9)])), 'organization', organizationId);
  await assign(await create(of([above(8)])), 'asset', at.asset);
  const { id: humidity } = await one<{ id: number }>(
    `insert into channel (sensor_id, device_id, asset_id, indicator, name)
     select sensor_id, device_id, asset_id, 'humidity', 'Air' from channel where id = $1 returning id`,
    [at.id],
  );
  await compile();
  expect(await inForce(at.id, humidity)).toMatchObject([{ limit_value: 8 }, { limit_value: 60 }]);
});

test('an assignment for one kind of assets does not apply to assets of other kinds', async () => {
  const at = await placed();
  await assign(await create(of([above(9)])), 'organization', organizationId, 'vehicle');
  expect(await inForce(at.id)).toEqual([]);
});

test('if a policy is disabled, the next nearest one applies and its own alarms end', async () => {
  const at = await placed();
  await assign(await create(of([above(20)])), 'organization', organizationId);
  const near = await create(of([above(8)]));
  await assign(near, 'asset', at.asset);
  await bench.send(at.id, [{ at: clock.now(), value: 9 }]);
  await edit(near, of([above(8)]), false);
  expect(await inForce(at.id)).toMatchObject([{ limit_value: 20 }]);
  expect(await bench.alarmsOf(at.id)).toMatchObject([{ endReason: 'policy-disabled' }]);
  expect((await policies.explain(caller, at.asset)).map(({ state }) => state)).toEqual([
    'disabled',
    'applies',
  ]);
});

test('an edit is refused if somebody else has changed the policy since the edited version was read', async () => {
  const id = await create(of([above(8)]));
  await edit(id, of([above(9)]));
  const { name } = await policies.get(caller, id);
  await expect(
    policies.edit(caller, id, 1, { name, description: '', enabled: true, definition: of([above(7)]) }),
  ).rejects.toMatchObject({ code: 'policy.changed' });
  expect((await policies.get(caller, id)).definition.conditions[0]?.high).toBe(9);
});

test("an assignment to a target outside the policy's organisation is refused, and so is ending an assignment twice", async () => {
  const at = await placed();
  const id = await create(of([above(8)]));
  await expect(assign(id, 'organization', organizationId + 1_000)).rejects.toMatchObject({
    code: 'policy.target',
  });
  await assign(id, 'asset', at.asset);
  const [first] = await policies.assignments(caller, id);
  await policies.unassign(caller, id, first?.id ?? 0);
  await expect(policies.unassign(caller, id, first?.id ?? 0)).rejects.toMatchObject({
    code: 'policy.assignment',
  });
});

test('direct rules take precedence over policies until they are ended, and are kept where no policy replaces them', async () => {
  const at = await placed();
  await bench.pool.query(
    `insert into alarm_rule (channel_id, kind, level, limit_value, trigger_after_ms) values ($1, 'high', 2, 5, 0)`,
    [at.id],
  );
  const policy = await create(of([above(8)]));
  expect(await assign(policy, 'asset', at.asset)).toMatchObject([{ kind: 'asset', ownRuleChannels: 1 }]);
  expect(await inForce(at.id)).toMatchObject([{ limit_value: 5 }]);
  expect(await policies.explain(caller, at.asset)).toMatchObject([{ state: 'own-rules' }]);
  // No policy has rules for missing data, so this direct rule is not replaced.
  await bench.pool.query(
    `insert into alarm_rule (channel_id, kind, level, limit_value, trigger_after_ms) values ($1, 'no-data', 1, null, 600000)`,
    [at.id],
  );
  await bench.send(at.id, [{ at: clock.now(), value: 9 }]);
  expect(await bench.alarmsOf(at.id)).toMatchObject([{ endReason: null }]);

  expect(await policies.endOwnRules(caller, at.asset, 'Policies instead')).toMatchObject([
    { state: 'applies' },
  ]);
  expect(await policies.assignments(caller, policy)).toMatchObject([{ ownRuleChannels: 0 }]);
  expect(await inForce(at.id)).toMatchObject([{ kind: 'no-data' }, { limit_value: 8 }]);
  expect(await bench.alarmsOf(at.id)).toMatchObject([{ endReason: 'rule-deleted' }]);
  await bench.send(at.id, [{ at: clock.now() + 1, value: 9 }]);
  expect(await bench.alarmsOf(at.id)).toMatchObject([{ endReason: 'rule-deleted' }, { endReason: null }]);

  logged.length = 0;
  await policies.endOwnRules(caller, at.asset, 'Once more');
  expect(logged).toEqual([]);
});

test('each assignment counts its own channels for which direct rules come first, as the page of the asset shows them', async () => {
  await bench.pool.query(
    'update alarm_rule set enabled = false, valid_until = greatest(now(), valid_from) where policy_rule_id is null and enabled',
  );
  const at = await placed();
  const elsewhere = await placed();
  const humidity = await bench.sibling(at.id, 2, 'humidity');
  const second = await bench.sibling(at.id, 3, 'temperature');
  const drafts = {
    temperature: await create(of([above(8)])),
    both: await create(of([above(8), above(60, 'humidity')])),
    contact: await create(offline),
  };
  const counts = async (
    policy: number,
    kind: AssignmentTarget['kind'],
    target: number,
    assetKind?: 'vehicle',
  ) => {
    const listed = await assign(policy, kind, target, assetKind);
    const { id, ownRuleChannels } = listed[listed.length - 1] as (typeof listed)[number];
    const explained = await policies.explain(caller, at.asset);
    const shown = explained.filter((each) => each.policyId === policy && each.state === 'own-rules');
    await policies.unassign(caller, policy, id);
    return { ownRuleChannels, shown: new Set(shown.map(({ channelId }) => channelId)).size };
  };
  const direct = (channelId: number, kind: string, limit: number | null) =>
    one<{ id: number }>(
      `insert into alarm_rule (channel_id, kind, level, limit_value, trigger_after_ms) values ($1, $2, 1, $3, 600000) returning id`,
      [channelId, kind, limit],
    );
  const targets = [
    ['organization', organizationId],
    ['asset-group', at.outer],
    ['asset-group', at.inner],
    ['asset', at.asset],
    ['device', at.device],
  ] as const;
  const expectCounts = async (expected: Record<keyof typeof drafts, number>) => {
    for (const [name, policy] of Object.entries(drafts))
      for (const [kind, target] of targets) {
        const ownRuleChannels = expected[name as keyof typeof drafts];
        expect(await counts(policy, kind, target), `${name} ${kind}`).toEqual({
          ownRuleChannels,
          shown: ownRuleChannels,
        });
      }
  };

  await expectCounts({ temperature: 0, both: 0, contact: 0 });
  await direct(at.id, 'high', 5);
  await expectCounts({ temperature: 1, both: 1, contact: 0 });
  await direct(humidity, 'low', 20);
  await expectCounts({ temperature: 1, both: 2, contact: 0 });
  // A rule about missing data replaces the policy for the whole device, whichever channel has it.
  const silence = await direct(humidity, 'no-data', null);
  await expectCounts({ temperature: 1, both: 2, contact: 3 });
  expect(await counts(drafts.contact, 'channel', second)).toEqual({ ownRuleChannels: 1, shown: 1 });
  expect(await counts(drafts.both, 'channel', second)).toEqual({ ownRuleChannels: 0, shown: 0 });
  await bench.pool.query('update alarm_rule set enabled = false, valid_until = now() where id = $1', [
    silence.id,
  ]);
  await expectCounts({ temperature: 1, both: 2, contact: 0 });

  expect(await counts(drafts.both, 'organization', organizationId, 'vehicle')).toEqual({
    ownRuleChannels: 0,
    shown: 0,
  });
  await assign(drafts.both, 'asset', at.asset);
  expect(await assign(drafts.both, 'asset', elsewhere.asset)).toMatchObject([
    { ownRuleChannels: 2 },
    { ownRuleChannels: 0 },
  ]);
  await bench.pool.query('update channel set retired_at = now() where id = $1', [humidity]);
  expect(await policies.assignments(caller, drafts.both)).toMatchObject([
    { ownRuleChannels: 1 },
    { ownRuleChannels: 0 },
  ]);
});

async function receiver(email = 'nurse@example.com', organization = organizationId): Promise<number> {
  const { id } = await one<{ id: number }>(
    `insert into alarm_receiver (organization_id, name, country_code, mobile, email, wechat, language, time_zone,
                                 description, changed_by, changed_at)
     values ($1, 'Receiver ' || $2, '+86', '1', $3, '', 'en', 'UTC', '', 'test', now()) returning id`,
    [organization, ++names, email],
  );
  return id;
}

const telling = (recipients: number[], recipientType?: Definition['recipientType']): Definition => ({
  ...of([above(8)], [{ ...step(), recipients, channels: ['email'], repeatMs: 10 * MIN }]),
  recipientType,
});

test('a recipient that is deleted or outside the scope can stay in a step, but cannot be added to it', async () => {
  const nurse = await receiver();
  const id = await create(telling([nurse]));
  expect((await policies.get(caller, id)).definition.steps[0]).toMatchObject({
    recipients: [nurse],
    channels: ['email'],
    repeatMs: 10 * MIN,
  });
  await expect(create(telling([nurse, nurse + 1_000]))).rejects.toMatchObject({ code: 'policy.recipient' });
  await expect(create(telling([nurse + 1_000], 'accounts'))).rejects.toMatchObject({
    code: 'policy.recipient',
  });

  await bench.pool.query('delete from alarm_receiver where id = $1', [nurse]);
  await edit(id, { ...telling([nurse]), limitIsOutside: true });
  await expect(edit(id, telling([nurse], 'accounts'))).rejects.toMatchObject({ code: 'policy.recipient' });
});

test('recipients are found by name or by id within the scope', async () => {
  const other = await one<{ id: number; path: string }>(
    `insert into organization (name, path, code, level) values ('Elsewhere', '/970/', 'else', 'org') returning id, path`,
  );
  const [near, far] = [await receiver(''), await receiver('far@example.com', other.id)];
  const { name } = await one<{ name: string }>('select name from alarm_receiver where id = $1', [far]);
  const seenBy = (scope: string) => ({ ...caller, scope });
  const find = (scope: string, asked: { search?: string; ids?: string }) =>
    policies.recipients(seenBy(scope), { type: 'receivers', search: '', ...asked });

  expect(await find('/', { search: name.toUpperCase() })).toMatchObject([{ id: far, hasEmail: true }]);
  expect(await find(other.path, { search: name })).toHaveLength(1);
  expect(await find('/971/', { search: name })).toEqual([]);
  expect(await find('/', { ids: `${near},${far}` })).toMatchObject([
    { id: near, hasEmail: false },
    { id: far },
  ]);
  expect(await find(other.path, { ids: `${near},${far}` })).toMatchObject([{ id: far }]);
});

test('conditions about shipments apply while an asset carries one, with the limits of its product', async () => {
  const id = await channel();
  const { asset_id } = await one<{ asset_id: number }>('select asset_id from channel where id = $1', [id]);
  const policy = await create(
    of(
      [
        { ...above(30), leg: 'not-in-transit' },
        { ...above(8), low: 2, leg: 'product' },
      ],
      [step(), step(2, 5 * MIN, 10)],
    ),
  );
  await assign(policy, 'asset', asset_id);
  const limits = async () =>
    (await inForce(id)).map(({ kind, limit_value }) => `${kind} ${limit_value}`).sort();
  expect(await limits()).toEqual(['high 10', 'high 30']);
  const shipped = async (low: number, high: number) =>
    (
      await one<{ id: number }>(
        `with w as (
           insert into waybill (organization_id, number, state, consignor_unit, consignee_unit, asset_id, planned_departure_at,
                                limits, departed_at, changed_by, changed_at)
           values ($1, gen_random_uuid(), 'in-transport', 'a', 'b', $2, now(), $3, now(), 'test', now()) returning id)
         insert into waybill_leg (waybill_id, position, asset_id, started_at) select id, 0, $2, now() - interval '1 hour' from w
         returning waybill_id as id`,
        [organizationId, asset_id, { temperatureLow: low, temperatureHigh: high }],
      )
    ).id;
  const first = await shipped(-25, -15);
  await compile();
  expect(await limits()).toEqual(['high -13', 'high -15', 'low -25']);
  // Of several shipments on a vehicle, the tightest limits count.
  const second = await shipped(-22, -14);
  await compile();
  expect(await limits()).toEqual(['high -13', 'high -15', 'low -22']);
  await bench.send(id, [{ at: clock.now(), value: -14 }]);
  expect(await bench.alarmsOf(id)).toMatchObject([{ kind: 'high', endedAt: null }]);
  await bench.pool.query('update waybill_leg set ended_at = now() where waybill_id = any($1)', [
    [first, second],
  ]);
  await compile();
  expect(await limits()).toEqual(['high 10', 'high 30']);
  expect((await bench.alarmsOf(id)).every(({ endedAt }) => endedAt !== null)).toBe(true);
  // An edit of the limits of such a condition compares channels again.
  await shipped(2, 8);
  await edit(policy, of([{ ...above(9), leg: 'product' }], [step(), step(2, 5 * MIN, 10)]));
  expect(await limits()).toEqual(['high 8', 'high 9']);
});
