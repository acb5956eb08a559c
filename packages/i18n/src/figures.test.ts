import { expect, it } from 'vitest';
import { limitWords } from './figures.ts';

it.each([
  [2, 8, '2.0–8.0'],
  [-25, -15, '−25.0 – −15.0'],
  [-5, 5, '−5.0 – 5.0'],
  [15, null, '≥ 15.0'],
  [null, 8, '≤ 8.0'],
  [null, null, null],
])('the limits %s and %s are %s', (low, high, words) => {
  expect(limitWords({ low, high }, 1, 'en')).toBe(words);
});
