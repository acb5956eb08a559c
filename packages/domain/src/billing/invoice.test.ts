import { expect, test } from 'vitest';
import { type InvoicedOrder, invoiceFault } from './invoice.ts';

const order = (over: Partial<InvoicedOrder> = {}): InvoicedOrder => ({
  organizationId: 1,
  state: 'success',
  currency: 'CNY',
  hasInvoice: false,
  ...over,
});

test.each([
  ['paid orders of one payer', [order(), order()], null],
  ['an order that waits', [order(), order({ state: 'waiting' })], 'unpaid'],
  ['a refunded order', [order({ state: 'refunded' })], 'unpaid'],
  ['an order with an invoice', [order(), order({ hasInvoice: true })], 'invoiced'],
  ['orders of two payers', [order(), order({ organizationId: 2 })], 'payers'],
  ['orders in two currencies', [order(), order({ currency: 'USD' })], 'currencies'],
] as const)('an invoice for %s', (_what, orders, fault) => {
  expect(invoiceFault(orders)).toBe(fault);
});
