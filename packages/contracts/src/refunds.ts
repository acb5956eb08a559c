import { COMMODITIES } from '@isotherm/domain/billing/ledger';
import { REFUND_STATES } from '@isotherm/domain/billing/refund';
import { z } from 'zod';
import { reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging, type ResponseOf } from './route.ts';

export const rechargeRefund = z.object({
  id: z.number().int(),
  /** Number by which the provider knows the refund. */
  number: z.string(),
  orderId: z.number().int(),
  orderNumber: z.string(),
  organizationId: z.number().int(),
  organizationName: z.string(),
  commodity: z.enum(COMMODITIES),
  units: z.number().int(),
  amountMinor: z.number().int(),
  currency: z.string(),
  reason: z.string(),
  state: z.enum(REFUND_STATES),
  /** What the provider said last. */
  detail: z.string(),
  createdBy: z.string(),
  createdAt: moment,
  decidedBy: z.string().nullable(),
  decidedAt: moment.nullable(),
  settledAt: moment.nullable(),
  /** False for who asked for it: a second person decides. */
  mayDecide: z.boolean(),
});
export type RechargeRefund = z.output<typeof rechargeRefund>;

export const listRefunds = defineRoute({
  name: 'listRefunds',
  method: 'GET',
  path: '/billing/refund',
  access: 'recharge-refunds:view',
  summary: 'Refunds of recharge orders of own and subordinate organisations',
  query: z.object({
    ...paging,
    search: z.string().max(100).default(''),
    state: z.enum(REFUND_STATES).optional(),
    sort: z.enum(['createdAt']).default('createdAt'),
    order: z.enum(['asc', 'desc']).default('desc'),
  }),
  response: pageOf(rechargeRefund),
});
export interface ListRefunds {
  query: z.output<(typeof listRefunds)['query']>;
  response: ResponseOf<typeof listRefunds>;
}

export const refundInput = z.strictObject({ orderId: id, reason });
export type RefundInput = z.output<typeof refundInput>;

/**
 * Throws `billing.order_not_found`, `billing.refund_state` (not paid), `billing.refund_open`, and `billing.refund_invoiced` if
 * the order is on an issued invoice.
 */
export const createRefund = defineRoute({
  name: 'createRefund',
  method: 'POST',
  path: '/billing/refund',
  access: 'recharge-refunds:edit',
  summary: 'Ask for the refund of a paid recharge order',
  body: refundInput,
  response: rechargeRefund,
});

/**
 * Approving withdraws the units and has the provider return the money. Throws `billing.refund_not_found`,
 * `billing.refund_decided`, `billing.refund_own`, `billing.refund_state`, `billing.refund_invoiced`, and `billing.refund_units` if the balance no longer
 * has the units.
 */
export const decideRefund = defineRoute({
  name: 'decideRefund',
  method: 'POST',
  path: '/billing/refund/:id/decide',
  access: 'recharge-refunds:approve',
  summary: 'Approve or reject the refund of a recharge order',
  params: z.object({ id }),
  body: z.strictObject({ approve: z.boolean() }),
  response: rechargeRefund,
});
