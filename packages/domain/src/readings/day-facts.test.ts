import { expect, it } from 'vitest';
import { FACT_BYTES, type FactDay, factsOf, packFacts, unpackFacts } from './day-facts.ts';
import { kineticRate, temperatureOfRate } from './mean-kinetic.ts';
import { NO_READINGS, type Series } from './series.ts';

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

it('packed days are restored exactly', () => {
  const DAY = 86_400_000;
  const days = [20_000, 20_001].map((day) => ({
    at: Float64Array.of(day * DAY + 1, day * DAY + 5 * MINUTE, (day + 1) * DAY - 1),
    value: Float64Array.of(5.1, -80.3, 8.25),
  }));
  const bytes = Buffer.concat(days.map((series) => packFacts(series, 10 * MINUTE)));
  expect(bytes).toHaveLength(2 * FACT_BYTES);
  const packed = unpackFacts(bytes);
  expect(packed.length).toBe(2);
  const second: FactDay = { ...packed.at(1) };
  expect(packed.at(0)).toMatchObject({ day: 20_000, firstAt: 20_000 * DAY + 1 });
  expect(second).toEqual({
    day: 20_001,
    count: 3,
    firstAt: 20_001 * DAY + 1,
    lastAt: 20_002 * DAY - 1,
    lastValue: 8.25,
    min: -80.3,
    max: 8.25,
    ...factsOf(days[1] as Series, 10 * MINUTE),
  });
});
