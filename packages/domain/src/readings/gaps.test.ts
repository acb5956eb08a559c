import { expect, test } from 'vitest';
import { bucketStepMs, findGaps } from './gaps.ts';

test.each<[string, [number, number][], number[][]]>([
  ['without readings the whole window is a gap', [], [[0, 100]]],
  [
    'readings that are close enough have no gap',
    [
      [5, 5],
      [12, 12],
      [20, 90],
      [95, 95],
    ],
    [],
  ],
  [
    'a gap between two readings',
    [
      [0, 20],
      [60, 100],
    ],
    [[20, 60]],
  ],
  [
    'gaps at the start and at the end',
    [[40, 60]],
    [
      [0, 40],
      [60, 100],
    ],
  ],
  [
    'an interval of exactly the allowance is not a gap',
    [
      [10, 45],
      [55, 100],
    ],
    [],
  ],
])('gaps are found correctly: %s', (_name, stretches, gaps) => {
  expect(findGaps(stretches, 0, 100, 10).map(({ from, to }) => [from, to])).toEqual(gaps);
});

test.each([
  [24 * 3_600_000, 800, 120_000],
  [30 * 86_400_000, 800, 3_600_000],
  [60_000, 800, 1_000],
  [92 * 86_400_000, 10, 10 * 86_400_000],
])('a range of %d ms with at most %d points has buckets of %d ms', (range, points, step) => {
  expect(bucketStepMs(range, points)).toBe(step);
});
