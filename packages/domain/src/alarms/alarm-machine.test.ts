import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  type AlarmEffect,
  type AlarmState,
  defaultGapAllowanceMs,
  type LimitRule,
  NORMAL,
  step,
} from './alarm-machine.ts';
import { judge } from './judge.ts';

const MIN = 60_000;

/**
 * A rule with limit 8 °C (high), trigger delay 10 min and recovery margin 0.5, except for the given fields.
 */
function rule(over: Partial<LimitRule> = {}): LimitRule {
  return {
    id: 1,
    kind: 'high',
    signal: null,
    level: 3,
    limit: 8,
    triggerAfterMs: 10 * MIN,
    recoverAfterMs: 0,
    recoveryMargin: 0.5,
    gapAllowanceMs: 5 * MIN,
    limitIsOutside: false,
    ...over,
  };
}

type Row = readonly [minute: number, value: number];

function run(machine: LimitRule, rows: readonly Row[], start: AlarmState = NORMAL) {
  let state = start;
  const effects: AlarmEffect[] = [];
  for (const [minute, value] of rows) {
    const result = step(machine, state, { at: minute * MIN, value });
    state = result.state;
    effects.push(...result.effects);
  }
  return { state, effects };
}

/** Effects as short texts with times in minutes: `raise@11(since 1)`, `end@20`. */
function say(effects: readonly AlarmEffect[]): string[] {
  return effects.map((effect) => {
    if (effect.type === 'raise') return `raise@${effect.raisedAt / MIN}(since ${effect.since / MIN})`;
    if (effect.type === 'end') return `end@${effect.endedAt / MIN}`;
    if (effect.type === 'peak') return `peak ${effect.peak}@${effect.peakAt / MIN}`;
    return effect.type;
  });
}

describe('state machine of a limit rule', () => {
  const cases: { name: string; rule?: Partial<LimitRule>; rows: Row[]; phase: string; effects: string[] }[] =
    [
      {
        name: 'inside stays normal',
        rows: [
          [0, 5],
          [1, 7.9],
        ],
        phase: 'normal',
        effects: [],
      },
      {
        name: 'the limit itself is inside (decision 6)',
        rows: [
          [0, 8],
          [10, 8],
        ],
        phase: 'normal',
        effects: [],
      },
      {
        name: 'the limit itself is outside under a WHO rule',
        rule: { limitIsOutside: true, triggerAfterMs: 0 },
        rows: [[0, 8]],
        phase: 'active',
        effects: ['raise@0(since 0)'],
      },
      { name: 'one reading outside is pending', rows: [[1, 9]], phase: 'pending', effects: [] },
      {
        name: 'outside at 1, 6, 11 with trigger time 10 is raised at 11',
        rows: [
          [1, 9],
          [6, 9],
          [11, 9],
        ],
        phase: 'active',
        effects: ['raise@11(since 1)'],
      },
      {
        name: 'the reading that completes the time raises it, though later than the time',
        rows: [
          [1, 9],
          [6, 9],
          [10, 9],
          [13, 9],
        ],
        phase: 'active',
        effects: ['raise@13(since 1)'],
      },
      {
        name: 'trigger time 0 raises at once',
        rule: { triggerAfterMs: 0 },
        rows: [[3, 8.1]],
        phase: 'active',
        effects: ['raise@3(since 3)'],
      },
      {
        name: 'back inside before the time is up is forgotten',
        rows: [
          [0, 9],
          [5, 9],
          [6, 7.9],
          [7, 9],
          [11, 9],
        ],
        phase: 'pending',
        effects: [],
      },
      {
        name: 'a gap does not grow the pending time (decision 7)',
        rows: [
          [0, 9],
          [4, 9],
          [34, 9],
          [38, 9],
        ],
        phase: 'pending',
        effects: [],
      },
      {
        name: 'after a gap the time goes on where it stood',
        rows: [
          [0, 9],
          [4, 9],
          [34, 9],
          [38, 9],
          [40, 9],
        ],
        phase: 'active',
        effects: ['raise@40(since 0)'],
      },
      {
        name: 'exactly the gap allowance is no gap',
        rows: [
          [0, 9],
          [5, 9],
          [10, 9],
        ],
        phase: 'active',
        effects: ['raise@10(since 0)'],
      },
      {
        name: 'inside but within the margin does not end it',
        rule: { triggerAfterMs: 0 },
        rows: [
          [0, 9],
          [1, 7.9],
          [2, 7.6],
        ],
        phase: 'active',
        effects: ['raise@0(since 0)'],
      },
      {
        name: 'inside by the margin ends it',
        rule: { triggerAfterMs: 0 },
        rows: [
          [0, 9],
          [1, 7.5],
        ],
        phase: 'normal',
        effects: ['raise@0(since 0)', 'end@1'],
      },
      {
        name: 'flapping around the limit is one alarm',
        rule: { triggerAfterMs: 0 },
        rows: [
          [0, 8.1],
          [1, 7.9],
          [2, 8.1],
          [3, 7.9],
          [4, 8.1],
        ],
        phase: 'active',
        effects: ['raise@0(since 0)'],
      },
      {
        name: 'a farther value is the new peak, a nearer one is not',
        rule: { triggerAfterMs: 0 },
        rows: [
          [0, 8.1],
          [1, 9],
          [2, 8.5],
        ],
        phase: 'active',
        effects: ['raise@0(since 0)', 'peak 9@1'],
      },
      {
        name: 'recovering takes its time',
        rule: { triggerAfterMs: 0, recoverAfterMs: 5 * MIN },
        rows: [
          [0, 9],
          [1, 7],
          [4, 7],
          [6, 7],
        ],
        phase: 'normal',
        effects: ['raise@0(since 0)', 'recovering', 'end@6'],
      },
      {
        name: 'recovering does not count a gap',
        rule: { triggerAfterMs: 0, recoverAfterMs: 5 * MIN },
        rows: [
          [0, 9],
          [1, 7],
          [31, 7],
          [34, 7],
        ],
        phase: 'recovering',
        effects: ['raise@0(since 0)', 'recovering'],
      },
      {
        name: 'a relapse starts recovering anew, and is the same alarm',
        rule: { triggerAfterMs: 0, recoverAfterMs: 5 * MIN },
        rows: [
          [0, 9],
          [1, 7],
          [4, 8.5],
          [5, 7],
          [10, 7],
        ],
        phase: 'normal',
        effects: ['raise@0(since 0)', 'recovering', 'relapse', 'recovering', 'end@10'],
      },
      {
        name: 'without a margin, the limit itself recovers',
        rule: { triggerAfterMs: 0, recoveryMargin: 0 },
        rows: [
          [0, 9],
          [1, 8],
        ],
        phase: 'normal',
        effects: ['raise@0(since 0)', 'end@1'],
      },
      {
        name: 'without a margin under a WHO rule, the limit itself does not recover',
        rule: { triggerAfterMs: 0, recoveryMargin: 0, limitIsOutside: true },
        rows: [
          [0, 9],
          [1, 8],
          [2, 7.9],
        ],
        phase: 'normal',
        effects: ['raise@0(since 0)', 'end@2'],
      },
      {
        name: 'low: outside is below, the peak is the lowest',
        rule: { kind: 'low', limit: 2, triggerAfterMs: 2 * MIN },
        rows: [
          [0, 1.9],
          [1, 0.4],
          [2, 1.5],
          [3, 0.1],
          [4, 2.4],
          [5, 2.5],
        ],
        phase: 'normal',
        effects: ['raise@2(since 0)', 'peak 0.1@3', 'end@5'],
      },
    ];
  test.each(cases)('a limit rule is evaluated correctly: $name', ({ rule: over, rows, phase, effects }) => {
    const result = run(rule(over), rows);
    expect(result.state.phase).toBe(phase);
    expect(say(result.effects)).toEqual(effects);
  });

  it('the farthest value during the trigger delay becomes the peak of the alarm', () => {
    const { effects } = run(rule({ triggerAfterMs: 2 * MIN }), [
      [0, 9],
      [1, 11],
      [2, 10],
    ]);
    expect(effects).toEqual([
      { type: 'raise', since: 0, raisedAt: 2 * MIN, value: 10, peak: 11, peakAt: MIN },
    ]);
  });

  it('readings that are not newer than the last one are ignored', () => {
    const { state } = run(rule(), [[10, 9]]);
    expect(step(rule(), state, { at: 10 * MIN, value: 5 })).toEqual({ state, effects: [] });
    expect(step(rule(), state, { at: 9 * MIN, value: 5 })).toEqual({ state, effects: [] });
  });

  it('an open alarm is evaluated with the limits under which it was raised (decision 8)', () => {
    const { state } = run(rule({ triggerAfterMs: 0 }), [[0, 9]]);
    const edited = rule({ triggerAfterMs: 0, limit: 10 });
    expect(step(edited, state, { at: MIN, value: 8.5 }).state.phase).toBe('active');
    const open = state as AlarmState & { phase: 'active' };
    const unfrozen = { ...open, limit: null, peak: null };
    expect(step(edited, unfrozen, { at: MIN, value: 9.8 }).effects).toEqual([
      { type: 'peak', peak: 9.8, peakAt: MIN },
    ]);
  });
});

describe('delay of an alarm by a defrost', () => {
  const delayed = (triggerAfterMs: number, channelId: number | null = 9) =>
    rule({ triggerAfterMs, defrost: { delayMs: 20 * MIN, channelId } });
  function runInDefrost(
    machine: LimitRule,
    minutes: readonly Row[],
    isDefrosting = (minute: number) => minute < 5,
  ) {
    let state: AlarmState = NORMAL;
    const raises: [raised: number, since: number, delay: number][] = [];
    for (const [minute, value] of minutes) {
      const result = step(machine, state, { at: minute * MIN, value, defrosting: isDefrosting(minute) });
      state = result.state;
      for (const effect of result.effects)
        if (effect.type === 'raise')
          raises.push([effect.raisedAt / MIN, effect.since / MIN, (effect.defrostDelayMs ?? 0) / MIN]);
    }
    return { raises, phase: state.phase };
  }
  const outside = (from: number, to: number, apart = 5): Row[] =>
    Array.from({ length: (to - from) / apart + 1 }, (_, i) => [from + i * apart, 9] as const);

  test.each<[string, LimitRule, Row[], [number, number, number][], string]>([
    ['at once becomes 20 min later', delayed(0), outside(0, 30), [[20, 0, 20]], 'active'],
    ['a trigger delay of 10 min becomes 30 min', delayed(10 * MIN), outside(0, 40), [[30, 0, 20]], 'active'],
    ['back inside in time: no alarm', delayed(0), [...outside(0, 15), [18, 7]], [], 'normal'],
    ['outside still when the readings end: pending', delayed(10 * MIN), outside(0, 25), [], 'pending'],
    ['begun after the defrost: not delayed', delayed(10 * MIN), outside(5, 15), [[15, 5, 0]], 'active'],
    [
      'time in a gap counts against the delay, not for the trigger delay',
      delayed(10 * MIN),
      [...outside(0, 5), ...outside(25, 35)],
      [[30, 0, 0]],
      'active',
    ],
    [
      'without a delay in the rule nothing is delayed',
      rule({ triggerAfterMs: 0 }),
      outside(0, 5),
      [[0, 0, 0]],
      'active',
    ],
  ])('%s', (_name, machine, rows, raises, phase) => {
    expect(runInDefrost(machine, rows)).toEqual({ raises, phase });
  });

  test('it never hides an alarm: one whose value stays outside is raised at most the delay later', () => {
    fc.assert(
      fc.property(
        history,
        fc.constantFrom(0, 3 * MIN, 10 * MIN),
        fc.array(fc.boolean()),
        (readings, trigger, flags) => {
          const plain = rule({ triggerAfterMs: trigger });
          let open: AlarmState = NORMAL;
          let late: AlarmState = NORMAL;
          let raisedAt: number | null = null;
          for (const [i, { at, value }] of readings.entries()) {
            const now = step(plain, open, { at, value });
            open = now.state;
            late = step(delayed(trigger), late, { at, value, defrosting: flags[i] ?? false }).state;
            if (value <= plain.limit) raisedAt = null;
            else if (now.effects.some(({ type }) => type === 'raise')) raisedAt = at;
            if (raisedAt !== null && at >= raisedAt + 20 * MIN) expect(late.phase).toBe('active');
            if (late.phase === 'active') expect(open.phase).not.toBe('pending');
          }
        },
      ),
    );
  });
});

test('the gap allowance is the larger of two intervals and five minutes (decision 7)', () => {
  expect(defaultGapAllowanceMs(60_000)).toBe(5 * MIN);
  expect(defaultGapAllowanceMs(10 * MIN)).toBe(20 * MIN);
});

/** Readings ordered by time, one to nine minutes apart, with values around the limit. */
const history = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 60, max: 100 })), { maxLength: 60 })
  .map((rows) => {
    let minute = 0;
    return rows.map(([apart, tenths]) => {
      minute += apart;
      return { at: minute * MIN, value: tenths / 10 };
    });
  });

const anyRule = fc
  .record({
    kind: fc.constantFrom('high' as const, 'low' as const),
    signal: fc.constant(null),
    triggerAfterMs: fc.constantFrom(0, 3 * MIN, 10 * MIN),
    recoverAfterMs: fc.constantFrom(0, 4 * MIN),
    recoveryMargin: fc.constantFrom(0, 0.5),
    limitIsOutside: fc.boolean(),
  })
  .map((over) => rule(over));

function judgeInBatches(
  machine: LimitRule,
  readings: readonly { at: number; value: number }[],
  cuts: number[],
) {
  const at = readings.map((reading) => reading.at);
  const value = readings.map((reading) => reading.value);
  const ends = [...new Set([...cuts.filter((cut) => cut < readings.length), readings.length])].sort(
    (a, b) => a - b,
  );
  let state: AlarmState = NORMAL;
  let from = 0;
  const effects: AlarmEffect[] = [];
  for (const to of ends) {
    const judgement = judge(machine, state, { at, value, from, to });
    if (judgement) {
      state = judgement.state;
      effects.push(...judgement.effects.map(({ effect }) => effect));
    }
    from = to;
  }
  return { state, effects };
}

describe('properties of the alarm state machine', () => {
  test('the alarms do not depend on how the readings are divided into batches', () => {
    fc.assert(
      fc.property(anyRule, history, fc.array(fc.nat(60)), (machine, readings, cuts) => {
        expect(judgeInBatches(machine, readings, cuts)).toEqual(judgeInBatches(machine, readings, []));
      }),
    );
  });
});
