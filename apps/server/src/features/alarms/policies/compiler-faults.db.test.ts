import type { PolicyInput } from '@isotherm/contracts/alarm-policies';
import { createTestDatabase } from '@isotherm/testkit/test-database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInvalidations } from '../../../platform/cache/invalidations.ts';
import { LOCK_KEYS } from '../../../platform/db/lock-keys.ts';
import { withSessionLock } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { Logger } from '../../../platform/log.ts';
import { type AlarmBench, startAlarmBench } from '../../../testing/alarm-bench.ts';
import { LANES, lockLanes } from '../../telemetry/index.ts';
import { createRuleBook } from '../rule-book.ts';
import { closeRules } from '../rules.repo.ts';
import { compareRules } from './compilation.repo.ts';
import { createCompiler } from './compile.ts';
import { createPoliciesService } from './policies.service.ts';

/** The compilation of policies while processes hang, fail, or change the same rules. */
const clock = { now: () => Date.now() };
const caller = { username: 'test', scope: '/', accountId: 1 } as unknown as Caller;
let bench: AlarmBench;
let organizationId: number;
let policyCount = 0;

beforeAll(async () => {
  bench = await startAlarmBench(await createTestDatabase());
  bench.pool.on('connect', (client) => client.on('error', () => undefined));
  const { rows } = await bench.pool.query<{ id: number }>('select id from organization');
  organizationId = (rows[0] as { id: number }).id;
});
afterAll(() => bench.stop());

function newCompiler() {
  const rules = createRuleBook(createInvalidations(true));
  return createCompiler(bench.pool, rules, clock, () => undefined);
}
/** Requests compilations, and leaves them to the tests. */
const policies = () =>
  createPoliciesService(
    bench.pool,
    { record: async () => undefined },
    clock,
    { compile: async () => undefined, endOwn: () => Promise.reject(new Error('not used')) },
    { mac: (_, text) => text },
  );

const definition = (high: number): PolicyInput['definition'] => ({
  conditions: [{ quantity: 'temperature', low: null, high, recoveryMargin: 0, recoverAfterMs: 0 }],
  steps: [{ level: 1, triggerAfterMs: 0, limits: [] }],
  limitIsOutside: false,
});
const create = async () =>
  (
    await policies().create(caller, {
      organizationId,
      name: `Faults ${++policyCount}`,
      description: '',
      enabled: true,
      definition: definition(8),
    })
  ).id;
async function edit(id: number, high: number, enabled = true): Promise<void> {
  const { version, name } = await policies().get(caller, id);
  await policies().edit(caller, id, version, {
    name,
    description: '',
    enabled,
    definition: definition(high),
  });
}
/** Creates a policy that is in force for one channel, with the limit 8. */
async function assigned(): Promise<{ id: number; channelId: number; deviceId: number }> {
  const id = await create();
  const { channelId, deviceId } = await bench.channel({ versions: [] });
  await policies().assign(caller, id, { kind: 'channel', id: channelId, assetKind: null });
  await newCompiler().compile();
  return { id, channelId, deviceId };
}
const rulesOf = async (channelId: number) =>
  (
    await bench.pool.query<{ limit: number; enabled: boolean; reason: string | null }>(
      'select limit_value as "limit", enabled, end_reason as reason from alarm_rule where channel_id = $1 order by id',
      [channelId],
    )
  ).rows;
const inForce = async (channelId: number) =>
  (await rulesOf(channelId)).filter(({ enabled }) => enabled).map(({ limit }) => limit);

test('a process that hangs while it compiles keeps others from it only for a short time', async () => {
  const { id, channelId } = await assigned();
  let hasBegun = false;
  const hanging = withSessionLock(bench.pool, LOCK_KEYS.compilation, 1_000, (client) => {
    hasBegun = true;
    // What the database does about an idle connection arrives as an event.
    return new Promise<never>((_, reject) => client.once('error', reject));
  });
  hanging.catch(() => undefined);
  await expect.poll(() => hasBegun).toBe(true);
  await edit(id, 9);
  await newCompiler().compile();
  expect(await inForce(channelId)).toEqual([9]);
  await expect(hanging).rejects.toThrow(/idle-session timeout|terminat/);
});

test('a compilation that waits for another process ends when its own process stops', async () => {
  const { id } = await assigned();
  await edit(id, 9);
  const compiler = newCompiler();
  await withSessionLock(bench.pool, LOCK_KEYS.compilation, 60_000, async () => {
    const compiled = compiler.compile();
    await compiler.stop();
    await compiled;
    return {};
  });
  expect((await bench.pool.query('select from alarm_replacement')).rowCount).toBe(1);
  await newCompiler().compile();
});

test('a compilation ends when its own requests are carried out, while others go on requesting', async () => {
  const { id, channelId, deviceId } = await assigned();
  let isRequesting = true;
  const others = Promise.all(
    [1, 2].map(async () => {
      while (isRequesting)
        await bench.pool.query(
          `insert into alarm_compilation (target_kind, target_id) values ('device', $1)`,
          [deviceId],
        );
    }),
  );
  await edit(id, 9);
  await newCompiler().compile();
  expect(await inForce(channelId)).toEqual([9]);
  isRequesting = false;
  await others;
  await newCompiler().compile();
});

test('a lane that is held keeps only the rules of its own devices from being replaced', async () => {
  const id = await create();
  const channels: { channelId: number; deviceId: number }[] = [];
  for (let count = 0; count < 4; count++) channels.push(await bench.channel({ versions: [] }));
  for (const { channelId } of channels)
    await policies().assign(caller, id, { kind: 'channel', id: channelId, assetKind: null });
  await newCompiler().compile();
  const limits = () => Promise.all(channels.map(async ({ channelId }) => (await inForce(channelId))[0]));
  expect(await limits()).toEqual([8, 8, 8, 8]);
  expect(new Set(channels.map(({ deviceId }) => deviceId % LANES)).size).toBe(4);

  for (const held of channels.keys()) {
    const high = 9 + held;
    await edit(id, high);
    const holder = await bench.pool.connect();
    await holder.query('begin');
    await lockLanes(holder, [channels[held]?.deviceId ?? 0]);
    const compiled = newCompiler().compile();
    const expected = channels.map((_, place) => (place === held ? high - 1 : high));
    await expect.poll(limits).toEqual(expected);
    await holder.query('commit');
    holder.release();
    await compiled;
    expect(await limits()).toEqual([high, high, high, high]);
  }
});

test('a failed compilation is tried again', async () => {
  const { id, channelId, deviceId } = await assigned();
  const invalidations = createInvalidations(true);
  const warnings: string[] = [];
  const compiler = newCompiler();
  compiler.watch(invalidations, {
    warn: (_: object, text: string) => warnings.push(text),
  } as unknown as Logger);
  const blocker = await bench.pool.connect();
  await blocker.query('begin');
  await lockLanes(blocker, [deviceId]);
  await edit(id, 9);
  invalidations.receive('compilation');
  await expect
    .poll(async () => {
      // The compiler waits for the lane, and loses its connection.
      const { rowCount } = await bench.pool.query(
        `select pg_terminate_backend(pid) from pg_locks
          where locktype = 'advisory' and objid = $1 and objsubid = 1 and granted
            and database = (select oid from pg_database where datname = current_database())
            and pid in (select pid from pg_locks where not granted)`,
        [LOCK_KEYS.compilation],
      );
      return rowCount;
    })
    .toBe(1);
  await blocker.query('rollback');
  blocker.release();
  await expect.poll(() => inForce(channelId), { timeout: 20_000 }).toEqual([9]);
  await compiler.stop();
  expect(warnings).toEqual(['compiling alarm policies failed']);
});

test.each([
  ['disabled', (id: number) => edit(id, 9, false)],
  ['deleted', (id: number) => policies().remove(caller, id, 'Not needed')],
])('a policy that was %s before its edit was compiled gets no rule', async (_, end) => {
  const { id, channelId } = await assigned();
  await edit(id, 9);
  await end(id);
  await newCompiler().compile();
  expect(await rulesOf(channelId)).toEqual([{ limit: 8, enabled: false, reason: 'policy-disabled' }]);
});

test('a device that is registered while the first policy is assigned gets its rules', async () => {
  await bench.pool.query('update alarm_assignment set valid_until = now() where valid_until is null');
  await newCompiler().compile();
  const { channelId } = await bench.channel({ versions: [] });
  const id = await create();
  const tx = await bench.pool.connect();
  await tx.query('begin');
  const { rows } = await tx.query<{ id: number; deviceId: number }>(
    `with d as (
       insert into device (organization_id, asset_id, number, name, key_hash, acquisition_interval_ms)
       select d.organization_id, d.asset_id, '77000001', 'New', '', 60000
         from device d join channel c on c.device_id = d.id where c.id = $1 returning id
     ), s as (
       insert into sensor (device_id, index, serial, name) select id, 1, 'new', 'New' from d returning id, device_id
     )
     insert into channel (sensor_id, device_id, indicator, name)
     select id, device_id, 'temperature', 'Air' from s returning id, device_id as "deviceId"`,
    [channelId],
  );
  const [made = { id: 0, deviceId: 0 }] = rows;
  await policies().assign(caller, id, { kind: 'organization', id: organizationId, assetKind: null });
  await newCompiler().compile();
  await tx.query('commit');
  tx.release();
  await newCompiler().compile();
  expect(await inForce(made.id)).toEqual([8]);
  expect(await compareRules(bench.pool, [made.deviceId], new Date())).toEqual({ close: [], open: [] });
  await policies().remove(caller, id, 'Done');
  await newCompiler().compile();
});

test('portions of a lane that another transaction has changed are all compared again', async () => {
  const id = await create();
  // Too many rules of one lane for one transaction.
  const devices = [LANES * 1_000 + 7, LANES * 1_001 + 7];
  for (const deviceId of devices) {
    await bench.pool.query(
      `insert into device (id, organization_id, number, name, key_hash, acquisition_interval_ms)
       overriding system value values ($1, $2, $3, 'Large', '', 60000)`,
      [deviceId, organizationId, String(88_000_000 + deviceId)],
    );
    await bench.pool.query(
      `with s as (
         insert into sensor (device_id, index, serial, name)
         select $1, i, $2 || '-' || i, 'Sensor' from generate_series(1, 700) i returning id
       )
       insert into channel (sensor_id, device_id, indicator, name) select id, $1, 'temperature', 'Air' from s`,
      [deviceId, String(deviceId)],
    );
    await policies().assign(caller, id, { kind: 'device', id: deviceId, assetKind: null });
  }
  await newCompiler().compile();
  const channels = (
    await bench.pool.query<{ id: number }>('select id from channel where device_id = any($1)', [devices])
  ).rows.map((row) => row.id);
  await edit(id, 9);
  const blocker = await bench.pool.connect();
  await blocker.query('begin');
  await lockLanes(blocker, devices);
  const compiled = newCompiler().compile();
  // The compiler has compared, and waits for the lane.
  await expect
    .poll(
      async () =>
        (
          await bench.pool.query(
            `select from pg_locks where locktype = 'advisory' and not granted
                and database = (select oid from pg_database where datname = current_database())`,
          )
        ).rowCount,
    )
    .toBe(1);
  await closeRules(blocker, channels, new Date(clock.now()), 'device-removed');
  await blocker.query('commit');
  blocker.release();
  await compiled;
  const { rows } = await bench.pool.query<{ reason: string | null; limit: number; count: number }>(
    `select end_reason as reason, limit_value as "limit", count(*)::int from alarm_rule where channel_id = any($1)
      group by 1, 2 order by 1`,
    [channels],
  );
  expect(rows).toEqual([
    { reason: 'device-removed', limit: 8, count: 1_400 },
    { reason: null, limit: 9, count: 1_400 },
  ]);
});
