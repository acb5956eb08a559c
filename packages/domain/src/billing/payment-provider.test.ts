import { expect, test } from 'vitest';
import { takesCurrency } from './payment-provider.ts';

test.each([
  ['alipay', 'CNY', true],
  ['alipay', 'USD', false],
  ['wechat', 'CNY', true],
  ['wechat', 'EUR', false],
  ['stripe', 'USD', true],
  ['stripe', 'CNY', true],
  ['stripe', 'UGX', false],
  ['sandbox', 'UGX', true],
] as const)('%s takes payments in %s: %s', (kind, currency, takes) => {
  expect(takesCurrency(kind, currency)).toBe(takes);
});
