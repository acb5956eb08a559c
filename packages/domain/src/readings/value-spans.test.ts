import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Series } from './series.ts';
import { spansOf } from './value-spans.ts';

const series = (rows: readonly (readonly [at: number, value: number])[]): Series => ({
  at: Float64Array.from(rows, ([at]) => at),
  value: Float64Array.from(rows, ([, value]) => value),
});
const isOpen = (value: number) => value >= 1;

it.each<[string, [number, number][], [number, number | null, number, number][]]>([
  ['no reading', [], []],
  [
    'never',
    [
      [0, 0],
      [1, 0],
    ],
    [],
  ],
  [
    'from its first reading to the first without',
    [
      [0, 0],
      [1, 1],
      [2, 3],
      [3, 2],
      [4, 0],
    ],
    [[1, 4, 1, 3]],
  ],
  [
    'until the end',
    [
      [0, 0],
      [1, 1],
    ],
    [[1, null, 1, 1]],
  ],
  [
    'from the beginning',
    [
      [0, 1],
      [1, 0],
    ],
    [[0, 1, 1, 1]],
  ],
  [
    'twice',
    [
      [0, 1],
      [1, 0],
      [2, 1],
      [3, 0],
    ],
    [
      [0, 1, 1, 1],
      [2, 3, 1, 1],
    ],
  ],
  [
    'a silence ends it',
    [
      [0, 1],
      [20, 1],
      [21, 0],
    ],
    [
      [0, 10, 1, 1],
      [20, 21, 1, 1],
    ],
  ],
  [
    'a silence before the end',
    [
      [0, 1],
      [20, 0],
    ],
    [[0, 10, 1, 1]],
  ],
])('%s', (_, rows, expected) => {
  expect(spansOf(series(rows), isOpen, 10)).toEqual(
    expected.map(([from, to, min, max]) => ({ from, to, min, max })),
  );
});

it('each reading with the property is in one span, and no other', () => {
  const rows = fc
    .array(fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 3 })), { maxLength: 60 })
    .map((steps) => {
      let at = 0;
      return steps.map(([step, value]) => {
        at += step;
        return [at, value] as const;
      });
    });
  fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 25 }), (all, allowanceMs) => {
      const spans = spansOf(series(all), isOpen, allowanceMs);
      for (const [at, value] of all)
        expect(
          spans.filter(({ from, to }) => at >= from && at < (to ?? Number.POSITIVE_INFINITY)),
        ).toHaveLength(isOpen(value) ? 1 : 0);
      for (const [index, { from }] of spans.entries())
        expect(from).toBeGreaterThanOrEqual(spans[index - 1]?.to ?? 0);
    }),
  );
});
