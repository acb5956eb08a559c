import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  COLD_WINDOW_MS,
  highestMkt,
  mktWindowMs,
  ROOM_WINDOW_MS,
  type TimedValue,
  weightedMkt,
} from './mean-kinetic.ts';

const HOUR = 3_600_000;
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

it.each([
  [8, COLD_WINDOW_MS],
  [15, COLD_WINDOW_MS],
  [25, ROOM_WINDOW_MS],
])('a product for up to %d °C is judged in windows of %d ms', (temperatureHigh, windowMs) => {
  expect(mktWindowMs({ temperatureHigh })).toBe(windowMs);
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
  it.each<[string, TimedValue[], hours: number, mean: number, from: number, to: number, readings: number]>([
    ['of a trip as long as the window', timed([5, 23], [15, 1]), 24, 5.7635, 0, 24, 2],
    ['of a shorter trip is that of the trip', timed([5, 6], [15, 0.25]), 6.25, 5.7343, 0, 6.25, 2],
    ['is in the day with the excursion', timed([5, 48], [14, 6], [5, 48]), 102, 8.2852, 30, 54, 2],
    ['of an excursion at the beginning', timed([14, 6], [5, 48]), 54, 8.2852, 0, 24, 2],
    ['of an excursion at the end', timed([5, 48], [14, 6]), 54, 8.2852, 30, 54, 2],
    [
      'of several excursions is in the worst day',
      timed([5, 40], [9, 3], [5, 40], [14, 6]),
      89,
      8.2852,
      65,
      89,
      2,
    ],
    [
      'of two excursions in one day has both',
      timed([5, 30], [14, 3], [5, 10], [14, 3], [5, 30]),
      76,
      8.2852,
      22,
      46,
      4,
    ],
    [
      'counts what was measured, not the gap',
      timed([5, 24], [null, 24], [9, 1], [null, 30]),
      79,
      9,
      25,
      49,
      1,
    ],
    ['of a constant temperature is in the first window', timed([5, 10], [5, 60]), 70, 5, 0, 24, 2],
  ])('%s', (_, values, hours, mean, from, to, readings) => {
    const found = highestMkt(values, { from: 0, to: hours * HOUR }, COLD_WINDOW_MS, ACTIVATION_KJ);
    expect(found).toMatchObject({ windowMs: COLD_WINDOW_MS, from: from * HOUR, to: to * HOUR, readings });
    expect(found?.value).toBeCloseTo(mean, 3);
  });
  it('is unknown without readings', () => {
    expect(highestMkt([], { from: 0, to: HOUR }, COLD_WINDOW_MS, ACTIVATION_KJ)).toBeNull();
  });

  it('is that of its window, and no window has a higher one', () => {
    const part = fc.record({
      gap: fc.nat({ max: 6 }),
      hours: fc.integer({ min: 1, max: 9 }),
      value: fc.integer({ min: -300, max: 500 }),
    });
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 12 }),
        fc.nat({ max: 6 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 40, max: 120 }),
        (parts, tail, windowHours, activationKj) => {
          let hour = 0;
          const values = parts.map(({ gap, hours, value }): TimedValue => {
            const from = hour + gap;
            hour = from + hours;
            return { from: from * HOUR, ms: hours * HOUR, value: value / 10 };
          });
          const to = (hour + tail) * HOUR;
          const windowMs = windowHours * HOUR;
          const found = highestMkt(values, { from: 0, to }, windowMs, activationKj);
          const length = Math.min(windowMs, to);
          const meanFrom = (start: number) => {
            const weights = values.map(({ from, ms }) =>
              Math.max(0, Math.min(from + ms, start + length) - Math.max(from, start)),
            );
            return weightedMkt(
              values.map(({ value }) => value),
              weights,
              activationKj,
            );
          };
          expect(found).toMatchObject({ windowMs, value: meanFrom(found?.from as number) });
          expect((found?.to as number) - (found?.from as number)).toBe(length);
          for (let start = 0; start <= to - length; start += HOUR / 2)
            expect(meanFrom(start) ?? -Infinity).toBeLessThanOrEqual((found?.value as number) + 1e-5);
        },
      ),
    );
  });
});
