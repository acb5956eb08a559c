import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { quoteRenewal, RENEWAL_YEARS_MOST, type RenewedDevice } from './renewal.ts';

const PRICES = [
  { model: '', amountMinor: 6_000, currency: 'CNY' },
  { model: 'TH-20', amountMinor: 9_000, currency: 'CNY' },
  { model: 'TH-20', amountMinor: 1_500, currency: 'USD' },
];
const FEE = { amountMinor: 10_000, currency: 'CNY' };
const device = (over: Partial<RenewedDevice> = {}): RenewedDevice => ({
  model: 'TH-20',
  isUnlimited: false,
  isLapsed: false,
  ...over,
});

describe('price of a renewal', () => {
  test.each([
    ['its model', device(), 1, 'CNY', { amountMinor: 9_000, feeMinor: 0 }],
    ['several years', device(), 3, 'CNY', { amountMinor: 27_000, feeMinor: 0 }],
    ['another model', device({ model: 'X' }), 2, 'CNY', { amountMinor: 12_000, feeMinor: 0 }],
    [
      'a cancelled SIM card, with the fee',
      device({ isLapsed: true }),
      1,
      'CNY',
      { amountMinor: 9_000, feeMinor: 10_000 },
    ],
    ['a model without a price', device({ model: 'X' }), 1, 'USD', { fault: 'price' }],
    ['a fee in another currency', device({ isLapsed: true }), 1, 'USD', { fault: 'fee' }],
    ['a device without expiry', device({ isUnlimited: true }), 1, 'CNY', { fault: 'unlimited' }],
  ] as const)('%s', (_what, asked, years, currency, quote) => {
    expect(quoteRenewal(asked, years, currency, PRICES, FEE)).toEqual(quote);
  });

  test('each further year costs the same, and the fee is paid once', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('', 'TH-20', 'X'),
        fc.boolean(),
        fc.integer({ min: 1, max: RENEWAL_YEARS_MOST - 1 }),
        (model, isLapsed, years) => {
          const cost = (count: number) => {
            const quote = quoteRenewal(device({ model, isLapsed }), count, 'CNY', PRICES, FEE);
            return 'fault' in quote ? Number.NaN : quote.amountMinor + quote.feeMinor;
          };
          const fee = isLapsed ? FEE.amountMinor : 0;
          expect(cost(years + 1) - cost(years)).toBe(cost(1) - fee);
        },
      ),
    );
  });
});
