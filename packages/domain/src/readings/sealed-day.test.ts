import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimalOf } from './decimal.ts';
import { DAY_MS, LATE_AFTER_S, sealDay, unsealDay, unsealDelays, unsealHours } from './sealed-day.ts';
import type { Series } from './series.ts';

const DAY = Date.UTC(2026, 10, 20);
const ALLOWANCE = 5 * 60_000;

const series = (readings: readonly (readonly [offset: number, value: number])[]): Series => ({
  at: Float64Array.from(readings, ([offset]) => DAY + offset),
  value: Float64Array.from(readings, ([, value]) => value),
});

/** Adding zero converts minus zero to zero. */
const plain = ({ at, value }: Series) => [...at].map((moment, i) => [moment, (value[i] as number) + 0]);

const float4 = fc.float({ noNaN: true, noDefaultInfinity: true }).map(decimalOf);
const scaled = fc
  .tuple(fc.integer({ min: -2000, max: 2000 }), fc.constantFrom(1, 10, 100, 1000))
  .map(([n, scale]) => n / scale);
const offsets = fc.uniqueArray(
  fc.oneof(
    fc.integer({ min: 0, max: DAY_MS - 1 }),
    fc.integer({ min: 0, max: 1439 }).map((minute) => minute * 60_000),
    // The time differences are small, so that several readings are within the same second.
    fc.integer({ min: 0, max: 2_000 }),
  ),
  { minLength: 1, maxLength: 200 },
);
const anyReadings = fc
  .tuple(offsets, fc.oneof(fc.constant(scaled), fc.constant(float4)))
  .chain(([moments, values]) =>
    fc.tuple(
      fc.constant([...moments].sort((a, b) => a - b)),
      fc.array(values, { minLength: moments.length, maxLength: moments.length }),
      fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2 ** 31 - 1 })), {
        minLength: moments.length,
        maxLength: moments.length,
      }),
    ),
  )
  .map(([moments, values, delays]) => ({
    delays,
    readings: series(moments.map((moment, i) => [moment, values[i] as number] as const)),
  }));

test('all readings of a sealed day are restored exactly', () => {
  fc.assert(
    fc.property(anyReadings, ({ readings, delays }) => {
      const sealed = sealDay(readings, delays, ALLOWANCE);
      expect(plain(unsealDay(sealed))).toEqual(plain(readings));
      expect([...unsealDelays(sealed)]).toEqual(delays.map((delay) => (delay > LATE_AFTER_S ? delay : 0)));
      expect([sealed.min + 0, sealed.max + 0]).toEqual([
        Math.min(...readings.value) + 0,
        Math.max(...readings.value) + 0,
      ]);
    }),
  );
});

test('hourly summaries equal those computed from the readings, without time across gaps', () => {
  fc.assert(
    fc.property(anyReadings, ({ readings, delays }) => {
      const sealed = sealDay(readings, delays, ALLOWANCE);
      const hours = unsealHours(sealed);
      expect(hours.reduce((sum, hour) => sum + hour.count, 0)).toBe(readings.at.length);
      for (const hour of hours) {
        const own = plain(readings).filter(
          ([at]) => (at as number) >= hour.from && (at as number) < hour.from + 3_600_000,
        ) as [number, number][];
        expect(hour.count).toBe(own.length);
        if (own.length === 0) continue;
        expect([hour.firstAt, hour.lastAt]).toEqual([own[0]?.[0], own.at(-1)?.[0]]);
        const values = own.map(([, value]) => value);
        expect([hour.min + 0, hour.max + 0]).toEqual([Math.min(...values), Math.max(...values)]);
      }
      let covered = 0;
      for (let i = 1; i < readings.at.length; i++) {
        const gap = (readings.at[i] as number) - (readings.at[i - 1] as number);
        if (gap <= ALLOWANCE) covered += gap;
      }
      expect(hours.reduce((sum, hour) => sum + hour.coveredMs, 0)).toBe(covered);
    }),
  );
});

describe('the encoding of a sealed day', () => {
  const minutes = (count: number, at: (minute: number) => number) =>
    series(Array.from({ length: count }, (_, minute) => [minute * 60_000, at(minute)] as const));

  test.each([
    ['whole seconds and tenths', minutes(1440, (m) => 5 + (m % 3) / 10), 10, 1000, 1439],
    ['hundredths', minutes(3, (m) => 5 + m / 100), 100, 1000, 2],
    ['milliseconds', series([...[0, 1, 60_001].map((at) => [at, 5] as const)]), 1, 1, 4],
    ['values that have no common scale', series([[0, decimalOf(Math.fround(Math.PI))]]), 0, 1000, 0],
    [
      'one value with more decimals than another value allows',
      series([
        [0, 199_999],
        [1000, 0.00001],
      ]),
      0,
      1000,
      1,
    ],
  ])('the encoding adapts to %s', (_name, readings, scale, unitMs, gapBytes) => {
    const sealed = sealDay(readings, new Int32Array(readings.at.length), ALLOWANCE);
    expect({ scale: sealed.scale, unitMs: sealed.unitMs, gapBytes: sealed.gaps.length }).toEqual({
      scale,
      unitMs,
      gapBytes,
    });
    expect(sealed.late).toBeNull();
    expect(plain(unsealDay(sealed))).toEqual(plain(readings));
  });

  test('a reading each minute in tenths takes two bytes before compression by the database', () => {
    const sealed = sealDay(
      minutes(1440, (m) => Math.round(50 + 10 * Math.sin(m / 20)) / 10),
      [],
      ALLOWANCE,
    );
    expect(sealed.gaps.length + sealed.values.length).toBe(2 * 1439);
    expect(sealed.hours.length).toBeLessThan(24 * 20);
  });
});

test.each([
  [Math.fround(5.1), 5.1],
  [Math.fround(-18.25), -18.25],
  [0, 0],
  [Math.fround(16_777_216), 16_777_216],
  [Math.fround(1e-7), 1e-7],
  [Math.fround(1.2345679e20), 1.2345679e20],
  [Math.fround(8.589974e9), 8.589974e9],
  [Math.fround(0.1 + 2 ** -26), 0.10000002],
])('the float %d is converted to the decimal %d', (float, decimal) => {
  expect(decimalOf(float)).toBe(decimal);
});

test('each float has a decimal that converts back to it', () => {
  fc.assert(
    fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (float) => {
      expect(Math.fround(decimalOf(float)) + 0).toBe(float + 0);
    }),
  );
});
