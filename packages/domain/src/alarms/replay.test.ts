import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../readings/sealed-day.ts';
import type { AlarmLevel } from './alarm-level.ts';
import type { AlarmState, LimitRule } from './alarm-machine.ts';
import { ALARM_KINDS, CHANNEL_ALARM_KINDS, LIMIT_KINDS, type LimitKind } from './catalogue.ts';
import { defrostsOf } from './defrost-detection.ts';
import { compareEpisodes, foldEpisodes } from './episode.ts';
import { type ReferenceReading, referenceEpisodes } from './reference.ts';
import {
  type Checkpoint,
  checkpointAt,
  hasCheckpoints,
  isCalm,
  isSameCourse,
  type MachineStates,
  type ReplayInput,
  replayChannel,
  withoutPeaks,
} from './replay.ts';
import { type ChannelRules, type RuleVersion, ruleAt } from './rule-version.ts';
import { dayNumberOf, HOLIDAY_TREATMENTS, type RuleSchedule } from './schedule.ts';
import type { Signal } from './signal.ts';
import { signalValues } from './signal-values.ts';

const HIGH: LimitRule = {
  id: 1,
  kind: 'high',
  signal: null,
  level: 3,
  limit: 8,
  triggerAfterMs: 0,
  recoverAfterMs: 0,
  recoveryMargin: 0,
  gapAllowanceMs: DAY_MS,
  limitIsOutside: false,
};
const always = (rule: LimitRule): RuleVersion => ({
  rule,
  from: -Infinity,
  until: Infinity,
  endReason: 'rule-edited',
});
const rulesOf = (...versions: RuleVersion[]): ChannelRules => ({ versions, gaps: [], quiet: [] });
const series = (rows: readonly (readonly [number, number])[]) => ({
  at: Float64Array.from(rows, ([at]) => at),
  value: Float64Array.from(rows, ([, value]) => value),
});

function play(rows: readonly (readonly [number, number])[], over: Partial<ReplayInput> = {}) {
  return replayChannel({
    rules: rulesOf(always(HIGH)),
    states: new Map(),
    readings: series(rows),
    latest: rows[0]?.[0] ?? 0,
    checkpoints: null,
    wasHolding: () => false,
    ...over,
  });
}

test('the kinds with limits include those of derived values, and all kinds of a channel are alarm kinds', () => {
  expect(LIMIT_KINDS).toEqual(expect.arrayContaining(['high', 'low', 'fast-rise', 'expected-low']));
  expect(ALARM_KINDS).toEqual(expect.arrayContaining([...CHANNEL_ALARM_KINDS]));
});

describe('end of a replay', () => {
  test('a replay ends at the first calm reading after the late ones if no alarm is stored there', () => {
    const rows = [
      [0, 5],
      [1, 5],
      [2, 9],
    ] as const;
    expect(play(rows)).toMatchObject({ settled: { at: 1, as: 'rest' }, effects: [] });
    expect(play(rows, { wasHolding: (at) => at === 1 })).toMatchObject({ settled: null });
  });
  test('a replay does not end at a reading outside the limits, even if no rule is active', () => {
    const slow = rulesOf(always({ ...HIGH, triggerAfterMs: 50 }));
    const replay = play(
      [
        [0, 9],
        [1, 9],
      ],
      { rules: slow },
    );
    expect(replay.settled).toBeNull();
    expect(replay.states.get(1)).toMatchObject({ phase: 'pending' });
  });
  test('a replay may end at a reading outside the limits in a quiet span, because it is not evaluated', () => {
    const quiet = { ...rulesOf(always(HIGH)), quiet: [{ from: 0, until: 10 }] };
    const rows = [
      [0, 9],
      [1, 9],
    ] as const;
    expect(play(rows, { rules: quiet }).settled).toEqual({ at: 1, as: 'rest' });
  });

  const before = DAY_MS - 10;
  const across = [
    [before, 9],
    [DAY_MS + 10, 9],
    [DAY_MS + 20, 9],
  ] as const;
  const stored = (): Checkpoint[] => play(across).checkpoints;

  test('a replay ends at a midnight at which its states equal the stored ones', () => {
    expect(stored()).toMatchObject([{ day: 1, untilDay: 1 }]);
    const replay = play(across, { checkpoints: stored() });
    expect(replay.settled).toEqual({ at: DAY_MS, as: 'same' });
    expect(replay.checkpoints).toHaveLength(1);
  });
  test('a replay does not end at a midnight before the late readings or at one with different states', () => {
    expect(play(across, { checkpoints: stored(), latest: DAY_MS + 10 }).settled).toBeNull();
    const other = stored().map((checkpoint) => ({ ...checkpoint, states: new Map() }));
    expect(play(across, { checkpoints: other }).settled).toBeNull();
  });
  test('a replay ends at a midnight without states if none are stored and no alarm was open', () => {
    const back = rulesOf({ ...always(HIGH), until: before + 5 });
    expect(play(across, { rules: back, checkpoints: [] }).settled).toEqual({ at: DAY_MS, as: 'rest' });
    expect(play(across, { rules: back, checkpoints: [], wasHolding: () => true }).settled).toBeNull();
    expect(play(across, { rules: back, checkpoints: stored() }).settled).not.toEqual({
      at: DAY_MS,
      as: 'rest',
    });
    expect(play(across, { checkpoints: [] }).settled).toBeNull();
  });
});

test('one checkpoint covers several days without readings', () => {
  const { checkpoints } = play([
    [10, 9],
    [3 * DAY_MS + 10, 9],
  ]);
  expect(checkpoints).toMatchObject([{ day: 1, untilDay: 3 }]);
  expect(checkpointAt(checkpoints, 2)).toBe(checkpoints[0]);
  expect(checkpointAt(checkpoints, 4)).toBeUndefined();
  expect(checkpointAt(checkpoints, 0)).toBeUndefined();
});

test('when a rule version ends, its pending alarm is discarded and its open alarm ends', () => {
  const slow = { ...HIGH, id: 2, triggerAfterMs: 50 };
  const replay = play([[0, 9]], {
    rules: rulesOf(
      { ...always(HIGH), until: 5, endReason: 'policy-disabled' },
      { ...always(slow), until: 5 },
      { ...always({ ...HIGH, id: 3 }), from: 5 },
      { ...always({ ...HIGH, id: 4, limit: 20 }), until: 5 },
    ),
  });
  expect(replay.states.size).toBe(0);
  expect(replay.effects.map(({ effect }) => effect)).toMatchObject([
    { type: 'raise' },
    { type: 'end', endedAt: 5, reason: 'policy-disabled' },
  ]);
});

describe('calm readings', () => {
  const bounded = rulesOf({ ...always(HIGH), from: 10, until: 20 });
  test.each([
    [9, 99, true],
    [10, 99, false],
    [19, 8, true],
    [20, 99, true],
  ])('a reading at %d with the value %d is calm: %s', (at, value, calm) => {
    expect(isCalm(bounded, at, () => value)).toBe(calm);
  });
});

describe('comparison of states', () => {
  const active: AlarmState = {
    phase: 'active',
    since: 0,
    raisedAt: 0,
    lastAt: 9,
    peak: 10,
    peakAt: 1,
    recoveredMs: 0,
    limit: 8,
    recoveryMargin: 0,
  };
  const pending: AlarmState = { phase: 'pending', since: 1, accruedMs: 2, lastAt: 9, peak: 9, peakAt: 3 };
  const one = (state: AlarmState) => new Map([[1, state]]);
  test.each([
    [
      'though they began at other times and went farther',
      { ...active, since: 5, raisedAt: 5, peak: 12 },
      active,
      true,
    ],
    ['not in another phase', { ...active, phase: 'recovering' as const }, active, false],
    ['not after another last reading', { ...active, lastAt: 8 }, active, false],
    ['not with another recovered time', { ...active, recoveredMs: 1 }, active, false],
    ['not with another limit', { ...active, limit: 9 }, active, false],
    ['not with another margin', { ...active, recoveryMargin: 1 }, active, false],
    ['pending alike', { ...pending }, pending, true],
    ['not pending since another time', { ...pending, since: 2 }, pending, false],
    ['not pending for longer', { ...pending, accruedMs: 3 }, pending, false],
    ['not pending with another peak', { ...pending, peak: 10 }, pending, false],
    ['not of a normal machine', { phase: 'normal' as const }, active, false],
    ['not with a normal machine', active, { phase: 'normal' as const }, false],
  ])('two states lead to the same alarms or not: %s', (_name, a, b, same) => {
    expect(isSameCourse(one(a), one(b))).toBe(same);
  });
  test('states of other rules, or of more rules, do not lead to the same alarms', () => {
    expect(isSameCourse(one(active), new Map([[2, active]]))).toBe(false);
    expect(isSameCourse(one(active), new Map())).toBe(false);
  });
  test('a checkpoint keeps the peaks of pending alarms only', () => {
    expect(withoutPeaks(one(active)).get(1)).toMatchObject({ peak: null, peakAt: null });
    expect(withoutPeaks(one({ ...active, phase: 'recovering' })).get(1)).toMatchObject({ peak: null });
    expect(withoutPeaks(one(pending)).get(1)).toBe(pending);
  });
});

test('a rule uses the gap allowance that was in force at the time', () => {
  const gaps = [
    { from: 10, allowanceMs: 7 },
    { from: 20, allowanceMs: DAY_MS },
  ];
  expect(ruleAt(HIGH, gaps, 9)).toBe(HIGH);
  expect(ruleAt(HIGH, gaps, 10).gapAllowanceMs).toBe(7);
  expect(ruleAt(HIGH, gaps, 20)).toBe(HIGH);
});

test('if several rules end at the same moment and one of them by recovery, an episode that begins at that moment continues the ended one', () => {
  const edited = (rule: LimitRule): RuleVersion => ({
    rule,
    from: -Infinity,
    until: 10,
    endReason: 'rule-edited',
  });
  const recovers = (id: number) => always({ ...HIGH, id });
  const ends = (id: number) => edited({ ...HIGH, id });
  const begins = always({ ...HIGH, id: 3, limit: 4 });
  const readings = [
    { at: 0, value: 9 },
    { at: 10, value: 5 },
    { at: 20, value: 3 },
  ];
  for (const rules of [
    rulesOf(recovers(1), ends(2), { ...begins, from: 10 }),
    rulesOf(ends(1), recovers(2), { ...begins, from: 10 }),
  ])
    expect(referenceEpisodes(rules, readings)).toMatchObject([
      { since: 0, endedAt: 20, endReason: 'recovered' },
    ]);
  expect(referenceEpisodes(rulesOf(ends(1), ends(2), { ...begins, from: 10 }), readings)).toHaveLength(2);
});

test('alarms that time out end at the last reading, together with a rule of the same kind that ended before the timeout', () => {
  const timeouts = [DAY_MS + 5];
  const ended = (rule: LimitRule): RuleVersion => ({ ...always(rule), until: 10 });
  const low: LimitRule = { ...HIGH, id: 2, kind: 'low', limit: 20 };
  const slow: LimitRule = { ...HIGH, id: 4, triggerAfterMs: 50 };
  const rules: ChannelRules = {
    ...rulesOf(always(HIGH), ended(low), ended({ ...HIGH, id: 3 }), always(slow)),
    timeouts,
  };
  const at = [0, 2 * DAY_MS];
  const expected = [
    { kind: 'high', since: 0, endedAt: 0, endReason: 'data-timeout', peakAt: 0 },
    { kind: 'low', since: 0, endedAt: 10, endReason: 'rule-edited' },
    { kind: 'high', since: 2 * DAY_MS, endedAt: null },
  ];
  expect(
    referenceEpisodes(
      rules,
      at.map((moment) => ({ at: moment, value: 9 })),
    ),
  ).toMatchObject(expected);
  const { effects, states } = play([[0, 9]], { rules, nextAt: 2 * DAY_MS });
  expect(states.size).toBe(0);
  expect(
    effects.flatMap(({ rule, effect }) =>
      effect.type === 'end' ? [[rule.id, effect.endedAt, effect.reason]] : [],
    ),
  ).toEqual([
    [1, 0, 'data-timeout'],
    [3, 0, 'data-timeout'],
    [2, 10, 'rule-edited'],
  ]);
});

test('a limit on the difference to a sensor that never sent a reading raises no alarm', () => {
  const signal: Signal = { type: 'difference', otherChannelId: 77, maxAgeMs: 5 };
  const rules = rulesOf(always({ ...HIGH, kind: 'difference', signal, limit: 1 }));
  expect(referenceEpisodes(rules, [{ at: 0, value: 9 }])).toEqual([]);
});

describe('replay compared with the reference implementation', () => {
  const OTHER = 77;
  const SWITCH = 78;
  const MINUTE_MS = 60_000;
  /** The histories begin at 22:30 on a Thursday, so that most of them cross midnight. */
  const BEGIN = 22.5 * 60 * MINUTE_MS;
  const anySignal = fc.constantFrom<[LimitKind, Signal | null]>(
    ['high', null],
    ['low', null],
    ['fast-rise', { type: 'rate', windowMs: 9 * MINUTE_MS }],
    ['fast-fall', { type: 'rate', windowMs: 4 * MINUTE_MS }],
    ['total-time', { type: 'outside-time', windowMs: 20 * MINUTE_MS, low: 4, high: 6 }],
    ['repeated', { type: 'outside-count', windowMs: 20 * MINUTE_MS, low: null, high: 6 }],
    ['expected-high', { type: 'forecast', windowMs: 15 * MINUTE_MS, horizonMs: 10 * MINUTE_MS }],
    ['expected-low', { type: 'forecast', windowMs: 15 * MINUTE_MS, horizonMs: 10 * MINUTE_MS }],
    ['difference', { type: 'difference', otherChannelId: OTHER, maxAgeMs: 5 * MINUTE_MS }],
    ['high', { type: 'while', otherChannelId: OTHER, maxAgeMs: 5 * MINUTE_MS, low: 5, high: null }],
    ['low', { type: 'while', otherChannelId: OTHER, maxAgeMs: 9 * MINUTE_MS, low: null, high: 5 }],
  );
  /** Further conditions of a signal about two other channels. */
  const anyFurther = fc.array(
    fc.record({
      otherChannelId: fc.constantFrom(OTHER, SWITCH),
      maxAgeMs: fc.constantFrom(3 * MINUTE_MS, 12 * MINUTE_MS),
      low: fc.constantFrom(null, 1, 4),
      high: fc.constantFrom(0, 6, null),
    }),
    { maxLength: 3 },
  );
  /** Factor for the limits of a signal, so that they fit the values in these histories. */
  const scaleOf = (signal: Signal | null) =>
    signal?.type === 'rate' ? 15 : signal?.type === 'outside-time' ? 1 : 0.5;
  /** Schedules whose spans begin and end within the histories. */
  const anySchedule = fc.record<RuleSchedule>({
    spans: fc.constantFrom<RuleSchedule['spans']>(
      [{ days: [4], from: '22:40', until: '23:10' }],
      [{ days: [4], from: '23:10', until: '00:20' }],
      [{ days: [3, 5], from: '23:30', until: '22:50' }],
      [{ days: [7], from: '22:30', until: '23:30' }],
      [
        { days: [4, 5], from: '22:00', until: '22:45' },
        { days: [4], from: '23:05', until: '00:00' },
      ],
    ),
    timeZone: fc.constantFrom('UTC', 'Africa/Abidjan', 'Africa/Lagos'),
    holidays: fc.constantFrom(...HOLIDAY_TREATMENTS),
    holidayDays: fc.constantFrom(new Set<number>(), new Set([dayNumberOf('1970-01-01')])),
  });
  const anyRule = fc.record({
    schedule: fc.option(anySchedule),
    defrost: fc.option(
      fc.record({
        delayMs: fc.constantFrom(5 * MINUTE_MS, 20 * MINUTE_MS),
        channelId: fc.constantFrom(null, SWITCH),
      }),
    ),
    compared: anySignal,
    and: anyFurther,
    level: fc.constantFrom<AlarmLevel>(1, 3, 5),
    limit: fc.constantFrom(4, 5, 6),
    triggerAfterMs: fc.constantFrom(0, 3 * MINUTE_MS, 10 * MINUTE_MS),
    recoverAfterMs: fc.constantFrom(0, 4 * MINUTE_MS, 20 * MINUTE_MS),
    recoveryMargin: fc.constantFrom(0, 1, 3),
    gapAllowanceMs: fc.constantFrom(4 * MINUTE_MS, 100 * MINUTE_MS),
    limitIsOutside: fc.boolean(),
  });
  function toRule(id: number, { compared: [kind, own], and, ...rule }: AnyRule): LimitRule {
    const signal = own && { ...own, and };
    const isPlain = signal === null || signal.type === 'while' || signal.type === 'forecast';
    const scale = isPlain ? 1 : scaleOf(signal);
    const limit = kind === 'fast-fall' ? -rule.limit * scale : rule.limit * scale;
    const defrost = kind === 'high' && signal === null ? rule.defrost : null;
    return { ...rule, id, kind, signal, limit, defrost, recoveryMargin: rule.recoveryMargin * scale };
  }
  const anyVersion = fc.tuple(anyRule, fc.option(fc.integer({ min: 1, max: 60 })), fc.boolean());
  const history = fc
    .array(
      fc.tuple(
        fc.oneof(
          { weight: 12, arbitrary: fc.integer({ min: 1, max: 6 }) },
          { weight: 1, arbitrary: fc.constantFrom(1_430, 1_440, 3_000) },
        ),
        fc.integer({ min: 1, max: 9 }),
      ),
      { maxLength: 40 },
    )
    .map((rows) => {
      let at = BEGIN;
      return rows.map(([apart, value]): ReferenceReading => {
        at += apart * MINUTE_MS;
        return { at, value };
      });
    });
  const momentOf = (minute: number) => BEGIN + minute * MINUTE_MS;
  type AnyRule = typeof anyRule extends fc.Arbitrary<infer T> ? T : never;

  const rules = fc
    .record({
      versions: fc.array(anyVersion, { minLength: 1, maxLength: 3 }),
      quiet: fc.array(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 30 })), {
        maxLength: 2,
      }),
      timeouts: fc.array(fc.integer({ min: 0, max: 4_500 }), { maxLength: 3 }),
      gaps: fc.constantFrom([], [{ from: momentOf(30), allowanceMs: 2 * MINUTE_MS }]),
    })
    .map(
      ({ versions, quiet, gaps, timeouts }): ChannelRules => ({
        timeouts: timeouts.map(momentOf).sort((a, b) => a - b),
        versions: versions.map(([rule, bound, isBefore], id) => ({
          rule: toRule(id, rule),
          from: bound === null || isBefore ? -Infinity : momentOf(bound),
          until: bound === null || !isBefore ? Infinity : momentOf(bound),
          endReason: 'rule-edited',
        })),
        quiet: quiet.map(([from, length]) => ({ from: momentOf(from), until: momentOf(from + length) })),
        gaps,
      }),
    );

  test('a replay gives the same episodes as the reference implementation', () => {
    fc.assert(
      fc.property(rules, history, history, (given, readings, other) => {
        const columns = series(readings.map(({ at, value }) => [at, value]));
        const switched = other.map(({ at, value }) => ({ at, value: value > 5 ? 1 : 0 }));
        const others = new Map([
          [OTHER, series(other.map(({ at, value }) => [at, value]))],
          [SWITCH, series(switched.map(({ at, value }) => [at, value]))],
        ]);
        const defrosts = new Map(
          given.versions.map(({ rule }) => [rule.id, defrostsOf(rule, columns, 0, others)]),
        );
        const signals = new Map(
          given.versions.map(({ rule }) => [rule.id, signalValues(rule, columns, 0, others)]),
        );
        const replay = replayChannel({
          rules: given,
          states: new Map(),
          readings: columns,
          signals,
          defrosts,
          latest: Infinity,
          checkpoints: null,
          wasHolding: () => false,
        });
        const episodes = LIMIT_KINDS.flatMap((kind) =>
          foldEpisodes(
            null,
            new Map(),
            replay.effects.filter(({ rule }) => rule.kind === kind),
            (at) =>
              given.versions.filter(({ from, until }) => from <= at && at < until).map(({ rule }) => rule),
          ),
        ).sort(compareEpisodes);
        expect(
          episodes.map(({ kind, since, raisedAt, endedAt, endReason, peakLevel, peak, peakAt }) => ({
            kind,
            since,
            raisedAt,
            endedAt,
            endReason,
            peakLevel,
            peak,
            peakAt,
          })),
        ).toEqual(
          referenceEpisodes(
            given,
            readings,
            new Map([
              [OTHER, other],
              [SWITCH, switched],
            ]),
          ),
        );
      }),
      { numRuns: 1_000 },
    );
  });
});

test('a defrost switch that has never reported delays no alarm', () => {
  const silent = rulesOf(always({ ...HIGH, defrost: { delayMs: 20, channelId: 78 } }));
  expect(referenceEpisodes(silent, [{ at: 0, value: 9 }])).toMatchObject([{ raisedAt: 0 }]);
  expect(play([[0, 9]], { rules: silent }).effects).toMatchObject([
    { effect: { type: 'raise', raisedAt: 0 } },
  ]);
});

test('pending alarms that a defrost delays differently lead to other alarms', () => {
  const pending = (defrost?: { until: number; dueAt: number | null }): MachineStates => {
    const state: AlarmState = { phase: 'pending', since: 0, accruedMs: 0, lastAt: 0, peak: 9, peakAt: 0 };
    return new Map([[1, defrost ? { ...state, defrost } : state]]);
  };
  const delayed = pending({ until: 20, dueAt: null });
  expect(isSameCourse(pending(), pending())).toBe(true);
  expect(isSameCourse(delayed, pending({ until: 20, dueAt: null }))).toBe(true);
  expect(isSameCourse(delayed, pending())).toBe(false);
  expect(isSameCourse(pending(), delayed)).toBe(false);
  expect(isSameCourse(delayed, pending({ until: 20, dueAt: 5 }))).toBe(false);
});

describe('comparison of stored and replayed checkpoints', () => {
  const active = (recoveredMs: number): MachineStates =>
    new Map([
      [
        1,
        {
          phase: 'active',
          since: 0,
          raisedAt: 0,
          lastAt: 5,
          peak: null,
          peakAt: null,
          recoveredMs,
          limit: 8,
          recoveryMargin: 0,
        },
      ],
    ]);
  const checkpoint = (day: number, untilDay = day, recoveredMs = 0) => ({
    day,
    untilDay,
    states: active(recoveredMs),
  });

  test.each([
    ['are the same', [checkpoint(3), checkpoint(4)], [checkpoint(3), checkpoint(4)], true],
    [
      'leave out what is before and after',
      [checkpoint(2), checkpoint(3), checkpoint(6)],
      [checkpoint(3)],
      true,
    ],
    ['lack one', [checkpoint(3)], [checkpoint(3), checkpoint(4)], false],
    ['have one too many', [checkpoint(3), checkpoint(4)], [checkpoint(3)], false],
    ['last longer', [checkpoint(3, 5)], [checkpoint(3)], false],
    ['reach into the stretch from before it', [checkpoint(1, 3)], [checkpoint(3)], false],
    ['lead to another course', [checkpoint(3, 3, 7)], [checkpoint(3)], false],
  ])('stored checkpoints are compared with those of a replay: they %s', (_name, stored, replayed, isSame) => {
    expect(hasCheckpoints(stored, replayed, 2, 5)).toBe(isSame);
  });
});
