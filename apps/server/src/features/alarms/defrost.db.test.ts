import type { LimitRule } from '@isotherm/domain/alarms/alarm-machine';
import { type ReferenceReading, referenceEpisodes } from '@isotherm/domain/alarms/reference';
import type { RuleVersion } from '@isotherm/domain/alarms/rule-version';
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

const historyOf = (...values: number[]) =>
  fc
    .array(fc.tuple(fc.constantFrom(1, 2, 3, 6, 40), fc.constantFrom(...values)), {
      minLength: 1,
      maxLength: 25,
    })
    .map((rows) => {
      let at = START;
      return rows.map(([apart, value]): ReferenceReading => {
        at += apart * MIN;
        return { at, value };
      });
    });

const rule = fc.record({
  level: fc.constantFrom(1 as const, 3 as const),
  limit: fc.constantFrom(8, 9.5),
  triggerAfterMs: fc.constantFrom(0, 4 * MIN, 10 * MIN),
  recoverAfterMs: fc.constantFrom(0, 5 * MIN),
  delayMs: fc.constantFrom(0, 5 * MIN, 12 * MIN, 60 * MIN),
});
type Rule = typeof rule extends fc.Arbitrary<infer T> ? T : never;

function versionOf({ delayMs, ...fields }: Rule, channelId: number | null): RuleVersion {
  const limitRule: LimitRule = {
    ...fields,
    id: 0,
    kind: 'high',
    signal: null,
    recoveryMargin: 0,
    gapAllowanceMs: 5 * MIN,
    limitIsOutside: false,
    defrost: delayMs > 0 ? { delayMs, channelId } : null,
  };
  return { rule: limitRule, from: -Infinity, until: Infinity, endReason: 'rule-edited' };
}

const arrival = fc.tuple(historyOf(6, 7.5, 8.5, 9, 9, 10, 10), historyOf(0, 1)).chain(([own, switched]) =>
  fc.record({
    own: fc.constant(own),
    switched: fc.constant(switched),
    hasSwitch: fc.boolean(),
    rules: fc.array(rule, { minLength: 1, maxLength: 3 }),
    order: fc.oneof(
      fc.constant(null),
      fc.array(fc.nat(1_000), {
        minLength: own.length + switched.length,
        maxLength: own.length + switched.length,
      }),
    ),
    size: fc.integer({ min: 1, max: 9 }),
  }),
);

/** A switch that is on when the temperature leaves its limit, and a rule that is delayed by 12 minutes. */
const IN_ORDER = {
  own: [0, 6, 12, 18].map((minute) => ({ at: START + minute * MIN, value: minute === 0 ? 6 : 9 })),
  switched: [{ at: START + 5 * MIN, value: 1 }],
  hasSwitch: true,
  rules: [{ level: 3 as const, limit: 8 as const, triggerAfterMs: 0, recoverAfterMs: 0, delayMs: 12 * MIN }],
  order: null,
  size: 1,
};

test('a defrost delays alarms as in the reference implementation, in any order of arrival of the readings', async () => {
  let delayed = 0;

  await fc.assert(
    fc.asyncProperty(arrival, async ({ own, switched, hasSwitch, rules, order, size }) => {
      const { channelId } = await bench.channel({ versions: [] });
      const switchId = await bench.sibling(channelId, 2, 'defrost');
      const versions = await bench.addRules(
        channelId,
        rules.map((each) => versionOf(each, hasSwitch ? switchId : null)),
      );
      const all = [
        ...own.map((reading) => ({ ...reading, id: channelId })),
        ...switched.map((reading) => ({ ...reading, id: switchId })),
      ]
        .map((reading, i) => ({ ...reading, place: order ? (order[i] as number) : reading.at }))
        .sort((a, b) => a.place - b.place);
      for (let i = 0; i < all.length; i += size)
        for (const id of [channelId, switchId]) {
          const some = all.slice(i, i + size).filter((reading) => reading.id === id);
          if (some.length > 0) await bench.send(id, some);
        }
      const given = { versions, gaps: [], quiet: [] };
      const expected = referenceEpisodes(given, own, new Map([[switchId, switched]]));
      expect(await bench.alarmsOf(channelId)).toEqual(expected);
      const { rows } = await bench.pool.query<{ delay: number }>(
        'select defrost_delay_ms::float8 as delay from alarm where channel_id = $1 and defrost_delay_ms is not null',
        [channelId],
      );
      delayed += rows.length;
      for (const { delay } of rows) {
        expect(delay).toBeGreaterThan(0);
        // Readings are at most 40 minutes apart, so that the one that raises the alarm can come that much later.
        expect(delay).toBeLessThan((60 + 40) * MIN);
      }
    }),
    { numRuns: Number(process.env.RUNS ?? 60), examples: [[IN_ORDER]] },
  );
  expect(delayed).toBeGreaterThan(0);
});
