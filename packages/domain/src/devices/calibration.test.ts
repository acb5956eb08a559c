import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type CalibrationPoint,
  calibrationAt,
  calibrationState,
  correct,
  correctSeries,
  DUE_SOON_MS,
  errorAt,
} from './calibration.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);

describe('the expiry of a certificate', () => {
  test.each([
    ['never calibrated', null, 'never'],
    ['valid for another year', NOW + 365 * DAY_MS, 'valid'],
    ['valid for a little more than a month', NOW + DUE_SOON_MS + 1, 'valid'],
    ['valid for a month', NOW + DUE_SOON_MS, 'due-soon'],
    ['about to expire', NOW + 1, 'due-soon'],
    ['expires now', NOW, 'overdue'],
    ['ended', NOW - DAY_MS, 'overdue'],
  ] as const)('the state is right: %s', (_words, dueAt, state) =>
    expect(calibrationState(dueAt, NOW)).toBe(state),
  );
});

const TWO: CalibrationPoint[] = [
  { reference: 8, reading: 8.4 },
  { reference: 2, reading: 1.9 },
];

describe('the error of a sensor', () => {
  test.each([
    ['without points the error is zero', [], 5, 0],
    ['the error of a single point applies everywhere', [{ reference: 5, reading: 5.3 }], -20, 0.3],
    ['at the first point', TWO, 8.4, 0.4],
    ['at the second point', TWO, 1.9, -0.1],
    ['in the middle between two points', TWO, 5.15, 0.15],
    ['below all points', TWO, -40, -0.1],
    ['above all points', TWO, 90, 0.4],
  ] as const)('the error is computed correctly: %s', (_words, points, reading, error) =>
    expect(errorAt(points, reading)).toBeCloseTo(error, 9),
  );

  test('the corrected value has the precision of the sensor', () => expect(correct(TWO, 5.1, 1)).toBe(5));

  test('the correction never exceeds the errors in the certificate', () => {
    const point = fc.record({
      reference: fc.double({ min: -80, max: 80, noNaN: true }),
      reading: fc.double({ min: -80, max: 80, noNaN: true }),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(point, { minLength: 1, maxLength: 6, selector: (p) => p.reading }),
        fc.double({ min: -200, max: 200, noNaN: true }),
        (points, reading) => {
          const errors = points.map((p) => p.reading - p.reference);
          const error = errorAt(points, reading);
          expect(error).toBeGreaterThanOrEqual(Math.min(...errors) - 1e-9);
          expect(error).toBeLessThanOrEqual(Math.max(...errors) + 1e-9);
        },
      ),
    );
  });
});

const first = { validFrom: 100, until: null, points: TWO };
const second = { validFrom: 200, until: 300, points: [{ reference: 5, reading: 6 }] };

describe('the certificate in force', () => {
  test.each([
    ['before all certificates there is none', 99, null],
    ['the first one applies from its start', 100, first],
    ['the first one applies until the second one starts', 199, first],
    ['the second one applies from its start', 200, second],
    ['the second one applies until the sensor was replaced', 299, second],
    ['after the replacement, the first one does not apply again', 300, null],
  ] as const)('the right certificate applies: %s', (_words, moment, holds) =>
    expect(calibrationAt([second, first], moment)).toBe(holds),
  );
});

describe('the correction of a series', () => {
  const series = { at: Float64Array.of(50, 150, 250, 350), value: Float64Array.of(8.4, 8.4, 8.4, 8.4) };
  test('readings are corrected from the date of each certificate on', () =>
    expect([...correctSeries([second, first], series, 1).value]).toEqual([8.4, 8, 7.4, 8.4]));
  test('readings are unchanged before all certificates, and without any', () => {
    expect(correctSeries([{ ...first, validFrom: 351 }], series, 1)).toBe(series);
    expect(correctSeries([], series, 1)).toBe(series);
  });
  test('the original series is not modified', () => {
    correctSeries([first], series, 1);
    expect([...series.value]).toEqual([8.4, 8.4, 8.4, 8.4]);
  });
});
