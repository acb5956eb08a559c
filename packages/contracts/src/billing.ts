import { INVOICE_STATES } from '@isotherm/domain/billing/invoice';
import { COMMODITIES, ENTRY_KINDS } from '@isotherm/domain/billing/ledger';
import { ORDER_FAULTS, ORDER_STATES } from '@isotherm/domain/billing/order';
import { PAYMENT_PROVIDER_KINDS, SANDBOX_PROVIDER } from '@isotherm/domain/billing/payment-provider';
import { ORDER_GOODS } from '@isotherm/domain/billing/renewal';
import { z } from 'zod';
import { sheetExport } from './batches.ts';
import { reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

const commodity = z.enum(COMMODITIES);
const units = z.number().int().min(1).max(10_000_000);
/** Currency by ISO 4217. */
const currency = z.string().regex(/^[A-Z]{3}$/, { error: 'format' });

/** Balance of one kind of units, with what it was used for in the last 30 days. */
export const balance = z.object({
  commodity,
  available: z.number().int(),
  /** Units of messages that wait to be sent. */
  reserved: z.number().int(),
  overdraft: z.number().int(),
  usedIn30Days: z.number().int(),
  /** Days that the balance lasts at this rate; null if nothing was used. */
  lastsDays: z.number().int().nullable(),
  /** Units that the outage of the most expensive site costs, if known; 0 if nobody is notified. */
  outageUnits: z.number().int().nullable(),
  /** Balance at the end of each of the last 30 days (UTC) and now, oldest first. */
  course: z.array(z.object({ at: moment, balance: z.number().int() })),
});
export type BalanceView = z.output<typeof balance>;

/** Providers of payments that are offered. */
export const rechargeProviders = z.array(
  z.object({
    /** Name to order with. */
    name: z.string(),
    title: z.string(),
    kind: z.enum([...PAYMENT_PROVIDER_KINDS, SANDBOX_PROVIDER]),
  }),
);

/**
 * Balances that pay for an organisation. Throws `organization.not_found`.
 */
export const getBalance = defineRoute({
  name: 'getBalance',
  method: 'GET',
  path: '/billing/balance',
  access: 'recharge-sms:view',
  summary: 'Prepaid balances that pay for an organisation',
  query: z.object({ organizationId: id.optional() }),
  response: z.object({
    organizationId: z.number().int(),
    organizationName: z.string(),
    /** The organisation that pays: itself, or one above it. */
    payerId: z.number().int(),
    payerName: z.string(),
    /** True if the caller may recharge it: it is the caller's organisation or one below. */
    mayRecharge: z.boolean(),
    balances: z.array(balance),
    providers: rechargeProviders,
  }),
});

export const rechargePackage = z.object({
  id: z.number().int(),
  commodity,
  units,
  amountMinor: z.number().int(),
  currency,
});
export type RechargePackage = z.output<typeof rechargePackage>;

export const listPackages = defineRoute({
  name: 'listPackages',
  method: 'GET',
  path: '/billing/package',
  access: 'recharge-sms:view',
  summary: 'Packages of prepaid units on sale',
  query: z.object({ commodity: commodity.optional() }),
  response: z.array(rechargePackage),
});

export const packageInput = z.strictObject({
  commodity,
  units,
  /** Decimal amount of the currency, such as 275.5. */
  price: z.number().positive().max(10_000_000),
  currency,
});
export type PackageInput = z.output<typeof packageInput>;

/** Throws `billing.package_taken`, `billing.price`. */
export const createPackage = defineRoute({
  name: 'createPackage',
  method: 'POST',
  path: '/billing/package',
  access: 'management-prices:edit',
  summary: 'Offer a package of prepaid units',
  body: packageInput,
  response: rechargePackage,
});

/** Orders of the package stay as they are. Throws `billing.package_not_found`. */
export const deletePackage = defineRoute({
  name: 'deletePackage',
  method: 'DELETE',
  path: '/billing/package/:id',
  access: 'management-prices:edit',
  summary: 'Withdraw a package from sale',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});

export const rechargeOrder = z.object({
  id: z.number().int(),
  number: z.string(),
  organizationId: z.number().int(),
  organizationName: z.string(),
  commodity: z.enum(ORDER_GOODS),
  /** Units of a balance; for renewals the number of devices. */
  units: z.number().int(),
  amountMinor: z.number().int(),
  currency,
  provider: z.string(),
  providerTitle: z.string(),
  /** Text of the QR code to pay with; empty when it is not waiting. */
  code: z.string(),
  state: z.enum(ORDER_STATES),
  /** A payment of another amount arrived, or fewer devices were renewed than were paid for. */
  fault: z.enum(ORDER_FAULTS).nullable(),
  createdBy: z.string(),
  createdAt: moment,
  expiresAt: moment,
  settledAt: moment.nullable(),
  /** State of its invoice; null if none was requested. */
  invoice: z.enum(INVOICE_STATES).nullable(),
});
export type RechargeOrder = z.output<typeof rechargeOrder>;

export const orderInput = z.strictObject({
  /** Organisation whose payer is recharged; the caller's own if absent. */
  organizationId: id.optional(),
  packageId: id,
  provider: z.string().min(1).max(40),
});
export type OrderInput = z.output<typeof orderInput>;

/**
 * Creates an order and asks the provider for a payment code. Throws `billing.package_not_found`,
 * `billing.provider`, `billing.provider_down`, `billing.shared` (another organisation pays), `organization.not_found`.
 */
export const createOrder = defineRoute({
  name: 'createOrder',
  method: 'POST',
  path: '/billing/order',
  access: 'recharge-sms:pay',
  summary: 'Order prepaid units',
  body: orderInput,
  response: rechargeOrder,
});

/** Reads an order. Throws `billing.order_not_found`. */
export const getOrder = defineRoute({
  name: 'getOrder',
  method: 'GET',
  path: '/billing/order/:id',
  access: 'recharge-sms:view',
  summary: 'One recharge order',
  params: z.object({ id }),
  response: rechargeOrder,
});

/** Asks the provider whether the order was paid. Throws `billing.order_not_found`. */
export const checkOrder = defineRoute({
  name: 'checkOrder',
  method: 'POST',
  path: '/billing/order/:id/check',
  access: 'recharge-sms:pay',
  summary: 'Ask the payment provider about an order',
  params: z.object({ id }),
  response: rechargeOrder,
});

/** Throws `billing.order_not_found`, `billing.order_state`. */
export const cancelOrder = defineRoute({
  name: 'cancelOrder',
  method: 'POST',
  path: '/billing/order/:id/cancel',
  access: 'recharge-sms:pay',
  summary: 'Cancel an order that waits for its payment',
  params: z.object({ id }),
  response: rechargeOrder,
});

const orderFilter = {
  search: z.string().max(100).default(''),
  commodity: z.enum(ORDER_GOODS).optional(),
  state: z.enum(ORDER_STATES).optional(),
  sort: z.enum(['createdAt', 'amount']).default('createdAt'),
  order: z.enum(['asc', 'desc']).default('desc'),
};

export const listOrders = defineRoute({
  name: 'listOrders',
  method: 'GET',
  path: '/billing/order',
  access: 'recharge-records:view',
  summary: 'Recharge orders of own and subordinate organisations',
  query: z.object({ ...paging, ...orderFilter }),
  response: pageOf(rechargeOrder),
});

/** Exports the filtered list as XLSX, as base64 in the JSON response. */
export const exportOrders = defineRoute({
  name: 'exportOrders',
  method: 'GET',
  path: '/billing/order/export',
  access: 'recharge-records:export',
  summary: 'The filtered recharge orders as a spreadsheet',
  query: z.object(orderFilter),
  response: sheetExport,
});

export const rechargeGrant = z.object({
  id: z.number().int(),
  organizationId: z.number().int(),
  organizationName: z.string(),
  commodity,
  units: z.number().int(),
  reason: z.string(),
  state: z.enum(['pending', 'approved', 'rejected']),
  createdBy: z.string(),
  createdAt: moment,
  decidedBy: z.string().nullable(),
  decidedAt: moment.nullable(),
  /** False for who asked for it: a second person decides. */
  mayDecide: z.boolean(),
});
export type RechargeGrant = z.output<typeof rechargeGrant>;

export const grantInput = z.strictObject({ organizationId: id, commodity, units, reason });
export type GrantInput = z.output<typeof grantInput>;

export const listGrants = defineRoute({
  name: 'listGrants',
  method: 'GET',
  path: '/billing/grant',
  access: 'recharge-background:view',
  summary: 'Recharges without payment of own and subordinate organisations',
  query: z.object({
    ...paging,
    search: z.string().max(100).default(''),
    state: z.enum(['pending', 'approved', 'rejected']).optional(),
    sort: z.enum(['createdAt']).default('createdAt'),
    order: z.enum(['asc', 'desc']).default('desc'),
  }),
  response: pageOf(rechargeGrant),
});

/** Throws `organization.not_found`, `billing.shared`. */
export const createGrant = defineRoute({
  name: 'createGrant',
  method: 'POST',
  path: '/billing/grant',
  access: 'recharge-background:edit',
  summary: 'Ask for a recharge without payment',
  body: grantInput,
  response: rechargeGrant,
});

/** Throws `billing.grant_not_found`, `billing.grant_decided`, `billing.grant_own`. */
export const decideGrant = defineRoute({
  name: 'decideGrant',
  method: 'POST',
  path: '/billing/grant/:id/decide',
  access: 'recharge-background:approve',
  summary: 'Approve or reject a recharge without payment',
  params: z.object({ id }),
  body: z.strictObject({ approve: z.boolean() }),
  response: rechargeGrant,
});

/** Balances of an organisation in the list of all accounts. */
export const organizationBalance = z.object({
  organizationId: z.number().int(),
  organizationName: z.string(),
  /** `own` if the organisation pays for itself, otherwise the name of the payer is given. */
  payerId: z.number().int(),
  payerName: z.string(),
  independent: z.boolean(),
  sms: z.number().int(),
  voice: z.number().int(),
  wechat: z.number().int(),
  /** How far level 5 may go below zero, SMS. */
  overdraft: z.number().int(),
});
export type OrganizationBalance = z.output<typeof organizationBalance>;

export const listBalances = defineRoute({
  name: 'listBalances',
  method: 'GET',
  path: '/billing/account',
  access: 'management-balance:view',
  summary: 'Balances of own and subordinate organisations',
  query: z.object({
    ...paging,
    search: z.string().max(100).default(''),
    sort: z.enum(['name', 'sms', 'voice', 'wechat']).default('name'),
    order: z.enum(['asc', 'desc']).default('asc'),
  }),
  response: pageOf(organizationBalance),
});

/**
 * Lets an organisation settle independently, or be paid for by the one above. Throws `organization.not_found`,
 * `billing.balance_left`.
 */
export const setSettlement = defineRoute({
  name: 'setSettlement',
  method: 'PUT',
  path: '/billing/account/:id/settlement',
  access: 'management-balance:edit',
  summary: 'Set who pays for an organisation',
  params: z.object({ id }),
  body: z.strictObject({ independent: z.boolean() }),
  response: z.null(),
});

/** Throws `organization.not_found`, `billing.shared`. */
export const setOverdraft = defineRoute({
  name: 'setOverdraft',
  method: 'PUT',
  path: '/billing/account/:id/overdraft',
  access: 'management-balance:overdraft',
  summary: 'Set how far messages of level 5 may overdraw the balances of an organisation',
  params: z.object({ id }),
  body: z.strictObject({ units: z.number().int().min(0).max(10_000) }),
  response: z.null(),
});

export const ledgerEntry = z.object({
  id: z.number().int(),
  kind: z.enum(ENTRY_KINDS),
  commodity,
  /** Change of the available balance. */
  change: z.number().int(),
  /** Available balance after the entry. */
  balance: z.number().int(),
  organizationName: z.string(),
  cause: z.object({ kind: z.enum(['message', 'order', 'grant', 'refund']), id: z.number().int() }),
  createdBy: z.string(),
  at: moment,
});
export type LedgerEntry = z.output<typeof ledgerEntry>;

const ledgerFilter = {
  commodity: commodity.default('sms'),
  organizationId: id.optional(),
  sort: z.enum(['at']).default('at'),
  order: z.enum(['desc']).default('desc'),
};

/**
 * Entries that changed the available balance of the payer of an organisation. Throws `organization.not_found`.
 */
export const listLedger = defineRoute({
  name: 'listLedger',
  method: 'GET',
  path: '/billing/ledger',
  access: 'management-balance:view',
  summary: 'Entries of the ledger',
  query: z.object({ ...paging, ...ledgerFilter }),
  response: pageOf(ledgerEntry),
});
