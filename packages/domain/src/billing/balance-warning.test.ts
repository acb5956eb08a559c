import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeBalance, outageUnits, type SiteReach } from './balance-warning.ts';

test.each([
  [100, 100, false, 'none'],
  [99, 100, false, 'warn'],
  [50, 100, true, 'none'],
  [-5, 10, false, 'warn'],
  [100, 100, true, 'reset'],
  [500, 100, true, 'reset'],
] as const)('a balance of %i, warned of below %i, low before: %s: %s', (available, below, wasLow, expected) =>
  expect(judgeBalance(available, below, wasLow)).toBe(expected),
);

test('a balance is warned of once for each fall', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 30 })), (balances) => {
      let low = false;
      let warned = 0;
      for (const balance of balances) {
        const verdict = judgeBalance(balance, 10, low);
        if (verdict === 'warn') warned += 1;
        if (verdict !== 'none') low = verdict === 'warn';
      }
      const falls = balances.filter((balance, at) => balance < 10 && (balances[at - 1] ?? 10) >= 10).length;
      expect(warned).toBe(falls);
    }),
  );
});

test.each<[string, SiteReach[], number, number]>([
  ['no site', [], 1, 0],
  [
    'one recipient, told of the beginning and the end',
    [{ siteId: 1, channels: 50, grouped: 1, single: 0 }],
    1,
    2,
  ],
  ['level 5 for each alarm', [{ siteId: 1, channels: 20, grouped: 2, single: 3 }], 1, 124],
  ['two units for each message', [{ siteId: 1, channels: 1, grouped: 3, single: 0 }], 1.5, 9],
  [
    'the most expensive of two sites, one with two policies',
    [
      { siteId: 1, channels: 5, grouped: 2, single: 0 },
      { siteId: 2, channels: 5, grouped: 1, single: 0 },
      { siteId: 1, channels: 5, grouped: 3, single: 0 },
    ],
    1,
    10,
  ],
])('the outage of a site: %s', (_, reaches, units, expected) =>
  expect(outageUnits(reaches, units)).toBe(expected),
);
