import type { LimitRule } from '@isotherm/domain/alarms/alarm-machine';
import { type ReferenceReading, referenceEpisodes } from '@isotherm/domain/alarms/reference';
import type { RuleVersion } from '@isotherm/domain/alarms/rule-version';
import type { Signal } from '@isotherm/domain/alarms/signal';
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

/** Start of the test histories, shortly before midnight, so that they cross it. */
const START = Math.floor(Date.now() / DAY_MS) * DAY_MS - 2 * DAY_MS - 40 * MIN;

const history = fc
  .array(
    fc.tuple(
      fc.oneof(
        { weight: 8, arbitrary: fc.integer({ min: 1, max: 6 }) },
        { weight: 1, arbitrary: fc.constant(40) },
      ),
      fc.constantFrom(1, 4, 5, 8.5, 9, 10.5),
    ),
    { minLength: 1, maxLength: 25 },
  )
  .map((rows) => {
    let at = START;
    return rows.map(([apart, value]): ReferenceReading => {
      at += apart * MIN;
      return { at, value };
    });
  });

const rule = fc.record({
  kind: fc.constantFrom('high' as const, 'difference' as const, 'total-time' as const),
  triggerAfterMs: fc.constantFrom(0, 4 * MIN, 10 * MIN),
  recoverAfterMs: fc.constantFrom(0, 5 * MIN),
});
type Rule = typeof rule extends fc.Arbitrary<infer T> ? T : never;
/** Parameters of the signals. All rules of one kind use the same ones, as the rules of one policy do. */
const parameters = fc.record({
  low: fc.constantFrom(null, 5),
  maxAgeMs: fc.constantFrom(5 * MIN, 30 * MIN),
  /** Bounds of a further condition about a third channel; null without such a condition. */
  third: fc.option(fc.record({ low: fc.constantFrom(null, 4.5), high: fc.constantFrom(8.7, null) })),
});
type Parameters = typeof parameters extends fc.Arbitrary<infer T> ? T : never;

function versionOf(
  { kind, ...delays }: Rule,
  { low, maxAgeMs, third }: Parameters,
  otherChannelId: number,
  thirdChannelId: number,
): RuleVersion {
  const and = third === null ? undefined : [{ ...third, otherChannelId: thirdChannelId, maxAgeMs }];
  const signals = {
    high: { type: 'while', otherChannelId, maxAgeMs, low, high: 9, and },
    difference: { type: 'difference', otherChannelId, maxAgeMs, and },
    'total-time': { type: 'outside-time', windowMs: 20 * MIN, low, high: 8, and },
  } satisfies Record<Rule['kind'], Signal>;
  const limitRule: LimitRule = {
    ...delays,
    id: 0,
    kind,
    signal: signals[kind],
    level: 3,
    limit: { high: 8, difference: 3, 'total-time': 6 }[kind],
    recoveryMargin: 0,
    gapAllowanceMs: 5 * MIN,
    limitIsOutside: false,
  };
  return { rule: limitRule, from: -Infinity, until: Infinity, endReason: 'rule-edited' };
}

/** Readings of three channels, sent in small messages, in the order of measurement or in a random order. */
const arrival = fc.tuple(history, history, history).chain(([own, other, third]) =>
  fc.record({
    own: fc.constant(own),
    other: fc.constant(other),
    third: fc.constant(third),
    rules: fc.array(rule, { minLength: 1, maxLength: 3 }),
    parameters,
    order: fc.oneof(
      fc.constant(null),
      fc.array(fc.integer({ min: 0, max: 1_000 }), {
        minLength: own.length + other.length + third.length,
        maxLength: own.length + other.length + third.length,
      }),
    ),
    size: fc.integer({ min: 1, max: 9 }),
    isOtherFirst: fc.boolean(),
  }),
);

/**
 * A late reading moves the start of an alarm to the day before, and a reading of the other channel then
 * causes a replay of the alarm from midnight on.
 */
const LATE_START = {
  own: [
    { at: START + 6 * MIN, value: 8.5 },
    { at: START + 46 * MIN, value: 10.5 },
    { at: START + 49 * MIN, value: 5 },
    { at: START + 50 * MIN, value: 1 },
    { at: START + 54 * MIN, value: 8.5 },
    { at: START + 94 * MIN, value: 10.5 },
    { at: START + 96 * MIN, value: 4 },
  ],
  other: [
    { at: START + 2 * MIN, value: 8.5 },
    { at: START + 4 * MIN, value: 8.5 },
    { at: START + 9 * MIN, value: 4 },
  ],
  third: [],
  rules: [{ kind: 'high' as const, triggerAfterMs: 0, recoverAfterMs: 0 }],
  parameters: { low: null, maxAgeMs: 5 * MIN, third: null },
  order: [309, 0, 0, 0, 594, 0, 316, 0, 0, 0],
  size: 1,
  isOtherFirst: false,
};

test('rules that use another channel raise the alarms of the reference implementation in any order of arrival of the readings', async () => {
  await fc.assert(
    fc.asyncProperty(
      arrival,
      async ({ own, other, third, rules, parameters: given, order, size, isOtherFirst }) => {
        const { channelId } = await bench.channel({ versions: [] });
        const otherId = await bench.sibling(channelId, 2, 'temperature');
        const thirdId = await bench.sibling(channelId, 3, 'temperature');
        const versions = await bench.addRules(
          channelId,
          rules.map((each) => versionOf(each, given, otherId, thirdId)),
        );
        const all = [
          ...own.map((reading) => ({ ...reading, id: channelId })),
          ...other.map((reading) => ({ ...reading, id: otherId })),
          ...third.map((reading) => ({ ...reading, id: thirdId })),
        ]
          .map((reading, i) => ({ ...reading, place: order ? (order[i] as number) : reading.at }))
          .sort((a, b) => a.place - b.place);
        const ids = isOtherFirst ? [thirdId, otherId, channelId] : [channelId, otherId, thirdId];
        for (let i = 0; i < all.length; i += size)
          for (const id of ids) {
            const some = all.slice(i, i + size).filter((reading) => reading.id === id);
            if (some.length > 0) await bench.send(id, some);
          }
        const others = new Map([
          [otherId, other],
          [thirdId, third],
        ]);
        const expected = referenceEpisodes({ versions, gaps: [], quiet: [] }, own, others);
        expect(await bench.alarmsOf(channelId)).toEqual(expected);
      },
    ),
    { numRuns: Number(process.env.RUNS ?? 60), examples: [[LATE_START]] },
  );
});
