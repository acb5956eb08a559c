import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Series } from '../readings/series.ts';
import { judgeStudy, meanKineticTemperature } from './validation-study.ts';

const MINUTE = 60_000;
const FRIDGE = { min: 2, max: 8 };
/** A study with ten readings at intervals of a minute. */
const SPAN = { from: 0, to: 10 * MINUTE, gapAllowanceMs: 2 * MINUTE };

function each(values: readonly number[], stepMs = MINUTE): Series {
  return { at: Float64Array.from(values, (_, i) => i * stepMs), value: Float64Array.from(values) };
}
const ten = (value: number) => each(Array.from({ length: 10 }, () => value));

describe('the mean kinetic temperature', () => {
  test('for a constant temperature, the result is that temperature', () =>
    expect(meanKineticTemperature(Float64Array.of(5, 5), Float64Array.of(1, 9))).toBeCloseTo(5, 9));

  test('for a day at 5 °C with an hour at 30 °C, the result is above the mean', () => {
    const values = Float64Array.of(5, 30);
    expect(meanKineticTemperature(values, Float64Array.of(23, 1))).toBeCloseTo(9.47, 2);
  });

  test('the result lies between the mean and the maximum', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -40, max: 60 }), { minLength: 1, maxLength: 40 }), (values) => {
        const mkt = meanKineticTemperature(
          Float64Array.from(values),
          new Float64Array(values.length).fill(1),
        );
        const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
        expect(mkt).toBeGreaterThanOrEqual(mean - 1e-6);
        expect(mkt).toBeLessThanOrEqual(Math.max(...values) + 1e-6);
      }),
    );
  });
});

describe('the evaluation of a study', () => {
  test('a study without readings has no result', () => {
    expect(judgeStudy(new Map(), FRIDGE, SPAN)).toBeNull();
    expect(judgeStudy(new Map([[1, each([])]]), FRIDGE, SPAN)).toBeNull();
  });

  test('the result contains hot and cold spot, means and the greatest difference at one time', () => {
    const result = judgeStudy(
      new Map([
        [1, each([4, 4, 4, 4, 4, 4, 4, 4, 4, 4])],
        [2, each([5, 5, 5, 7, 5, 5, 5, 5, 5, 5])],
        [3, each([3, 3, 3, 3, 2.5, 3, 3, 3, 3, 3])],
      ]),
      FRIDGE,
      SPAN,
    );
    expect(result).toMatchObject({
      hotSpot: 2,
      coldSpot: 3,
      min: 2.5,
      max: 7,
      uniformity: 4,
      verdict: 'passed',
    });
    expect(result?.mean).toBeCloseTo((4 + 5.2 + 2.95) / 3, 9);
    expect(result?.meanKinetic).toBeGreaterThan(result?.mean as number);
    expect(result?.points[1]).toMatchObject({ count: 10, coverage: 1, outsideMs: 0 });
  });

  test.each([
    ['values on both limits pass', [2, 8, 2, 8, 2, 8, 2, 8, 2, 8], 'passed', 0],
    [
      'a tenth of a degree too warm for two minutes fails',
      [5, 5, 8.1, 8.1, 5, 5, 5, 5, 5, 5],
      'failed',
      2 * MINUTE,
    ],
    ['a tenth of a degree too cold fails', [5, 5, 1.9, 5, 5, 5, 5, 5, 5, 5], 'failed', MINUTE],
    ['half of the readings are missing', [5, 5, 5, 5, 5], 'insufficient', 0],
    ['half of the readings are missing and the others too warm', [5, 5, 9, 5, 5], 'failed', MINUTE],
  ] as const)('the verdict is right: %s', (_words, values, verdict, outsideMs) => {
    const result = judgeStudy(new Map([[1, each(values)]]), FRIDGE, SPAN);
    expect(result?.verdict).toBe(verdict);
    expect(result?.points[0]?.outsideMs).toBe(outsideMs);
    expect(result?.uniformity).toBe(0);
  });

  test('a study with a sensor that sent no data for too long has not enough data', () => {
    const result = judgeStudy(
      new Map([
        [1, ten(5)],
        [2, each([])],
      ]),
      FRIDGE,
      SPAN,
    );
    expect(result?.verdict).toBe('insufficient');
  });

  test('values that are too old are not compared', () => {
    const late: Series = { at: Float64Array.of(5 * MINUTE), value: Float64Array.of(8) };
    const result = judgeStudy(
      new Map([
        [1, each([2])],
        [2, late],
      ]),
      FRIDGE,
      SPAN,
    );
    expect(result?.uniformity).toBe(0);
  });

  test('the greatest difference equals that of a comparison at every time', () => {
    const gapAllowanceMs = 3;
    const readings = fc.uniqueArray(fc.record({ at: fc.integer({ min: 0, max: 30 }), value: fc.integer() }), {
      selector: (reading) => reading.at,
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(fc.array(readings, { minLength: 1, maxLength: 6 }), (channels) => {
        const sorted = channels.map((own) => own.toSorted((a, b) => a.at - b.at));
        const spreads = sorted.flat().map(({ at: moment }) => {
          const said = sorted.flatMap((own) => {
            const last = own.findLast(({ at }) => at <= moment);
            return last && moment - last.at <= gapAllowanceMs ? [last.value] : [];
          });
          return Math.max(...said) - Math.min(...said);
        });
        const series = new Map(
          sorted.map((own, i): [number, Series] => [
            i,
            {
              at: Float64Array.from(own, ({ at }) => at),
              value: Float64Array.from(own, ({ value }) => value),
            },
          ]),
        );
        const result = judgeStudy(series, FRIDGE, { from: 0, to: 31, gapAllowanceMs });
        expect(result?.uniformity).toBe(Math.max(...spreads));
      }),
    );
  });
});
