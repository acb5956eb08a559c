import { describe, expect, test } from 'vitest';
import { type AlarmState, type LimitRule, NORMAL } from './alarm-machine.ts';
import { judge } from './judge.ts';
import { hush, isQuiet, type QuietSpan } from './quiet-time.ts';
import { referenceEpisodes } from './reference.ts';

const MIN = 60_000;
const rule: LimitRule = {
  id: 1,
  kind: 'high',
  signal: null,
  level: 3,
  limit: 8,
  triggerAfterMs: 10 * MIN,
  recoveryMargin: 0,
  recoverAfterMs: 5 * MIN,
  gapAllowanceMs: 15 * MIN,
  limitIsOutside: false,
};
/** Readings at intervals of one minute. */
const minutes = (values: readonly number[]) => values.map((value, at) => ({ at: at * MIN, value }));
const episodesOf = (readings: { at: number; value: number }[], quiet: QuietSpan[]) =>
  referenceEpisodes(
    { versions: [{ rule, from: -Infinity, until: Infinity, endReason: 'rule-edited' }], gaps: [], quiet },
    readings,
  );
const warm = (count: number) => Array.from({ length: count }, () => 9);

test.each([
  ['before', -1, false],
  ['at its beginning', 0, true],
  ['inside', 5, true],
  ['at its end', 10, false],
])('a time is inside a quiet span of ten minutes or not (%s: %s)', (_where, at, quiet) => {
  expect(isQuiet([{ from: 0, until: 10 }], at)).toBe(quiet);
});

describe('state of a rule after a reading in quiet time', () => {
  const active: AlarmState = {
    phase: 'active',
    since: 0,
    raisedAt: 0,
    lastAt: 5,
    peak: 9,
    peakAt: 0,
    recoveredMs: 0,
    limit: 8,
    recoveryMargin: 0,
  };
  test.each([
    ['normal stays normal', NORMAL, NORMAL],
    [
      'pending is given up',
      { phase: 'pending', since: 0, accruedMs: 4, lastAt: 4, peak: 9, peakAt: 0 },
      NORMAL,
    ],
    ['an alarm stands, and its time does not grow', active, { ...active, lastAt: 9 }],
    ['an older reading changes nothing', { ...active, lastAt: 20 }, { ...active, lastAt: 20 }],
  ] as [string, AlarmState, AlarmState][])(
    'a reading in quiet time changes the state of a rule correctly: %s',
    (_words, before, after) => {
      expect(hush(before, 9)).toEqual(after);
    },
  );
});

/**
 * Columns: description, number of minutes above the limit, quiet spans in minutes, minute in which the alarm
 * is raised.
 */
test.each([
  ['without a defrost an excursion of ten minutes is raised in the tenth', 30, [], 10],
  ['a defrost over all of it raises nothing', 30, [[0, 30]], null],
  ['the time counts anew after a defrost', 30, [[5, 15]], 25],
  ['an excursion that ends in the defrost raises nothing', 12, [[5, 15]], null],
  ['before a defrost it is raised as ever', 30, [[12, 20]], 10],
  [
    'two defrosts, each counts',
    40,
    [
      [5, 10],
      [15, 20],
    ],
    30,
  ],
] as [string, number, [number, number][], number | null][])(
  'an alarm is raised in the right minute despite quiet time: %s',
  (_words, count, quiet, raised) => {
    const spans = quiet.map(([from, until]) => ({ from: from * MIN, until: until * MIN }));
    const readings = minutes([...warm(count), 5, 5, 5, 5, 5, 5, 5]);
    const episodes = episodesOf(readings, spans);
    expect(episodes[0]?.raisedAt ?? null).toBe(raised === null ? null : raised * MIN);
  },
);

test('an alarm that is open when a defrost begins stays open until it recovers after the defrost', () => {
  const readings = minutes([...warm(15), 5, 5, 5, 5, 5, 5, 5, 5, 9, 5, 5, 5, 5, 5, 5, 5]);
  const episodes = episodesOf(readings, [{ from: 14 * MIN, until: 24 * MIN }]);
  expect(episodes).toMatchObject([{ raisedAt: 10 * MIN, endedAt: 29 * MIN }]);
});

test('evaluation in batches gives the same result as evaluation of all readings at once', () => {
  const spans = [{ from: 5 * MIN, until: 15 * MIN }];
  const readings = minutes([...warm(30), 5, 5, 5, 5, 5, 5, 5]);
  const at = readings.map((each) => each.at);
  const value = readings.map((each) => each.value);
  for (let cut = 0; cut <= readings.length; cut++) {
    const first = judge(rule, NORMAL, { at, value, from: 0, to: cut }, spans);
    const second = judge(rule, first?.state ?? NORMAL, { at, value, from: cut, to: readings.length }, spans);
    const effects = [...(first?.effects ?? []), ...(second?.effects ?? [])].map(({ effect }) => effect);
    expect(effects.map(({ type }) => type)).toEqual(['raise', 'recovering', 'end']);
    expect(effects[0]).toMatchObject({ type: 'raise', since: 15 * MIN, raisedAt: 25 * MIN });
  }
});
