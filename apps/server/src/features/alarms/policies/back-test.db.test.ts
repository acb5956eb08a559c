import type { PolicyInput } from '@isotherm/contracts/alarm-policies';
import type { LimitRule } from '@isotherm/domain/alarms/alarm-machine';
import type { RuleVersion } from '@isotherm/domain/alarms/rule-version';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import { createTestDatabase } from '@isotherm/testkit/test-database';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInvalidations } from '../../../platform/cache/invalidations.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { type AlarmBench, startAlarmBench } from '../../../testing/alarm-bench.ts';
import { createRuleBook } from '../rule-book.ts';
import { type BackTestService, createBackTestService } from './back-test.service.ts';
import { createCompiler } from './compile.ts';
import { createPoliciesService, type PoliciesService } from './policies.service.ts';

const MIN = 60_000;
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const clock = { now: () => Date.now() };
const caller = { username: 'test', scope: '/', accountId: 1 } as unknown as Caller;
let bench: AlarmBench;
let service: BackTestService;
let policies: PoliciesService;

beforeAll(async () => {
  bench = await startAlarmBench(await createTestDatabase());
  const rules = createRuleBook(createInvalidations(true));
  const compiler = createCompiler(bench.pool, rules, clock, () => undefined);
  policies = createPoliciesService(bench.pool, { record: async () => undefined }, clock, compiler, {
    mac: (_, text) => text,
  });
  service = createBackTestService(bench.pool, clock, createRuleBook(createInvalidations(true)));
});
afterAll(() => bench.stop());

type Definition = PolicyInput['definition'];
const above = (high: number, triggerAfterMs = 0): Definition => ({
  conditions: [{ quantity: 'temperature', low: null, high, recoveryMargin: 0, recoverAfterMs: 0 }],
  steps: [
    { level: 1, triggerAfterMs, limits: [] },
    { level: 3, triggerAfterMs: triggerAfterMs + 30 * MIN, limits: [] },
  ],
  limitIsOutside: false,
});
const RULE: LimitRule = {
  id: 0,
  kind: 'high',
  signal: null,
  level: 2,
  limit: 8,
  recoveryMargin: 0,
  triggerAfterMs: 20 * MIN,
  recoverAfterMs: 0,
  gapAllowanceMs: 5 * MIN,
  limitIsOutside: false,
};
const always = (rule: LimitRule): RuleVersion => ({
  rule,
  from: Number.NEGATIVE_INFINITY,
  until: Number.POSITIVE_INFINITY,
  endReason: 'rule-edited',
});

/**
 * Returns one reading per minute for a number of days before today: 5 °C, except during the given excursions
 * `[days ago, start minute, duration in minutes, value]`.
 */
function readings(days: number, excursions: readonly (readonly [number, number, number, number])[]) {
  return Array.from({ length: days * 1_440 }, (_, minute) => {
    const at = today - days * DAY_MS + minute * MIN;
    const found = excursions.find(([daysAgo, begin, length]) => {
      const from = today - daysAgo * DAY_MS + begin * MIN;
      return from <= at && at < from + length * MIN;
    });
    return { at, value: found?.[3] ?? 5 };
  });
}

const run = (channelIds: number[], definition: Definition, days = 30, isAborted = () => false) =>
  service.test(caller, { definition, channelIds, days }, isAborted);

test('alarms of a draft on sealed and unsealed days are compared with those of the rules in force', async () => {
  const { channelId } = await bench.channel({ versions: [always(RULE)] });
  const past = readings(6, [
    // This excursion is within one day, and too short for the rule in force.
    [5, 600, 10, 9],
    // This excursion spans midnight, and is long enough for both sets of rules and for level 3 of the draft.
    [4, 1_430, 60, 10.5],
    [1, 100, 10, 8.5],
  ]);
  await bench.send(channelId, past.slice(0, 5 * 1_440));
  await bench.seal();
  await bench.send(channelId, past.slice(5 * 1_440));

  const answer = await run([channelId], above(8));
  expect(answer.channels).toEqual([{ id: channelId, days: 6 }]);
  expect(answer.leftOut).toEqual([]);
  expect(answer.inForce).toMatchObject({
    total: 1,
    byLevel: [0, 1, 0, 0, 0],
    longestMs: 60 * MIN,
    onlyHere: 0,
    alarms: [{ channelId, level: 2, peak: 10.5, limit: 8, isOnlyHere: false }],
  });
  expect(answer.draft).toMatchObject({
    total: 3,
    byLevel: [2, 0, 1, 0, 0],
    longestMs: 60 * MIN,
    onlyHere: 2,
    alarms: [
      {
        since: new Date(today - DAY_MS + 100 * MIN).toISOString(),
        durationMs: 10 * MIN,
        peak: 8.5,
        isOnlyHere: true,
      },
      { since: new Date(today - 5 * DAY_MS + 600 * MIN).toISOString(), level: 1, isOnlyHere: true },
      {
        since: new Date(today - 4 * DAY_MS + 1_430 * MIN).toISOString(),
        endedAt: new Date(today - 3 * DAY_MS + 50 * MIN).toISOString(),
        level: 3,
        isOnlyHere: false,
      },
    ],
  });

  const strict = await run([channelId], above(20));
  expect(strict.draft).toMatchObject({ total: 0, longestMs: 0, alarms: [] });
  expect(strict.inForce).toMatchObject({ total: 1, onlyHere: 1 });
  expect((await run([channelId], above(8), 2)).draft.total).toBe(1);
});

test('a back-test of the rules in force finds the alarms that were raised when the readings arrived', async () => {
  const versions = [always(RULE), always({ ...RULE, kind: 'low', limit: 3, triggerAfterMs: 0 })];
  const { channelId } = await bench.channel({ versions });
  const past = readings(3, [
    [3, 30, 25, 9],
    [2, 700, 5, 2],
    [2, 1_435, 600, 9.5],
  ]);
  await bench.send(channelId, past);
  await bench.seal();
  const raised = await bench.alarmsOf(channelId);
  expect(raised).toHaveLength(3);
  const { alarms } = (await run([channelId], above(100))).inForce;
  expect(
    alarms
      .map(({ kind, since, raisedAt, endedAt, level, peak }) => ({
        kind,
        since: Date.parse(since),
        raisedAt: Date.parse(raisedAt),
        endedAt: endedAt && Date.parse(endedAt),
        peakLevel: level,
        peak,
      }))
      .sort((a, b) => a.since - b.since),
  ).toEqual(
    raised.map(({ kind, since, raisedAt, endedAt, peakLevel, peak }) => ({
      kind,
      since,
      raisedAt,
      endedAt,
      peakLevel,
      peak,
    })),
  );
});

test('sealed days whose values are all between the limits are not read from the database', async () => {
  const { channelId } = await bench.channel({ versions: [] });
  await bench.send(channelId, readings(10, [[5, 600, 10, 9]]));
  await bench.seal();
  const read: number[] = [];
  const pool = new Proxy(bench.pool, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name !== 'query') return typeof value === 'function' ? value.bind(target) : value;
      return async (...query: [pg.QueryConfig]) => {
        const answer = await target.query(...query);
        if (query[0].name === 'find-sealed') read.push(answer.rows.length);
        return answer;
      };
    },
  });
  const counting = createBackTestService(pool, clock, createRuleBook(createInvalidations(true)));
  const body = { definition: above(8), channelIds: [channelId], days: 30 };
  expect((await counting.test(caller, body, () => false)).draft.total).toBe(1);
  // Only the day of the excursion and the day after it are read.
  expect(read).toEqual([2]);
});

test('an alarm that is still open at the last reading has no end, and its duration is counted until that reading', async () => {
  const { channelId } = await bench.channel({ versions: [] });
  await bench.send(channelId, readings(2, [[1, 1_400, 40, 12]]));
  const { draft } = await run([channelId], above(8));
  expect(draft).toMatchObject({ total: 1, longestMs: 39 * MIN, alarms: [{ endedAt: null }] });
});

test('rules in force about a signal, such as the rate of change, are back-tested as well', async () => {
  const rise: LimitRule = {
    ...RULE,
    kind: 'fast-rise',
    signal: { type: 'rate', windowMs: 10 * MIN },
    limit: 10,
    triggerAfterMs: 0,
  };
  const { channelId } = await bench.channel({ versions: [always(rise)] });
  await bench.send(channelId, readings(2, [[2, 600, 10, 7.9]]));
  const { draft, inForce, channels } = await run([channelId], above(7));
  expect(channels).toEqual([{ id: channelId, days: 2 }]);
  expect(draft).toMatchObject({ total: 1, onlyHere: 1 });
  expect(inForce).toMatchObject({ total: 1, alarms: [{ kind: 'fast-rise' }] });
});

test('a draft whose conditions use signals is back-tested, also if a signal uses another channel of the device', async () => {
  const { channelId } = await bench.channel({ versions: [] });
  await bench.send(channelId, readings(2, [[2, 600, 10, 9]]));
  const conditioned = async (high: number, signal: Definition['conditions'][number]['signal']) => {
    const [condition] = above(high).conditions;
    const definition = { ...above(high), conditions: [{ ...condition, recoveryMargin: 0, signal }] };
    return (await run([channelId], definition as Definition)).draft;
  };
  expect(await conditioned(10, { type: 'rate', windowMs: 10 * MIN })).toMatchObject({
    total: 1,
    alarms: [{ kind: 'fast-rise' }],
  });
  const other = { otherQuantity: 'temperature' as const, otherSensor: 9, maxAgeMs: 30 * MIN };
  // The device does not have this sensor, so there is no difference, and the value of the other channel is
  // unknown.
  expect(await conditioned(1, { type: 'difference', ...other })).toMatchObject({ total: 0 });
  expect(await conditioned(8, { type: 'while', ...other, low: 0, high: null })).toMatchObject({ total: 1 });
});

test('a draft that delays alarms during a defrost is back-tested with the readings of the switch', async () => {
  const { channelId } = await bench.channel({ versions: [] });
  const defrost = await bench.sibling(channelId, 2, 'defrost');
  await bench.send(channelId, readings(2, [[2, 600, 10, 9]]));
  const drafted = (defrostDelayMs: number) => {
    const [condition] = above(8).conditions;
    return { ...above(8), conditions: [{ ...condition, defrostDelayMs }] } as Definition;
  };
  expect((await run([channelId], drafted(20 * MIN))).draft.total).toBe(1);
  const { since } = (await run([channelId], above(8))).draft.alarms[0] as { since: string };
  await bench.send(defrost, [{ at: Date.parse(since), value: 1 }]);
  expect((await run([channelId], drafted(20 * MIN))).draft.total).toBe(0);
  expect((await run([channelId], drafted(0))).draft.total).toBe(1);
});

test('if a calibration certificate corrects a channel, the corrected values are back-tested', async () => {
  const { channelId } = await bench.channel({ versions: [] });
  await bench.send(channelId, readings(2, [[2, 600, 10, 7.9]]));
  await bench.seal();
  expect((await run([channelId], above(8))).draft.total).toBe(0);
  await bench.pool.query(
    `with k as (
       insert into calibration (sensor_id, serial, certificate, laboratory, calibrated_on, due_on, applied_from,
                                changed_by, changed_at)
       select sensor_id, 'S-1', 'C-1', 'Lab', now() - interval '1 year', now() + interval '1 year',
              now() - interval '1 year', 'test', now() from channel where id = $1 returning id
     ) insert into calibration_point (calibration_id, channel_id, position, reference, reading)
       select k.id, $1, 0, 5, 4.5 from k`,
    [channelId],
  );
  expect((await run([channelId], above(8))).draft).toMatchObject({ total: 1, alarms: [{ peak: 8.4 }] });
});

test('conditions about missing data are left out, and a channel without readings is returned with 0 days', async () => {
  const { channelId } = await bench.channel({ versions: [] });
  const contact = {
    quantity: 'contact' as const,
    low: null,
    high: null,
    recoveryMargin: 0,
    recoverAfterMs: 0,
  };
  const definition: Definition = {
    conditions: [...above(8).conditions, contact],
    steps: [{ level: 1, triggerAfterMs: 10 * MIN, limits: [] }],
    limitIsOutside: false,
  };
  const answer = await run([channelId], definition);
  expect(answer).toMatchObject({ leftOut: ['contact'], channels: [{ id: channelId, days: 0 }] });
  expect(answer.draft.total).toBe(0);
});

test('a channel outside the caller’s scope is refused, and a back-test is aborted when its caller has disconnected', async () => {
  const { channelId } = await bench.channel({ versions: [] });
  const body = { definition: above(8), channelIds: [channelId], days: 30 };
  const elsewhere = { ...caller, scope: '/elsewhere/' };
  await expect(service.test(elsewhere, body, () => false)).rejects.toMatchObject({
    code: 'channel.not_found',
  });
  await expect(run([channelId], above(8), 30, () => true)).rejects.toMatchObject({ code: 'back_test.busy' });
});

test('the channels of a policy are those of its assignments, except channels with a nearer policy or direct rules', async () => {
  const { rows } = await bench.pool.query<{ id: number }>('select id from organization limit 1');
  const organizationId = (rows[0] as { id: number }).id;
  const make = async (name: string) =>
    (
      await policies.create(caller, {
        organizationId,
        name,
        description: '',
        enabled: true,
        definition: above(8),
      })
    ).id;
  const [wide, near, own] = [
    await bench.channel({ versions: [] }),
    await bench.channel({ versions: [] }),
    await bench.channel({ versions: [always(RULE)] }),
  ];
  const outer = await make('Wide');
  const inner = await make('Near');
  await policies.assign(caller, outer, { kind: 'organization', id: organizationId, assetKind: null });
  await policies.assign(caller, inner, { kind: 'channel', id: near.channelId, assetKind: null });
  const of = async (policyId: number | undefined, quantity: 'temperature' | 'humidity' = 'temperature') => {
    const list = await service.channels(caller, { quantities: [quantity], policyId, limit: 100 });
    expect(list.total).toBe(list.channels.length);
    return list.channels.map(({ id }) => id);
  };
  const reached = await of(outer);
  expect(reached).toContain(wide.channelId);
  expect(reached).not.toContain(near.channelId);
  expect(reached).not.toContain(own.channelId);
  expect(await of(inner)).toEqual([near.channelId]);
  expect(await of(outer, 'humidity')).toEqual([]);

  expect(await of(undefined)).not.toContain(wide.channelId);
  await bench.send(wide.channelId, [{ at: today, value: 5 }]);
  expect(await of(undefined)).toContain(wide.channelId);
});

test('before its assignment, a draft is tested on the channels of an organisation or group with all below it', async () => {
  const make = async (path: string) =>
    one(
      `insert into asset_group (organization_id, path, name) select id, $1, $1 from organization limit 1 returning id`,
      [path],
    );
  const [outer, inner] = [await make('/810/'), await make('/810/811/')];
  const [inGroup, besideIt, silent] = [
    await bench.channel({ versions: [] }),
    await bench.channel({ versions: [] }),
    await bench.channel({ versions: [] }),
  ];
  for (const { assetId } of [inGroup, silent])
    await bench.pool.query('insert into asset_group_member (group_id, asset_id) values ($1, $2)', [
      inner,
      assetId,
    ]);
  for (const { channelId } of [inGroup, besideIt]) await bench.send(channelId, [{ at: today, value: 5 }]);
  const of = async (targetKind: 'organization' | 'asset-group', targetId: number, scope = caller.scope) => {
    const query = { quantities: ['temperature' as const], targetKind, targetId, limit: 200 };
    const { channels } = await service.channels({ ...caller, scope }, query);
    return channels.map(({ id }) => id);
  };
  expect(await of('asset-group', outer)).toEqual([inGroup.channelId]);
  expect(await of('asset-group', inner)).toEqual([inGroup.channelId]);
  const organization = await one('select id from organization limit 1');
  const all = await of('organization', organization);
  expect(all).toEqual(expect.arrayContaining([inGroup.channelId, besideIt.channelId]));
  expect(all).not.toContain(silent.channelId);
  // Groups and organisations outside the caller's scope have no channels.
  expect(await of('asset-group', outer, '/elsewhere/')).toEqual([]);
  expect(await of('organization', organization, '/elsewhere/')).toEqual([]);
});

async function one(text: string, values: unknown[] = []): Promise<number> {
  const { rows } = await bench.pool.query<{ id: number }>(text, values);
  return (rows[0] as { id: number }).id;
}
