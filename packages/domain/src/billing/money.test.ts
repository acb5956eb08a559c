import fc from 'fast-check';
import { expect, test } from 'vitest';
import { currencyDigits, decimalText, fromMinor, parseMinor, toMinor } from './money.ts';

test.each([
  ['CNY', 275, 27_500, '275.00'],
  ['USD', 0.29, 29, '0.29'],
  ['JPY', 1_200, 1_200, '1200'],
  ['KWD', 1.005, 1_005, '1.005'],
])('an amount of %s: %d is %d minor units', (currency, amount, minor, written) => {
  expect(toMinor(amount, currency)).toBe(minor);
  expect(fromMinor(minor, currency)).toBe(amount);
  expect(decimalText(minor, currency)).toBe(written);
  expect(parseMinor(written, currency)).toBe(minor);
});

test.each([
  [0.005, 'CNY'],
  [12.5, 'JPY'],
])('%d %s has too many decimals', (amount, currency) => {
  expect(toMinor(amount, currency)).toBeNull();
});

test.each(['', '-1.00', '1e3', '1.001', '1,00', ' 1'])('%j is no amount', (written) => {
  expect(parseMinor(written, 'CNY')).toBeNull();
});

test('every amount in minor units is read back as it was written', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000_000), fc.constantFrom('CNY', 'JPY', 'KWD', 'EUR'), (minor, currency) => {
      expect(parseMinor(decimalText(minor, currency), currency)).toBe(minor);
      expect(toMinor(fromMinor(minor, currency), currency)).toBe(minor);
      expect(currencyDigits(currency)).toBeLessThanOrEqual(3);
    }),
  );
});
