import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Series } from '../readings/series.ts';
import { createRecordStatistics, type LimitVersion, limitSpans } from './record-statistics.ts';

const FOREVER = Number.POSITIVE_INFINITY;
const NONE = Number.NEGATIVE_INFINITY;
const MINUTE = 60_000;

/** Mean kinetic temperature by its definition (USP <1079.2>), of minutes at temperatures. */
function mktOf(...parts: [minutes: number, celsius: number][]): number {
  const activation = 83_144 / 8.314_472;
  const total = parts.reduce((sum, [minutes]) => sum + minutes, 0);
  const sum = parts.reduce(
    (sum, [minutes, celsius]) => sum + minutes * Math.exp(-activation / (celsius + 273.15)),
    0,
  );
  return activation / -Math.log(sum / total) - 273.15;
}

function series(...readings: [minute: number, value: number][]): Series {
  return {
    at: Float64Array.from(readings, ([minute]) => minute * MINUTE),
    value: Float64Array.from(readings, ([, value]) => value),
  };
}

describe('limits in force', () => {
  const high = (limit: number, from: number, until = FOREVER): LimitVersion => ({
    kind: 'high',
    limit,
    from,
    until,
  });
  it.each<[string, LimitVersion[], object[]]>([
    ['no rule', [], [{ from: 0, until: 100, low: NONE, high: FOREVER }]],
    [
      'a rule for the whole time',
      [high(8, NONE), { kind: 'low', limit: 2, from: NONE, until: FOREVER }],
      [{ from: 0, until: 100, low: 2, high: 8 }],
    ],
    [
      'a rule that was edited',
      [high(8, NONE, 40), high(10, 40)],
      [
        { from: 0, until: 40, low: NONE, high: 8 },
        { from: 40, until: 100, low: NONE, high: 10 },
      ],
    ],
    [
      'an edit that kept the limit',
      [high(8, NONE, 40), high(8, 40)],
      [{ from: 0, until: 100, low: NONE, high: 8 }],
    ],
    [
      'a stricter rule for a while',
      [high(8, NONE), high(7, 20, 60)],
      [
        { from: 0, until: 20, low: NONE, high: 8 },
        { from: 20, until: 60, low: NONE, high: 7 },
        { from: 60, until: 100, low: NONE, high: 8 },
      ],
    ],
  ])('%s', (_case, versions, spans) => {
    expect(limitSpans(versions, 0, 100)).toEqual(spans);
  });

  it('an empty range has no limits', () => {
    expect(limitSpans([high(8, NONE)], 50, 50)).toEqual([]);
  });
});

describe('statistics of a channel', () => {
  const limits = limitSpans([{ kind: 'high', limit: 8, from: NONE, until: 30 * MINUTE }], 0, 120 * MINUTE);

  it('readings count until the next one, never across a gap, and with the limits of their time', () => {
    const own = createRecordStatistics(10 * MINUTE, limits);
    own.add(series([0, 4], [10, 9]));
    own.add(series([20, 4], [25, 2], [50, 9]));
    expect(own.finish(60 * MINUTE)).toEqual({
      count: 5,
      min: 2,
      minAt: 25 * MINUTE,
      max: 9,
      maxAt: 10 * MINUTE,
      // 10 min of 4, 10 min of 9, 5 min of 4, a gap of 25 min, 10 min of 9.
      mean: (10 * 4 + 10 * 9 + 5 * 4 + 10 * 9) / 35,
      meanKinetic: expect.closeTo(mktOf([15, 4], [20, 9]), 9),
      coveredMs: 35 * MINUTE,
      // The second 9 was measured when no limit was in force.
      outsideMs: 10 * MINUTE,
    });
  });

  it('single readings have extremes and no mean, and no readings have no statistics', () => {
    const own = createRecordStatistics(10 * MINUTE, []);
    own.add(series([0, 4], [30, 6]));
    expect(own.finish(30 * MINUTE)).toMatchObject({
      min: 4,
      max: 6,
      mean: null,
      meanKinetic: null,
      coveredMs: 0,
    });
    expect(createRecordStatistics(10 * MINUTE, limits).finish(100)).toBeNull();
  });

  it('readings after the last limit are not outside', () => {
    const own = createRecordStatistics(10 * MINUTE, limitSpans([], 0, MINUTE));
    own.add(series([2, 50]));
    expect(own.finish(5 * MINUTE)).toMatchObject({ outsideMs: 0, coveredMs: 3 * MINUTE });
  });

  it('a value below the lower limit is outside', () => {
    const low = limitSpans([{ kind: 'low', limit: 2, from: NONE, until: FOREVER }], 0, 60 * MINUTE);
    const own = createRecordStatistics(10 * MINUTE, low);
    own.add(series([0, 1], [5, 2]));
    expect(own.finish(10 * MINUTE)).toMatchObject({ outsideMs: 5 * MINUTE });
  });

  it('the way in which readings are cut into segments changes nothing, and means lie between the extremes', () => {
    const reading = fc.tuple(fc.integer({ min: 0, max: 600 }), fc.integer({ min: -30, max: 40 }));
    fc.assert(
      fc.property(
        fc.uniqueArray(reading, { minLength: 1, selector: ([minute]) => minute }),
        fc.nat(),
        (given, cut) => {
          const sorted = [...given].sort(([a], [b]) => a - b);
          const whole = createRecordStatistics(15 * MINUTE, limits);
          whole.add(series(...sorted));
          const parts = createRecordStatistics(15 * MINUTE, limits);
          const at = cut % (sorted.length + 1);
          parts.add(series(...sorted.slice(0, at)));
          parts.add(series(...sorted.slice(at)));
          const result = whole.finish(600 * MINUTE);
          expect(parts.finish(600 * MINUTE)).toEqual(result);
          if (result === null || result.mean === null || result.meanKinetic === null) return;
          expect(result.mean).toBeGreaterThanOrEqual(result.min - 1e-9);
          expect(result.mean).toBeLessThanOrEqual(result.max + 1e-9);
          // Warm times weigh more.
          expect(result.meanKinetic).toBeGreaterThanOrEqual(result.mean - 1e-6);
        },
      ),
    );
  });
});
