import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { type ReferenceReading, referenceEpisodes } from '@isotherm/domain/alarms/reference';
import type { ChannelRules, RuleVersion } from '@isotherm/domain/alarms/rule-version';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import { createTestDatabase } from '@isotherm/testkit/test-database';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AlarmBench, startAlarmBench } from '../../testing/alarm-bench.ts';

const MIN = 60_000;
let bench: AlarmBench;

beforeAll(async () => {
  bench = await startAlarmBench(await createTestDatabase());
});
afterAll(() => bench.stop());

/** A history that crosses midnight several times, with readings one to seven minutes apart and some longer gaps. */
const START = Math.floor(Date.now() / DAY_MS) * DAY_MS - 4 * DAY_MS - 60 * MIN;

const history = fc
  .array(
    fc.tuple(
      fc.oneof(
        { weight: 12, arbitrary: fc.integer({ min: 1, max: 7 }) },
        { weight: 1, arbitrary: fc.constantFrom(30, 700, 1500) },
      ),
      fc.constantFrom(1, 1.9, 2.4, 5, 5.5, 7.4, 7.8, 8, 8.4, 9.3, 9.3, 10.5),
    ),
    { minLength: 4, maxLength: 40 },
  )
  .map((rows) => {
    let at = START;
    return rows.map(([apart, value]) => {
      at += apart * MIN;
      return { at, value };
    });
  });

const limitRule = fc.record({
  kind: fc.constantFrom('high' as const, 'high' as const, 'low' as const),
  level: fc.constantFrom<AlarmLevel>(1, 2, 3, 4, 5),
  offset: fc.constantFrom(0, 0.4, 1.5),
  recoveryMargin: fc.constantFrom(0, 0.5, 3),
  triggerAfterMs: fc.constantFrom(0, 3 * MIN, 10 * MIN),
  recoverAfterMs: fc.constantFrom(0, 0, 5 * MIN, 12 * MIN),
  limitIsOutside: fc.boolean(),
  /** Minutes after the start at which the rule is edited: its level goes up by one. */
  editedAt: fc.option(fc.integer({ min: 5, max: 150 }), { freq: 3, nil: null }),
});

const plan = fc.record({
  rules: fc.array(limitRule, { minLength: 1, maxLength: 3 }),
  intervalMs: fc.constantFrom(MIN, 4 * MIN, 20 * MIN),
  quiet: fc.array(fc.tuple(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 1, max: 60 })), {
    maxLength: 1,
  }),
});

type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;

function versionsOf({ rules, intervalMs }: Plan): RuleVersion[] {
  return rules.flatMap((rule): RuleVersion[] => {
    const version = (level: AlarmLevel, from: number, until: number): RuleVersion => ({
      rule: {
        id: 0,
        kind: rule.kind,
        level,
        limit: rule.kind === 'high' ? 8 + rule.offset : 2 - rule.offset,
        recoveryMargin: rule.recoveryMargin,
        triggerAfterMs: rule.triggerAfterMs,
        recoverAfterMs: rule.recoverAfterMs,
        gapAllowanceMs: Math.max(2 * intervalMs, 5 * MIN),
        limitIsOutside: rule.limitIsOutside,
      },
      from,
      until,
      endReason: 'rule-edited',
    });
    if (rule.editedAt === null) return [version(rule.level, -Infinity, Infinity)];
    const edited = START + rule.editedAt * MIN;
    return [
      version(rule.level, -Infinity, edited),
      version(Math.min(5, rule.level + 1) as AlarmLevel, edited, Infinity),
    ];
  });
}

async function expectReference(
  channelId: number,
  rules: ChannelRules,
  readings: readonly ReferenceReading[],
) {
  expect(await bench.alarmsOf(channelId)).toEqual(referenceEpisodes(rules, readings));
}

interface Arrival {
  plan: Plan;
  readings: ReferenceReading[];
  order: ReferenceReading[];
  size: number;
  restartEvery: number;
  sealAfter: number | null;
  /** Message before which the rules are edited, at a moment after all readings that were received. */
  editBefore: number | null;
}

async function expectArrival({
  plan: given,
  readings,
  order,
  size,
  restartEvery,
  sealAfter,
  editBefore,
}: Arrival) {
  const quiet = given.quiet.map(([from, minutes]) => ({
    from: START + from * MIN,
    until: START + (from + minutes) * MIN,
  }));
  const made = await bench.channel({
    versions: versionsOf(given),
    intervalMs: given.intervalMs,
    quiet,
  });
  const { channelId } = made;
  let { rules } = made;
  const received: ReferenceReading[] = [];
  for (let i = 0, message = 0; i < order.length; i += size, message++) {
    if (message % restartEvery === restartEvery - 1) bench.restart();
    if (message === sealAfter) await bench.seal();
    if (message === editBefore && received.length > 0) {
      const newest = received.reduce((latest, { at }) => Math.max(latest, at), START + 150 * MIN);
      rules = await bench.edit(channelId, rules, newest + 30_000);
    }
    const some = order.slice(i, i + size);
    await bench.send(channelId, some);
    received.push(...some);
    await expectReference(channelId, rules, received);
  }
  // A resend of everything changes nothing.
  await bench.send(channelId, readings);
  await expectReference(channelId, rules, readings);
}

const arrival: fc.Arbitrary<Arrival> = history.chain((readings) =>
  fc.record({
    plan,
    readings: fc.constant(readings),
    order: fc.oneof(
      fc.shuffledSubarray(readings, { minLength: readings.length }),
      fc.constant([...readings].reverse()),
      fc.constant(readings),
    ),
    size: fc.integer({ min: 1, max: 12 }),
    restartEvery: fc.integer({ min: 1, max: 4 }),
    sealAfter: fc.option(fc.integer({ min: 1, max: 4 }), { freq: 3, nil: null }),
    editBefore: fc.option(fc.integer({ min: 1, max: 6 }), { freq: 2, nil: null }),
  }),
);

test('in whatever order and pieces readings arrive, the alarms are those of the reference', async () => {
  await fc.assert(fc.asyncProperty(arrival, expectArrival), { numRuns: Number(process.env.RUNS ?? 60) });
}, 300_000);
