import { INVOICE_ORDERS_MOST, INVOICE_STATES } from '@isotherm/domain/billing/invoice';
import { z } from 'zod';
import { sheetExport } from './batches.ts';
import { email, label, reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

/** What an invoice says of its payer. */
const payer = {
  /** Name of the company or person. */
  title: label(120),
  taxNumber: z.string().trim().min(1).max(40),
  address: label(300),
  /** Where the invoice is sent. */
  email,
};

export const invoice = z.object({
  id: z.number().int(),
  organizationName: z.string(),
  amountMinor: z.number().int(),
  currency: z.string(),
  title: z.string(),
  taxNumber: z.string(),
  address: z.string(),
  email: z.string(),
  /** Numbers of its orders. */
  orders: z.array(z.string()),
  state: z.enum(INVOICE_STATES),
  requestedBy: z.string(),
  requestedAt: moment,
  number: z.string().nullable(),
  issuedOn: z.iso.date().nullable(),
  issuedBy: z.string().nullable(),
  /** Why it was cancelled; null if it was not. */
  cancelReason: z.string().nullable(),
});
export type Invoice = z.output<typeof invoice>;

const filter = {
  search: z.string().max(100).default(''),
  state: z.enum(INVOICE_STATES).optional(),
  sort: z.enum(['requestedAt', 'amount']).default('requestedAt'),
  order: z.enum(['asc', 'desc']).default('desc'),
};

export const listInvoices = defineRoute({
  name: 'listInvoices',
  method: 'GET',
  path: '/billing/invoice',
  access: 'recharge-records:view',
  summary: 'Invoices of own and subordinate organisations',
  query: z.object({ ...paging, ...filter }),
  response: pageOf(invoice),
});

/** Exports the filtered list as XLSX, as base64 in the JSON response. */
export const exportInvoices = defineRoute({
  name: 'exportInvoices',
  method: 'GET',
  path: '/billing/invoice/export',
  access: 'recharge-records:export',
  summary: 'The filtered invoices as a spreadsheet',
  query: z.object(filter),
  response: sheetExport,
});

/** The payer of the last invoice of the caller's organisations, to prefill the next request; null if there is none. */
export const getInvoicePayer = defineRoute({
  name: 'getInvoicePayer',
  method: 'GET',
  path: '/billing/invoice/payer',
  access: 'recharge-records:invoice',
  summary: 'Payer of the last invoice',
  response: z.object(payer).nullable(),
});

/** Throws `billing.order_not_found`, `invoice.unpaid|invoiced|payers|currencies`. */
export const requestInvoice = defineRoute({
  name: 'requestInvoice',
  method: 'POST',
  path: '/billing/invoice',
  access: 'recharge-records:invoice',
  summary: 'Request an invoice for paid orders',
  body: z.strictObject({ orderIds: z.array(id).min(1).max(INVOICE_ORDERS_MOST), ...payer }),
  response: invoice,
});

/**
 * Notes the number and date of an issued invoice. Throws `invoice.not_found|issued|cancelled`, and `invoice.refunded` if one of
 * its orders is not paid any more.
 */
export const issueInvoice = defineRoute({
  name: 'issueInvoice',
  method: 'POST',
  path: '/billing/invoice/:id/issue',
  access: 'recharge-records:issue',
  summary: 'Mark an invoice as issued',
  params: z.object({ id }),
  body: z.strictObject({
    number: z.string().trim().min(1).max(40),
    issuedOn: z.iso.date({ error: 'format' }),
  }),
  response: invoice,
});

/**
 * Cancels a request, or notes that an issued invoice was cancelled. Its orders can be refunded and invoiced again. Throws
 * `invoice.not_found|cancelled`.
 */
export const cancelInvoice = defineRoute({
  name: 'cancelInvoice',
  method: 'POST',
  path: '/billing/invoice/:id/cancel',
  access: 'recharge-records:issue',
  summary: 'Cancel an invoice',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: invoice,
});
