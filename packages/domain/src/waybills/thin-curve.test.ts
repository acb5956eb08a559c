import fc from 'fast-check';
import { expect, it } from 'vitest';
import { thinCurve } from './thin-curve.ts';

const part = (points: readonly (readonly [number, number])[], allowanceMs = 5) => ({
  series: {
    at: Float64Array.from(points, ([at]) => at),
    value: Float64Array.from(points, ([, value]) => value),
  },
  from: 0,
  to: 1_000,
  allowanceMs,
});

it.each<[string, [number, number][], number, [number, number][][]]>([
  ['no readings', [], 10, []],
  ['one reading', [[3, 5]], 10, [[[3, 5]]]],
  [
    'equal readings of a column',
    [
      [0, 5],
      [1, 5],
      [2, 5],
    ],
    10,
    [[[0, 5]]],
  ],
  [
    'a rise and a fall in a column',
    [
      [0, 5],
      [1, 9],
      [2, 2],
      [3, 5],
    ],
    10,
    [
      [
        [1, 9],
        [2, 2],
      ],
    ],
  ],
  [
    'two columns',
    [
      [0, 5],
      [9, 6],
      [10, 7],
    ],
    10,
    [
      [
        [0, 5],
        [9, 6],
        [10, 7],
      ],
    ],
  ],
  [
    'a gap',
    [
      [0, 5],
      [1, 6],
      [7, 7],
    ],
    10,
    [
      [
        [0, 5],
        [1, 6],
      ],
      [[7, 7]],
    ],
  ],
])('%s', (_, points, columnMs, stretches) => {
  expect(thinCurve(part(points, columnMs === 10 && points[1]?.[0] === 9 ? 20 : 5), columnMs)).toEqual(
    stretches,
  );
});

it('no extreme is lost, order is kept, and a column has at most two points for each stretch', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 0, max: 999 }), { maxLength: 80 }),
      fc.array(fc.integer({ min: -30, max: 30 }), { minLength: 80, maxLength: 80 }),
      fc.integer({ min: 1, max: 300 }),
      (times, values, columnMs) => {
        const points = times.sort((a, b) => a - b).map((at, i) => [at, values[i] as number] as const);
        const thin = thinCurve(part(points), columnMs).flat();
        const of = (list: readonly (readonly [number, number])[]) => list.map(([, value]) => value);
        expect(Math.max(...of(thin))).toBe(Math.max(...of(points)));
        expect(Math.min(...of(thin))).toBe(Math.min(...of(points)));
        expect(thin.map(([at]) => at)).toEqual([...thin.map(([at]) => at)].sort((a, b) => a - b));
        for (const stretch of thinCurve(part(points), columnMs)) {
          const columns = stretch.map(([at]) => Math.floor(at / columnMs));
          for (const column of columns)
            expect(columns.filter((each) => each === column).length).toBeLessThan(3);
        }
      },
    ),
  );
});
