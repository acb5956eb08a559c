import { expect, test } from 'vitest';
import { earlierRange } from './compare-range.ts';

test.each([
  [
    'the days before',
    ['2026-11-16T00:00:00.000Z', '2026-11-20T00:00:00.000Z'],
    'before',
    'UTC',
    ['2026-11-12T00:00:00.000Z', '2026-11-16T00:00:00.000Z'],
  ],
  [
    'whole local days across the end of daylight saving time',
    ['2026-10-25T23:00:00.000Z', '2026-10-28T23:00:00.000Z'],
    'before',
    'Europe/Madrid',
    ['2026-10-22T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
  ],
  [
    'a chosen start',
    ['2026-11-16T16:00:00.000Z', '2026-11-17T16:00:00.000Z'],
    '2026-10-01T16:00:00.000Z',
    'Asia/Shanghai',
    ['2026-10-01T16:00:00.000Z', '2026-10-02T16:00:00.000Z'],
  ],
])('%s', (_case, [from = '', to = ''], compare, zone, [earlierFrom, earlierTo]) => {
  expect(earlierRange({ from, to }, compare, zone)).toEqual({ from: earlierFrom, to: earlierTo });
});

test('without a comparison, or with a start that is no time, there is no earlier period', () => {
  const range = { from: '2026-11-16T00:00:00.000Z', to: '2026-11-17T00:00:00.000Z' };
  expect([earlierRange(range, null, 'UTC'), earlierRange(range, 'soon', 'UTC')]).toEqual([null, null]);
});
