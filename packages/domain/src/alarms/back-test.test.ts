import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sliceSeries } from '../readings/series.ts';
import type { AlarmLevel } from './alarm-level.ts';
import type { LimitRule } from './alarm-machine.ts';
import { type BackTest, type BackTestRules, compareAlarms, createBackTest } from './back-test.ts';
import type { LimitKind } from './catalogue.ts';
import type { Episode } from './episode.ts';
import { referenceEpisodes } from './reference.ts';
import type { ChannelRules } from './rule-version.ts';
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
  gapAllowanceMs: 1_000,
  limitIsOutside: false,
};
const rulesOf = (...rules: LimitRule[]): BackTestRules => ({ rules, gaps: [], quiet: [] });
const series = (rows: readonly (readonly [number, number])[]) => ({
  at: Float64Array.from(rows, ([at]) => at),
  value: Float64Array.from(rows, ([, value]) => value),
});

describe('stretches of history that a back-test must evaluate', () => {
  const calm = { min: 3, max: 7 };
  test.each([
    ['a stretch with values between the limits is skipped', [HIGH], calm, false],
    ['a value at a limit that counts as inside is skipped', [HIGH], { min: 3, max: 8 }, false],
    [
      'a value at a limit that counts as outside is evaluated',
      [HIGH, { ...HIGH, limitIsOutside: true }],
      { min: 3, max: 8 },
      true,
    ],
    ['a value above the lower of two upper limits is evaluated', [HIGH, { ...HIGH, limit: 6 }], calm, true],
    ['a value below a lower limit is evaluated', [{ ...HIGH, kind: 'low' as const, limit: 4 }], calm, true],
    [
      'a stretch with values above a lower limit is skipped',
      [{ ...HIGH, kind: 'low' as const, limit: 2 }],
      calm,
      false,
    ],
    [
      'every stretch is evaluated if a rule has a signal',
      [{ ...HIGH, kind: 'fast-rise' as const, signal: { type: 'rate' as const, windowMs: 9 } }],
      calm,
      true,
    ],
    ['without rules every stretch is skipped', [], calm, false],
  ])('%s', (_name, rules, extremes, isNeeded) => {
    expect(createBackTest(rulesOf(...rules)).needs(extremes)).toBe(isNeeded);
  });

  test('a stretch is evaluated while an alarm is open, but not if only a trigger delay has begun', () => {
    const lasting = createBackTest(rulesOf(HIGH));
    lasting.play(series([[1, 9]]));
    expect(lasting.needs(calm)).toBe(true);
    const begun = createBackTest(rulesOf({ ...HIGH, triggerAfterMs: 50 }));
    begun.play(series([[1, 9]]));
    expect(begun.needs(calm)).toBe(false);
    begun.skip();
    begun.play(
      series([
        [100, 9],
        [149, 9],
      ]),
    );
    expect(begun.episodes()).toEqual([]);
    begun.play(series([[150, 9]]));
    expect(begun.episodes()).toMatchObject([{ since: 100, raisedAt: 150, endedAt: null }]);
  });
});

test('a back-test delays the alarms that begin in a defrost', () => {
  const delayed = { ...HIGH, defrost: { delayMs: 20, channelId: 5 } };
  const readings = series([
    [1, 9],
    [15, 9],
    [21, 9],
  ]);
  const test = createBackTest(rulesOf(delayed));
  expect(test.needs({ min: 3, max: 7 })).toBe(true);
  test.play(readings, undefined, new Map([[1, Uint8Array.of(1, 0, 0)]]));
  expect(test.episodes()).toMatchObject([{ since: 1, raisedAt: 21, defrostDelayMs: 20 }]);
});

describe('alarms that two sets of rules raise count as the same excursion', () => {
  const alarm = (since: number, endedAt: number | null, kind: LimitKind = 'high') =>
    ({ kind, since, endedAt }) as Episode;
  test.each([
    ['if they overlap', alarm(1, 5), alarm(4, 9), true],
    ['if one is still open', alarm(1, null), alarm(4, 9), true],
    ['if one ends when the other begins', alarm(1, 4), alarm(4, null), true],
    ['not if one is over before the other begins', alarm(1, 3), alarm(4, 9), false],
    ['not if one is about the other side', alarm(1, 5), alarm(1, 5, 'low'), false],
  ])('%s', (_name, one, other, isSame) => {
    const size = isSame ? 0 : 1;
    expect(compareAlarms([one], [other]).added.size).toBe(size);
    expect(compareAlarms([one], [other]).removed.size).toBe(size);
    expect(compareAlarms([other], [one]).added.size).toBe(size);
  });
});

describe('properties', () => {
  const anyRule = fc.record({
    compared: fc.constantFrom<[LimitKind, Signal | null]>(
      ['high', null],
      ['high', null],
      ['low', null],
      ['low', null],
      ['repeated', { type: 'outside-count', windowMs: 20, low: null, high: 6 }],
    ),
    level: fc.constantFrom<AlarmLevel>(1, 3, 5),
    limit: fc.constantFrom(3, 4, 6, 7),
    triggerAfterMs: fc.constantFrom(0, 3, 10),
    recoverAfterMs: fc.constantFrom(0, 4, 20),
    recoveryMargin: fc.constantFrom(0, 1, 3),
    gapAllowanceMs: fc.constantFrom(4, 100),
    limitIsOutside: fc.boolean(),
  });
  /** Most values are between the limits, so that parts of the history can be skipped. */
  const anyValue = fc.oneof({ weight: 3, arbitrary: fc.constant(5) }, fc.integer({ min: 1, max: 9 }));
  const history = fc
    .array(fc.tuple(fc.integer({ min: 1, max: 6 }), anyValue), { maxLength: 60 })
    .map((rows) => {
      let at = 0;
      return rows.map(([apart, value]) => {
        at += apart;
        return { at, value };
      });
    });
  const anyRules = fc
    .record({
      rules: fc.array(anyRule, { maxLength: 4 }),
      quiet: fc.array(fc.tuple(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 1, max: 30 })), {
        maxLength: 2,
      }),
      gaps: fc.constantFrom([], [{ from: 60, allowanceMs: 2 }]),
    })
    .map(
      ({ rules, quiet, gaps }): BackTestRules => ({
        rules: rules.map(({ compared: [kind, signal], ...rule }, id) => ({
          ...rule,
          id,
          kind,
          signal,
          limit: signal ? rule.limit / 2 : rule.limit,
        })),
        quiet: quiet.map(([from, length]) => ({ from, until: from + length })),
        gaps,
      }),
    );
  const inBrief = (episodes: readonly Episode[]) =>
    episodes.map(({ kind, since, raisedAt, endedAt, endReason, peakLevel, peak, peakAt }) => ({
      kind,
      since,
      raisedAt,
      endedAt,
      endReason,
      peakLevel,
      peak,
      peakAt,
    }));

  test('a back-test raises the same alarms as the reference implementation, whether or not it skips parts of the history', () => {
    let skipped = 0;
    fc.assert(
      fc.property(anyRules, history, fc.integer({ min: 1, max: 25 }), (given, readings, length) => {
        const whole = series(readings.map(({ at, value }) => [at, value]));
        const columns = new Map(
          given.rules
            .filter(({ signal }) => signal !== null)
            .map((rule) => [rule.id, signalValues(rule, whole, 0, new Map())] as const),
        );
        const play = (tried: BackTest, isSkipping: boolean) => {
          for (let from = 0; from < 400; from += length) {
            const part = sliceSeries(whole, from, from + length);
            if (part.at.length === 0) continue;
            const first = whole.at.indexOf(part.at[0] as number);
            if (isSkipping && !tried.needs({ min: Math.min(...part.value), max: Math.max(...part.value) })) {
              skipped++;
              tried.skip();
            } else
              tried.play(
                part,
                new Map(
                  [...columns].map(([id, values]) => [id, values.subarray(first, first + part.at.length)]),
                ),
              );
          }
          return inBrief(tried.episodes());
        };
        const versions: ChannelRules['versions'] = given.rules.map((rule) => ({
          rule,
          from: Number.NEGATIVE_INFINITY,
          until: Number.POSITIVE_INFINITY,
          endReason: 'rule-edited',
        }));
        const expected = referenceEpisodes({ versions, gaps: given.gaps, quiet: given.quiet }, readings);
        expect(play(createBackTest(given), false)).toEqual(expected);
        expect(play(createBackTest(given), true)).toEqual(expected);
      }),
      { numRuns: 2_000 },
    );
    expect(skipped).toBeGreaterThan(1_000);
  });
});
