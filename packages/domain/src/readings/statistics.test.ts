import { expect, test } from 'vitest';
import { windowStatistics } from './statistics.ts';

const sample = (at: number, mean: number, outside = 0) => ({ at, mean, outside });

test.each([
  ['nothing', [], null],
  ['one reading, up to the end', [sample(0, 5, 1)], { mean: 5, outsideMs: 10 }],
  ['even readings', [sample(0, 4), sample(5, 6)], { mean: 5, outsideMs: 0 }],
  [
    'many readings in a short while weigh no more than the while',
    [sample(0, 4), sample(8, 6, 1), sample(9, 6, 1)],
    { mean: 4.4, outsideMs: 2 },
  ],
  ['half of a bucket outside', [sample(0, 8, 0.5)], { mean: 8, outsideMs: 5 }],
  ['nobody vouches for a gap', [sample(-40, 9, 1), sample(0, 5)], { mean: 5, outsideMs: 0 }],
  ['a reading alone before a gap still has its value', [sample(-40, 9, 1)], { mean: 9, outsideMs: 0 }],
  ['a reading after the end counts for no time', [sample(12, 7, 1)], { mean: 7, outsideMs: 0 }],
])('%s', (_name, samples, statistics) => {
  expect(windowStatistics(samples, 10, 20)).toEqual(statistics);
});
