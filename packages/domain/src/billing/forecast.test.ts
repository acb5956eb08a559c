import { expect, test } from 'vitest';
import { lastsDays } from './forecast.ts';

test.each<[number, number, number, number | null]>([
  [2_140, 5_850, 30, 10],
  [0, 30, 30, 0],
  [-5, 30, 30, 0],
  [100, 0, 30, null],
  [100, 10, 0, null],
])('a balance of %d lasts, after %d used in %d days, %d days', (available, used, days, left) => {
  expect(lastsDays(available, used, days)).toBe(left);
});
