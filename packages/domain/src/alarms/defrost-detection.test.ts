import { expect, test } from 'vitest';
import type { LimitRule } from './alarm-machine.ts';
import type { DefrostDelay } from './defrost.ts';
import { defrostsOf } from './defrost-detection.ts';

const MIN = 60_000;
const SWITCH = 9;
const rule = (defrost: DefrostDelay | null): LimitRule => ({
  id: 1,
  kind: 'high',
  signal: null,
  level: 1,
  limit: 8,
  triggerAfterMs: 0,
  recoverAfterMs: 0,
  recoveryMargin: 0,
  gapAllowanceMs: 5 * MIN,
  limitIsOutside: false,
  defrost,
});
type Rows = readonly (readonly [minute: number, value: number])[];
const series = (rows: Rows) => ({
  at: Float64Array.from(rows, ([minute]) => minute * MIN),
  value: Float64Array.from(rows, ([, value]) => value),
});
const own: Rows = [
  [0, 5],
  [10, 9],
  [20, 9],
  [30, 9],
];

test.each<[string, Rows | null, number[]]>([
  ['a switch that is reported as on at most the delay before', [[6, 1]], [0, 1, 0, 0]],
  ['a report at the same moment, and one exactly as old as the delay', [[10, 1]], [0, 1, 1, 0]],
  [
    'the last report that it is on counts, not one that it is off',
    [
      [10, 1],
      [11, 0],
      [29, 0],
    ],
    [0, 1, 1, 0],
  ],
  ['a switch that stays off', [[9, 0]], [0, 0, 0, 0]],
  ['a switch without readings', null, [0, 0, 0, 0]],
])('a defrost is detected by its switch: %s', (_name, reports, flags) => {
  const others = new Map(reports ? [[SWITCH, series(reports)]] : []);
  const delayed = rule({ delayMs: 10 * MIN, channelId: SWITCH });
  expect([...defrostsOf(delayed, series(own), 0, others)]).toEqual(flags);
  expect([...defrostsOf(delayed, series(own), 2, others)]).toEqual(flags.slice(2));
  expect([...defrostsOf(rule(null), series(own), 1, others)]).toEqual([0, 0, 0]);
});

const rising = (perMinute: number, from = 5, readings = 12): Rows =>
  Array.from({ length: readings }, (_, minute) => [minute, from + perMinute * minute] as const);

test.each<[string, Rows, boolean]>([
  ['a steady rise by 0.5 °C per minute', rising(0.5, 5, 8), true],
  ['a slow rise', rising(0.11, 7, 12), true],
  ['a rise that is slower, as after a failure', rising(0.09, 7.1, 12), false],
  ['a rise that is faster, as with an open door', rising(1.5, 5, 4), false],
  ['a rise of less than 1 °C', rising(0.3, 7.5, 4), false],
  [
    'a rise of two readings only',
    [
      [0, 7],
      [2, 8.5],
    ],
    false,
  ],
  [
    'noise of 0.2 °C within the rise',
    [
      [0, 6],
      [2, 7],
      [4, 6.8],
      [6, 8.5],
    ],
    true,
  ],
  [
    'a fall before the rise: the rise begins after it',
    [
      [0, 3],
      [1, 7],
      [2, 6],
      [4, 7],
      [6, 8.5],
    ],
    true,
  ],
  ['a rise that began outside the limit', rising(0.5, 8, 8), false],
  [
    'readings that are older than the delay do not count',
    [
      [0, 5],
      [5, 6.5],
      [10, 7.8],
      [31, 8.6],
    ],
    false,
  ],
])(
  'without a switch, a defrost is detected by the rise of the temperature: %s',
  (_name, rows, isDetected) => {
    const flags = defrostsOf(
      rule({ delayMs: 20 * MIN, channelId: null }),
      series(rows),
      rows.length - 1,
      new Map(),
    );
    expect([...flags]).toEqual([isDetected ? 1 : 0]);
  },
);
