import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decidingMkt, highestMkt, type TimedValue, weightedMkt } from './mean-kinetic.ts';

const HOUR = 3_600_000;
const COLD_WINDOW_MS = 24 * HOUR;
const ACTIVATION_KJ = 83.144;

describe('the mean kinetic temperature', () => {
  it.each<[string, [value: number, hours: number][], number]>([
    ['constant 5 °C', [[5, 24]], 5],
    [
      '23 h at 5 °C and 1 h at 15 °C',
      [
        [5, 23],
        [15, 1],
      ],
      5.7635,
    ],
    [
      '18 h at 5 °C and 6 h at 14 °C',
      [
        [5, 18],
        [14, 6],
      ],
      8.2852,
    ],
    [
      '29 d at 25 °C and 1 d at 40 °C',
      [
        [25, 29 * 24],
        [40, 24],
      ],
      26.113,
    ],
    [
      '29 d at 22 °C and 1 d at 40 °C',
      [
        [22, 29 * 24],
        [40, 24],
      ],
      23.5996,
    ],
  ])('of %s', (_, parts, mean) => {
    const values = parts.map(([value]) => value);
    const weights = parts.map(([, hours]) => hours);
    expect(weightedMkt(values, weights, 83.144)).toBeCloseTo(mean, 3);
  });
  it('is unknown without time', () => {
    expect(weightedMkt([], [], 83.144)).toBeNull();
  });
  it('of impossible values below absolute zero counts them as no degradation', () => {
    expect(weightedMkt([-400, 5], [1, 0], 83.144)).toBe(-273.15);
    expect(weightedMkt([-400, 5], [1, 1], 83.144)).toBeLessThan(5);
  });
});

/** Values for some hours, one after the other; null is time without values. */
function timed(...parts: readonly (readonly [value: number | null, hours: number])[]): TimedValue[] {
  let from = 0;
  return parts.flatMap(([value, hours]) => {
    const begin = from;
    from += hours * HOUR;
    return value === null ? [] : [{ from: begin, ms: hours * HOUR, value }];
  });
}

describe('the highest mean kinetic temperature in windows of 24 h', () => {
  it.each<[string, TimedValue[], mean: number, from: number, to: number, readings: number, coverage: number]>(
    [
      ['of a trip as long as the window', timed([5, 23], [15, 1]), 5.7635, 0, 24, 2, 1],
      ['of a shorter trip is that of the trip', timed([5, 6], [15, 0.25]), 5.7343, 0, 6.25, 2, 1],
      ['is in the day with the excursion', timed([5, 48], [14, 6], [5, 48]), 8.2852, 30, 54, 2, 1],
      ['of an excursion at the beginning', timed([14, 6], [5, 48]), 8.2852, 0, 24, 2, 1],
      ['of an excursion at the end', timed([5, 48], [14, 6]), 8.2852, 30, 54, 2, 1],
      [
        'of several excursions is in the worst day',
        timed([5, 40], [9, 3], [5, 40], [14, 6]),
        8.2852,
        65,
        89,
        2,
        1,
      ],
      [
        'of two excursions in one day has both',
        timed([5, 30], [14, 3], [5, 10], [14, 3], [5, 30]),
        8.2852,
        22,
        46,
        4,
        1,
      ],
      ['of a constant temperature is in the first window', timed([5, 10], [5, 60]), 5, 0, 24, 2, 1],
      ['is not decided by one reading after a gap', timed([5, 24], [null, 24], [9, 1]), 5, 0, 24, 1, 1],
      ['ends with the last reading', timed([5, 24], [9, 12], [null, 400]), 7.2381, 12, 36, 2, 1],
      ['is in the first half that is covered', timed([9, 12], [null, 30], [5, 24]), 9, 0, 24, 1, 0.5],
      [
        'begins where readings cover just half of it',
        timed([5, 24], [null, 10], [9, 3], [null, 15], [5, 24]),
        6.1946,
        15,
        39,
        2,
        0.5,
      ],
    ],
  )('%s', (_, values, mean, from, to, readings, coverage) => {
    const found = highestMkt(values, 0, COLD_WINDOW_MS, ACTIVATION_KJ);
    expect(found).toMatchObject({ windowMs: COLD_WINDOW_MS, from: from * HOUR, to: to * HOUR, readings });
    expect(found?.value).toBeCloseTo(mean, 3);
    expect(found?.coverage).toBeCloseTo(coverage, 6);
  });
  it.each([
    ['readings', []],
    ['a window of which half is covered', timed([5, 10], [null, 24], [9, 10])],
  ])('is unknown without %s', (_, values) => {
    expect(highestMkt(values, 0, COLD_WINDOW_MS, ACTIVATION_KJ)).toBeNull();
  });

  it('is that of its window, and no window of which half is covered has a higher one', () => {
    const part = fc.record({
      gap: fc.nat({ max: 6 }),
      hours: fc.integer({ min: 1, max: 9 }),
      value: fc.integer({ min: -300, max: 500 }),
    });
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 40, max: 120 }),
        (parts, windowHours, activationKj) => {
          let hour = 0;
          const values = parts.map(({ gap, hours, value }): TimedValue => {
            const from = hour + gap;
            hour = from + hours;
            return { from: from * HOUR, ms: hours * HOUR, value: value / 10 };
          });
          const to = hour * HOUR;
          const windowMs = windowHours * HOUR;
          const found = highestMkt(values, 0, windowMs, activationKj);
          const length = Math.min(windowMs, to);
          const meanFrom = (start: number) => {
            const weights = values.map(({ from, ms }) =>
              Math.max(0, Math.min(from + ms, start + length) - Math.max(from, start)),
            );
            const mean = weightedMkt(
              values.map(({ value }) => value),
              weights,
              activationKj,
            );
            return { mean, coverage: weights.reduce((sum, ms) => sum + ms, 0) / length };
          };
          if (found) {
            const { mean, coverage } = meanFrom(found.from);
            expect(found).toMatchObject({ windowMs, value: mean, coverage, to: found.from + length });
            expect(coverage).toBeGreaterThanOrEqual(0.5);
          }
          for (let start = 0; start <= to - length; start += HOUR / 2) {
            const { mean, coverage } = meanFrom(start);
            if (coverage < 0.5) continue;
            expect(mean).toBeLessThanOrEqual((found?.value ?? -Infinity) + 1e-5);
          }
        },
      ),
    );
  });
});

it('the mean kinetic temperature that decides is the higher one of the trip and of its worst window', () => {
  const mktWindow = { windowMs: 9, value: 7, from: 0, to: 9, readings: 1, coverage: 1 };
  expect(decidingMkt({ meanKinetic: null, mktWindow: null })).toBeNull();
  expect(decidingMkt({ meanKinetic: 6, mktWindow: null })).toEqual({ value: 6, window: null });
  expect(decidingMkt({ meanKinetic: 6, mktWindow })).toEqual({ value: 7, window: mktWindow });
  expect(decidingMkt({ meanKinetic: 7, mktWindow })).toEqual({ value: 7, window: null });
});
