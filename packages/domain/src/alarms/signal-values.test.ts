import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Series } from '../readings/series.ts';
import type { LimitRule } from './alarm-machine.ts';
import type { LimitKind } from './catalogue.ts';
import { isSameSignal, type Signal } from './signal.ts';
import { otherChannelsOf, reachOf, signalReachMs, signalValues } from './signal-values.ts';

const MIN = 60_000;
const OTHER = 9;
const unknown = Number.NaN;

function rule(signal: Signal | null, kind: LimitKind = 'high'): LimitRule {
  return {
    id: 1,
    kind,
    signal,
    level: 1,
    limit: 8,
    triggerAfterMs: 0,
    recoverAfterMs: 0,
    recoveryMargin: 0,
    gapAllowanceMs: 5 * MIN,
    limitIsOutside: false,
  };
}
/** Creates a series from pairs of minute and value. */
function series(rows: readonly (readonly [number, number])[]): Series {
  return {
    at: Float64Array.from(rows, ([minute]) => minute * MIN),
    value: Float64Array.from(rows, ([, value]) => value),
  };
}
const everyMinute = (...values: number[]) => values.map((value, minute) => [minute, value] as const);

describe('value that a rule compares at each reading', () => {
  const bounds = { low: 2, high: 8 };
  test.each<[string, Signal | null, readonly (readonly [number, number])[], number[]]>([
    ['without a signal: the measured value', null, everyMinute(5, 6), [5, 6]],
    [
      'rate: per hour, over at least half the window',
      { type: 'rate', windowMs: 4 * MIN },
      everyMinute(5, 5.1, 5.3, 5.3, 5.3, 5.3),
      [unknown, unknown, 9, 6, 4.5, 3],
    ],
    [
      'rate: unknown after a pause that is longer than the window',
      { type: 'rate', windowMs: 4 * MIN },
      [
        [0, 5],
        [2, 7],
        [9, 9],
      ],
      [unknown, 60, unknown],
    ],
    [
      'time outside: spans between two readings outside, the oldest in part',
      { type: 'outside-time', windowMs: 3 * MIN, ...bounds },
      [
        [0, 9],
        [1, 9],
        [3, 1],
        [4, 5],
        [5, 9],
        [6, 9],
      ],
      [0, 1, 3, 2, 1, 1],
    ],
    [
      'time outside: a gap does not count',
      { type: 'outside-time', windowMs: 60 * MIN, ...bounds },
      [
        [0, 9],
        [5, 9],
        [11, 9],
      ],
      [0, 5, 5],
    ],
    [
      'count: how often the value left the bounds, once more after a gap',
      { type: 'outside-count', windowMs: 10 * MIN, ...bounds },
      [
        [0, 9],
        [1, 5],
        [2, 1],
        [3, 1],
        [9, 9],
        [11, 5],
        [13, 5],
      ],
      [1, 1, 2, 2, 3, 2, 1],
    ],
    [
      'forecast: on a straight line, from four readings on',
      { type: 'forecast', windowMs: 4 * MIN, horizonMs: 10 * MIN },
      everyMinute(5, 5.1, 5.2, 5.3, 5.4),
      [unknown, unknown, unknown, 6.3, 6.4],
    ],
    [
      'forecast: unknown where readings go up and down',
      { type: 'forecast', windowMs: 4 * MIN, horizonMs: 10 * MIN },
      everyMinute(5, 9, 5, 9, 5),
      [unknown, unknown, unknown, unknown, unknown],
    ],
    [
      'forecast: a value that does not change stays',
      { type: 'forecast', windowMs: 4 * MIN, horizonMs: 10 * MIN },
      everyMinute(5, 5, 5, 5),
      [unknown, unknown, unknown, 5],
    ],
    [
      'difference: from the latest value of the other channel, if it is not too old',
      { type: 'difference', otherChannelId: OTHER, maxAgeMs: 2 * MIN },
      everyMinute(5, 5, 5, 5.25, 5),
      [unknown, 2, 2, 1.75, unknown],
    ],
    [
      'while: the value while the other channel is within the bounds, or unknown',
      { type: 'while', otherChannelId: OTHER, maxAgeMs: MIN, low: 8, high: null },
      everyMinute(5, 5, 5, 5),
      [5, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, 5],
    ],
    [
      'a signal with further conditions: its value while all of them are met, or unknown',
      {
        type: 'rate',
        windowMs: 2 * MIN,
        and: [
          { otherChannelId: OTHER, maxAgeMs: 2 * MIN, low: null, high: 7 },
          { otherChannelId: OTHER, maxAgeMs: MIN, low: 8, high: null },
          { otherChannelId: 99, maxAgeMs: MIN, low: 8, high: null },
        ],
      },
      everyMinute(5, 5, 6, 7),
      [unknown, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, 60],
    ],
  ])('the values that a rule compares are computed correctly — %s', (_name, signal, rows, values) => {
    const others = new Map([[OTHER, series([[1, 7]])]]);
    expect([...signalValues(rule(signal), series(rows), 0, others)]).toEqual(values);
  });

  test('a difference from a channel that never sent anything is unknown', () => {
    const signal: Signal = { type: 'difference', otherChannelId: OTHER, maxAgeMs: MIN };
    expect([...signalValues(rule(signal), series([[0, 5]]), 0, new Map())]).toEqual([unknown]);
  });

  test('a low rule never holds while the other channel is outside the bounds', () => {
    const signal: Signal = { type: 'while', otherChannelId: OTHER, maxAgeMs: MIN, low: null, high: 1 };
    const others = new Map([[OTHER, series([[0, 2]])]]);
    const value = signalValues(rule(signal, 'low'), series([[0, -5]]), 0, others);
    expect([...value]).toEqual([Number.POSITIVE_INFINITY]);
    expect([...signalValues(rule(signal, 'low'), series([[0, -5]]), 0, new Map())]).toEqual([-5]);
    const both: Signal = { ...signal, high: null, low: 0, and: [{ ...signal, low: null, high: 1 }] };
    expect([...signalValues(rule(both, 'low'), series([[0, -5]]), 0, others)]).toEqual([
      Number.POSITIVE_INFINITY,
    ]);
  });
});

const anySignal = fc.constantFrom<Signal>(
  { type: 'rate', windowMs: 9 * MIN },
  { type: 'outside-time', windowMs: 12 * MIN, low: 3, high: 6 },
  { type: 'outside-count', windowMs: 12 * MIN, low: null, high: 6 },
  { type: 'forecast', windowMs: 9 * MIN, horizonMs: 20 * MIN },
  { type: 'difference', otherChannelId: OTHER, maxAgeMs: 4 * MIN },
  {
    type: 'while',
    otherChannelId: OTHER,
    maxAgeMs: 2 * MIN,
    low: 3,
    high: null,
    and: [{ otherChannelId: OTHER, maxAgeMs: 9 * MIN, low: null, high: 7 }],
  },
  {
    type: 'rate',
    windowMs: 4 * MIN,
    and: [{ otherChannelId: OTHER, maxAgeMs: 20 * MIN, low: 4, high: null }],
  },
);
const history = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 9 })), { maxLength: 40 })
  .map((rows) => {
    let minute = 0;
    return series(
      rows.map(([apart, value]) => {
        minute += apart;
        return [minute, value] as const;
      }),
    );
  });

test('readings older than the reach of a signal do not change its values', () => {
  fc.assert(
    fc.property(anySignal, history, history, fc.nat(39), (signal, readings, other, index) => {
      fc.pre(index < readings.at.length);
      const given = rule(signal);
      const others = new Map([[OTHER, other]]);
      const begin = (readings.at[index] as number) - signalReachMs(given);
      const first = readings.at.findIndex((at) => at >= begin);
      const recent = { at: readings.at.subarray(first), value: readings.value.subarray(first) };
      expect([...signalValues(given, recent, index - first, others)]).toEqual([
        ...signalValues(given, readings, 0, others).subarray(index),
      ]);
    }),
  );
});

test('the reach of several rules is the longest one, and their other channels are collected', () => {
  const rules = [
    rule(null),
    rule({ type: 'rate', windowMs: MIN }),
    rule({ type: 'difference', otherChannelId: OTHER, maxAgeMs: 2 * MIN }),
    rule({
      type: 'rate',
      windowMs: MIN,
      and: [{ otherChannelId: 99, maxAgeMs: 7 * MIN, low: null, high: 1 }],
    }),
  ];
  expect(rules.map(signalReachMs)).toEqual([0, 6 * MIN, 2 * MIN, 7 * MIN]);
  expect(reachOf(rules)).toBe(7 * MIN);
  expect([...otherChannelsOf(rules)]).toEqual([OTHER, 99]);
});

test.each([
  [null, null, true],
  [null, { type: 'rate', windowMs: 1 }, false],
  [{ type: 'rate', windowMs: 1 }, null, false],
  [{ type: 'rate', windowMs: 1 }, { windowMs: 1, type: 'rate' }, true],
  [{ type: 'rate', windowMs: 1 }, { type: 'rate', windowMs: 2 }, false],
  [{ type: 'rate', windowMs: 1 }, { type: 'rate', windowMs: 1, low: 1 }, false],
  [{ windowMs: 1 }, { windowMs: 1, and: [] }, true],
  [{ windowMs: 1, and: [] }, { windowMs: 1 }, true],
  [{ windowMs: 1, and: [{ low: 1 }] }, { windowMs: 1 }, false],
  [{ and: [{ low: 1 }, { low: 2 }] }, { and: [{ low: 1 }, { low: 2 }] }, true],
  [{ and: [{ low: 1 }, { low: 2 }] }, { and: [{ low: 2 }, { low: 1 }] }, false],
])('the comparison of %j and %j as signals gives %s', (a, b, isSame) => {
  expect(isSameSignal(a, b)).toBe(isSame);
});

test('a rule with a defrost delay needs the readings of the switch for as long as the delay', () => {
  const bySwitch = { ...rule(null), defrost: { delayMs: 20 * MIN, channelId: OTHER } };
  const byRamp = { ...rule(null), defrost: { delayMs: 30 * MIN, channelId: null } };
  expect([...otherChannelsOf([bySwitch, byRamp, { ...rule(null), defrost: null }])]).toEqual([OTHER]);
  expect(reachOf([bySwitch])).toBe(20 * MIN);
  expect(reachOf([bySwitch, byRamp, rule(null)])).toBe(30 * MIN);
});
