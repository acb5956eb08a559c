import type { PolicyRule } from '@isotherm/domain/alarms/policy';
import { createTestDatabase } from '@isotherm/testkit/test-database';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createInvalidations } from '../../../platform/cache/invalidations.ts';
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

beforeAll(async () => {
  bench = await startAlarmBench(await createTestDatabase());
  const compiler = createCompiler(
    bench.pool,
    createRuleBook(createInvalidations(true)),
    clock,
    () => undefined,
  );
  compile = compiler.compile;
  policies = createPoliciesService(bench.pool, clock, compiler);
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

const above = (over: Partial<PolicyRule> = {}): PolicyRule => ({
  quantity: 'temperature',
  predicate: 'above',
  level: 1,
  limit: 8,
  recoveryMargin: 0,
  triggerAfterMs: 0,
  recoverAfterMs: 0,
  limitIsOutside: false,
  ...over,
});
const offline: PolicyRule = {
  ...above(),
  quantity: 'contact',
  predicate: 'silence',
  limit: null,
  level: 2,
  triggerAfterMs: 10 * MIN,
};

/** Rules in force of these channels. */
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

const create = (rules: PolicyRule[]) => policies.create({ organizationId, name: 'Vaccines', rules });

test('a policy of an organisation becomes rules of its channels, which readings are evaluated with', async () => {
  const [a, b] = [await channel(), await channel()];
  const policy = await create([above(), above({ quantity: 'humidity', limit: 60 })]);
  expect(await inForce(a, b)).toEqual([]);
  await policies.assign(policy, { kind: 'organization', id: organizationId });
  expect(await inForce(a, b)).toMatchObject([
    { channel_id: a, kind: 'high', limit_value: 8 },
    { channel_id: b, kind: 'high', limit_value: 8 },
  ]);
  await bench.send(a, [{ at: clock.now(), value: 9 }]);
  expect(await bench.alarmsOf(a)).toMatchObject([{ kind: 'high', endedAt: null }]);
});

test('an edit changes the rules that differ; an episode that another rule holds goes on', async () => {
  const a = await channel();
  const policy = await create([above(), above({ limit: 10, level: 3, triggerAfterMs: 1 })]);
  await policies.assign(policy, { kind: 'channel', id: a });
  const kept = (await inForce(a)).find((rule) => rule.limit_value === 8);
  const now = clock.now();
  await bench.send(a, [
    { at: now, value: 12 },
    { at: now + 1, value: 12 },
  ]);
  expect(await bench.alarmsOf(a)).toMatchObject([{ peakLevel: 3, endedAt: null }]);

  await policies.edit(policy, [above(), above({ limit: 11, level: 3, triggerAfterMs: MIN })]);
  expect(await inForce(a)).toMatchObject([{ id: kept?.id }, { limit_value: 11 }]);
  expect(await bench.alarmsOf(a)).toMatchObject([{ endedAt: null }]);
  expect(await one('select level from alarm where channel_id = $1', [a])).toEqual({ level: 1 });

  await policies.edit(policy, [above({ limit: 15 })]);
  expect(await bench.alarmsOf(a)).toMatchObject([{ endReason: 'rule-edited' }]);
  await bench.send(a, [{ at: clock.now() + 2, value: 12 }]);
  expect(await bench.alarmsOf(a)).toHaveLength(1);
  await policies.remove(policy);
  expect(await inForce(a)).toEqual([]);
});

test('an asset that joins or leaves a group gets or loses its rules; direct rules stay', async () => {
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
    `insert into alarm_rule (channel_id, kind, level, limit_value, trigger_after_ms) values ($1, 'low', 1, 2, 0)`,
    [a],
  );
  const policy = await create([above()]);
  await policies.assign(policy, { kind: 'asset-group', id: group.id });
  expect(await inForce(a)).toMatchObject([{ kind: 'low' }]);
  await bench.pool.query('insert into asset_group_member (group_id, asset_id) values ($1, $2)', [
    below.id,
    asset,
  ]);
  await compile();
  expect(await inForce(a)).toMatchObject([{ kind: 'low' }, { kind: 'high' }]);
  await bench.pool.query('delete from asset_group_member where asset_id = $1', [asset]);
  await compile();
  expect(await inForce(a)).toMatchObject([{ kind: 'low' }]);
});

test('a rule about the device is stored with one of its channels, and with another one when that is retired', async () => {
  const a = await channel();
  const { id: b } = await one<{ id: number }>(
    `insert into channel (sensor_id, device_id, asset_id, indicator, name)
     select sensor_id, device_id, asset_id, 'humidity', 'Air' from channel where id = $1 returning id`,
    [a],
  );
  const policy = await create([offline]);
  await policies.assign(policy, { kind: 'organization', id: organizationId });
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
  const policy = await create([above(), above({ limit: 10, level: 3, triggerAfterMs: MIN }), offline]);
  await bench.pool.query(
    `insert into alarm_assignment (policy_id, target_kind, target_id, valid_from) values ($1, 'organization', $2, now())`,
    [policy, organizationId],
  );
  await Promise.all([compile(), compile(), compile()]);
  const before = await inForce(...channels);
  expect(before).toHaveLength(60);
  await bench.pool.query(
    `insert into alarm_compilation (target_kind, target_id) values ('organization', $1)`,
    [organizationId],
  );
  await compile();
  expect(await inForce(...channels)).toEqual(before);
});
