import type { PolicyInput } from '@isotherm/contracts/alarm-policies';
import { createTestDatabase } from '@isotherm/testkit/test-database';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInvalidations } from '../../../platform/cache/invalidations.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { type AlarmBench, startAlarmBench } from '../../../testing/alarm-bench.ts';
import { createRuleBook } from '../rule-book.ts';
import { compareRules } from './compilation.repo.ts';
import { createCompiler } from './compile.ts';
import { createPoliciesService, type PoliciesService } from './policies.service.ts';

/** Edits that replace rules without a comparison, beside everything else that changes which rules channels have. */
const clock = { now: () => Date.now() };
const caller = { username: 'test', scope: '/', accountId: 1 } as unknown as Caller;
let bench: AlarmBench;
let organizationId: number;
let channels: number[];
let devices: number[];

interface Process {
  policies: PoliciesService;
  compile: () => Promise<void>;
}

function newProcess(): Process {
  const compiler = createCompiler(
    bench.pool,
    createRuleBook(createInvalidations(true)),
    clock,
    () => undefined,
  );
  const audit = { record: async () => undefined };
  const policies = createPoliciesService(bench.pool, audit, clock, compiler, { mac: (_, text) => text });
  return { policies, compile: compiler.compile };
}

beforeAll(async () => {
  bench = await startAlarmBench(await createTestDatabase());
  const made = await Promise.all(Array.from({ length: 12 }, () => bench.channel({ versions: [] })));
  channels = made.map(({ channelId }) => channelId);
  devices = made.map(({ deviceId }) => deviceId);
  const { rows } = await bench.pool.query<{ id: number }>('select id from organization');
  organizationId = (rows[0] as { id: number }).id;
});
afterAll(() => bench.stop());

/** A policy with one limit, which may differ for a second level. */
function definition(high: number, second: number | null, delayMs = 0): PolicyInput['definition'] {
  const step = (level: 1 | 3, triggerAfterMs: number, limit: number | null) => ({
    level,
    triggerAfterMs,
    limits: limit === null ? [] : [{ quantity: 'temperature' as const, low: null, high: limit }],
  });
  return {
    conditions: [{ quantity: 'temperature', low: null, high, recoveryMargin: 0, recoverAfterMs: 0 }],
    steps: [step(1, delayMs, null), ...(second === null ? [] : [step(3, 60_000, second)])],
    limitIsOutside: false,
  };
}

async function create(policies: PoliciesService, name: string): Promise<number> {
  const form = { organizationId, name, description: '', enabled: true, definition: definition(8, null) };
  return (await policies.create(caller, form)).id;
}

async function requests(): Promise<[comparisons: number, replacements: number]> {
  const { rows } = await bench.pool.query<{ comparisons: number; replacements: number }>(
    `select (select count(*) from alarm_compilation)::int as comparisons,
            (select count(*) from alarm_replacement)::int as replacements`,
  );
  const [{ comparisons, replacements } = { comparisons: -1, replacements: -1 }] = rows;
  return [comparisons, replacements];
}

const limits = async (channelId: number) =>
  (
    await bench.pool.query<{ limit: number }>(
      'select limit_value as "limit" from alarm_rule where channel_id = $1 and enabled order by limit_value',
      [channelId],
    )
  ).rows.map((row) => row.limit);

test('an edit requests a comparison only if it changes more than numbers and schedules', async () => {
  // Nothing is compiled here, so that the requests stay.
  const compiler = { compile: async () => undefined, endOwn: () => Promise.reject(new Error('not used')) };
  const idle = createPoliciesService(bench.pool, { record: async () => undefined }, clock, compiler, {
    mac: (_, text) => text,
  });
  const { compile } = newProcess();
  const id = await create(idle, 'Requests');
  await idle.assign(caller, id, { kind: 'organization', id: organizationId, assetKind: null });
  await compile();
  const edit = async (next: PolicyInput['definition'], enabled = true) => {
    const { version, name } = await idle.get(caller, id);
    await idle.edit(caller, id, version, { name, description: '', enabled, definition: next });
    return requests();
  };
  const [channel = 0] = channels;
  expect(await limits(channel)).toEqual([8]);
  expect(await edit(definition(9, null))).toEqual([0, 1]);
  // A second edit before the rules of the first one were replaced.
  expect(await edit(definition(10, null, 60_000))).toEqual([0, 2]);
  await compile();
  expect([await limits(channel), await requests()]).toEqual([[10], [0, 0]]);
  expect(await compareRules(bench.pool, devices, new Date())).toEqual({ close: [], open: [] });

  expect(await edit(definition(10, 12, 60_000))).toEqual([1, 0]);
  await compile();
  expect(await limits(channel)).toEqual([10, 12]);
  // Numbers of rules that are switched off at the same time.
  expect(await edit(definition(11, 13, 60_000), false)).toEqual([1, 0]);
  await compile();
  expect(await limits(channel)).toEqual([]);
  expect(await edit(definition(12, 14, 60_000), false)).toEqual([0, 1]);
  await compile();
  expect(await limits(channel)).toEqual([]);
  expect(await edit(definition(12, 14, 60_000))).toEqual([1, 0]);
  await compile();
  expect(await limits(channel)).toEqual([12, 14]);
  await idle.remove(caller, id, 'Done');
  await compile();
});

test('alarms of a rule that is replaced end as edited, and the new limit is in force at once', async () => {
  const { policies } = newProcess();
  const id = await create(policies, 'Alarms');
  const { channelId } = await bench.channel({ versions: [] });
  await policies.assign(caller, id, { kind: 'channel', id: channelId, assetKind: null });
  await bench.send(channelId, [{ at: clock.now(), value: 9 }]);
  const { version, name } = await policies.get(caller, id);
  const next = definition(10, null);
  await policies.edit(caller, id, version, { name, description: '', enabled: true, definition: next });
  await bench.send(channelId, [{ at: clock.now() + 1, value: 9.5 }]);
  expect(await bench.alarmsOf(channelId)).toMatchObject([{ endReason: 'rule-edited' }]);
  await bench.send(channelId, [{ at: clock.now() + 2, value: 11 }]);
  expect(await bench.alarmsOf(channelId)).toMatchObject([{ endReason: 'rule-edited' }, { endedAt: null }]);
  await policies.remove(caller, id, 'Done');
});

type Change =
  | { type: 'edit'; policy: number; high: number; second: number | null; enabled: boolean; delayMs: number }
  | { type: 'assign'; policy: number; target: number }
  | { type: 'unassign'; policy: number }
  | { type: 'register' };

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('edit' as const),
      policy: fc.nat(1),
      high: fc.integer({ min: 5, max: 20 }),
      second: fc.option(fc.integer({ min: 21, max: 30 })),
      enabled: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.boolean()),
      delayMs: fc.constantFrom(0, 60_000),
    }),
  },
  fc.record({ type: fc.constant('assign' as const), policy: fc.nat(1), target: fc.nat(4) }),
  fc.record({ type: fc.constant('unassign' as const), policy: fc.nat(1) }),
  fc.record({ type: fc.constant('register' as const) }),
);

let names = 0;

test('whatever is changed at the same time in two processes, the rules in force are those of the policies', async () => {
  const processes = [newProcess(), newProcess()] as const;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(1), change), { minLength: 2, maxLength: 10 }),
      async (changes) => {
        const [one] = processes;
        const made = [
          await create(one.policies, `Random ${++names}`),
          await create(one.policies, `Random ${++names}`),
        ];
        const apply = async ({ policies }: Process, each: Change) => {
          if (each.type === 'register') {
            devices.push((await bench.channel({ versions: [] })).deviceId);
            return;
          }
          const id = made[each.policy] as number;
          if (each.type === 'assign') {
            const target =
              each.target === 0
                ? { kind: 'organization' as const, id: organizationId }
                : { kind: 'channel' as const, id: channels[each.target] as number };
            await policies.assign(caller, id, { ...target, assetKind: null });
          } else if (each.type === 'unassign') {
            const [first] = await policies.assignments(caller, id);
            if (first) await policies.unassign(caller, id, first.id);
          } else {
            const { version, name } = await policies.get(caller, id);
            const next = definition(each.high, each.second, each.delayMs);
            const form = { name, description: '', enabled: each.enabled, definition: next };
            await policies.edit(caller, id, version, form);
          }
        };
        // A change that another one has overtaken is refused, which is not the subject here.
        await Promise.allSettled(changes.map(([which, each]) => apply(processes[which as 0 | 1], each)));
        await Promise.all(processes.map(({ compile }) => compile()));
        const difference = await compareRules(bench.pool, devices, new Date());
        for (const id of made) await one.policies.remove(caller, id, 'Done');
        expect(difference).toEqual({ close: [], open: [] });
      },
    ),
    { numRuns: 40 },
  );
});
