import { expect, it } from 'vitest';
import { factsOf } from './day-facts.ts';
import { kineticRate, temperatureOfRate } from './mean-kinetic.ts';
import { NO_READINGS } from './series.ts';

const MINUTE = 60_000;

it('a reading counts until the next one of the day, and never across a gap', () => {
  const series = {
    at: Float64Array.of(0, 10 * MINUTE, 40 * MINUTE, 45 * MINUTE),
    value: Float64Array.of(5, 6, 7, 8),
  };
  expect(factsOf(series, 10 * MINUTE)).toEqual({
    coveredMs: 15 * MINUTE,
    longestMs: 30 * MINUTE,
    kinetic: kineticRate(5) * 10 * MINUTE + kineticRate(7) * 5 * MINUTE,
  });
  expect(factsOf(NO_READINGS, MINUTE)).toEqual({ coveredMs: 0, longestMs: 0, kinetic: 0 });
});

it('values below absolute zero count as absolute zero', () => {
  expect(kineticRate(-300)).toBe(0);
  expect(kineticRate(-273.15)).toBe(0);
  expect(temperatureOfRate(kineticRate(-80))).toBeCloseTo(-80, 9);
  expect(temperatureOfRate(kineticRate(-300))).toBe(-273.15);
});
