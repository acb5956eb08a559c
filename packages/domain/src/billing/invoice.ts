import type { OrderState } from './order.ts';

export const INVOICE_STATES = ['requested', 'issued', 'cancelled'] as const;
export type InvoiceState = (typeof INVOICE_STATES)[number];

/** Orders on one invoice. */
export const INVOICE_ORDERS_MOST = 50;

export interface InvoicedOrder {
  organizationId: number;
  state: OrderState;
  currency: string;
  hasInvoice: boolean;
}

/**
 * Why these orders cannot be on one invoice; null if they can: all are paid, have no invoice, and are of one payer and in
 * one currency.
 */
export function invoiceFault(
  orders: readonly InvoicedOrder[],
): 'unpaid' | 'invoiced' | 'payers' | 'currencies' | null {
  if (orders.some(({ state }) => state !== 'success')) return 'unpaid';
  if (orders.some(({ hasInvoice }) => hasInvoice)) return 'invoiced';
  if (new Set(orders.map(({ organizationId }) => organizationId)).size > 1) return 'payers';
  if (new Set(orders.map(({ currency }) => currency)).size > 1) return 'currencies';
  return null;
}
