import fc from 'fast-check';

/** Random policies, courses of alarms, and deeds of people and workers, for the reference of notifications. */

const MIN = 60_000;
const HOUR = 60 * MIN;

const step = fc.record({
  recipients: fc.subarray([0, 1, 2]),
  channels: fc.subarray(['email', 'url-push'] as const, { minLength: 1 }),
  url: fc.constantFrom('a', 'b'),
  repeatMs: fc.constantFrom(null, 2 * MIN, 7 * MIN, 30 * MIN),
  /** Distance of the step that is told if nobody acknowledges; no escalation if there is no such step. */
  escalates: fc.constantFrom(0, 0, 1, 2),
  escalatesAfterMs: fc.constantFrom(MIN, 6 * MIN, 25 * MIN),
  hasOwnLimit: fc.boolean(),
  triggerMs: fc.integer({ min: 1, max: 12 }).map((minutes) => minutes * MIN),
});
const policy = fc.record({
  levels: fc.subarray([1, 2, 3, 4, 5] as const, { minLength: 1, maxLength: 4 }),
  steps: fc.array(step, { minLength: 4, maxLength: 4 }),
  late: fc.constantFrom('if-outside' as const, 'always' as const, 'never' as const),
  recoverAfterMs: fc.constantFrom(0, 3 * MIN),
});
export type ScenarioPolicy = typeof policy extends fc.Arbitrary<infer T> ? T : never;

const deed = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('readings' as const),
      channel: fc.nat(),
      value: fc.constantFrom(5, 9, 9, 11, 13, 15),
      count: fc.integer({ min: 1, max: 6 }),
      /** Stored by the device and received together, this time after the last one. */
      receivedAfterMs: fc.constantFrom(0, 0, 0, 5 * MIN, 40 * MIN),
      isSentTwice: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('passed' as const),
      ms: fc.constantFrom(1_000, 20_000, 45_000, 2 * MIN, 6 * MIN, 11 * MIN, 45 * MIN, 4 * HOUR, 30 * HOUR),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('worked' as const),
      workers: fc.integer({ min: 1, max: 3 }),
      losesPushes: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
      /** The transaction in which the worker dies, and the statement of it; null if it does not. */
      dies: fc.option(
        fc.record({ transaction: fc.integer({ min: 1, max: 3 }), statement: fc.integer({ min: 0, max: 9 }) }),
        { freq: 3 },
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('acknowledged' as const), channel: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('declared' as const),
      inMs: fc.constantFrom(0, 0, 3 * MIN),
      forMs: fc.constantFrom(2 * MIN, 15 * MIN, 2 * HOUR),
      highestLevel: fc.constantFrom(1 as const, 3 as const, 4 as const, 5 as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('window-ended' as const) }) },
);
export type ScenarioDeed = typeof deed extends fc.Arbitrary<infer T> ? T : never;

export const scenario = fc.record({
  policies: fc.array(policy, { minLength: 1, maxLength: 2 }),
  deeds: fc.array(deed, { minLength: 6, maxLength: 30 }),
});
