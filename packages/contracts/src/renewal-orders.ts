import { RENEWAL_DEVICES_MOST, RENEWAL_YEARS_MOST } from '@isotherm/domain/billing/renewal';
import { TERM_STATES } from '@isotherm/domain/devices/device-state';
import { z } from 'zod';
import { rechargeOrder, rechargeProviders } from './billing.ts';
import { listExpiring } from './device-registry.ts';
import { currency, deviceNumber, label, orNone, reason } from './fields.ts';
import { defineRoute, id, moment } from './route.ts';

export const renewalPrice = z.object({
  id: z.number().int(),
  /** Empty for the price of all models without one of their own. */
  model: z.string(),
  amountMinor: z.number().int(),
  currency: z.string(),
});
export type RenewalPrice = z.output<typeof renewalPrice>;

export const listRenewalPrices = defineRoute({
  name: 'listRenewalPrices',
  method: 'GET',
  path: '/billing/renewal-price',
  access: 'device-expired:view',
  summary: 'What a year of each model costs',
  response: z.array(renewalPrice),
});

export const renewalPriceInput = z.strictObject({
  model: orNone(label(80)),
  /** Decimal amount of the currency for a year. */
  price: z.number().positive().max(10_000_000),
  currency,
});
export type RenewalPriceInput = z.output<typeof renewalPriceInput>;

/** Throws `billing.renewal_price_taken`, `billing.price`. */
export const createRenewalPrice = defineRoute({
  name: 'createRenewalPrice',
  method: 'POST',
  path: '/billing/renewal-price',
  access: 'management-prices:edit',
  summary: 'Set what a year of a model costs',
  body: renewalPriceInput,
  response: renewalPrice,
});

/** Orders stay as they are. Throws `billing.renewal_price_not_found`. */
export const deleteRenewalPrice = defineRoute({
  name: 'deleteRenewalPrice',
  method: 'DELETE',
  path: '/billing/renewal-price/:id',
  access: 'management-prices:edit',
  summary: 'Withdraw the price of a model',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});

const { search, organizationId, term } = listExpiring.query.shape;

/** The devices to renew: some, or all that a filter of the list finds. */
const selection = z.union([
  z.strictObject({ numbers: z.array(deviceNumber).min(1).max(RENEWAL_DEVICES_MOST) }),
  z.strictObject({ filter: z.strictObject({ search, organizationId, term }) }),
]);
export type RenewalSelection = z.output<typeof selection>;

const asked = {
  devices: selection,
  years: z.number().int().min(1).max(RENEWAL_YEARS_MOST),
  /** Currency by ISO 4217; the first of the price list if absent. */
  currency: currency.optional(),
};

export const renewalQuote = z.object({
  currency: z.string(),
  /** Currencies of the price list. */
  currencies: z.array(z.string()),
  totalMinor: z.number().int(),
  providers: rechargeProviders,
  devices: z.array(
    z.object({
      number: z.string(),
      name: z.string(),
      model: z.string(),
      term: z.enum(TERM_STATES),
      expiresOn: z.iso.date().nullable(),
      renewedOn: z.iso.date(),
      amountMinor: z.number().int(),
      /** Fee for a new SIM card, if the previous one is cancelled. */
      feeMinor: z.number().int(),
    }),
  ),
  /** Devices that cannot be renewed, with the reason. */
  refused: z.array(
    z.object({
      number: z.string(),
      name: z.string(),
      fault: z.enum(['unlimited', 'price', 'fee', 'unknown']),
    }),
  ),
});
export type RenewalQuoteView = z.output<typeof renewalQuote>;

/** Throws `billing.renewal_many`. */
export const quoteRenewal = defineRoute({
  name: 'quoteRenewal',
  method: 'POST',
  path: '/billing/renewal-quote',
  access: 'device-expired:pay',
  summary: 'What the renewal of devices costs',
  body: z.strictObject(asked),
  response: renewalQuote,
});

/**
 * Orders the renewal of those devices that can be renewed. Throws `billing.renewal_none`, `billing.renewal_many`,
 * `billing.renewal_price_changed` (the total is not the one that the person saw), `billing.provider`,
 * `billing.provider_down`.
 */
export const orderRenewal = defineRoute({
  name: 'orderRenewal',
  method: 'POST',
  path: '/billing/renewal-order',
  access: 'device-expired:pay',
  summary: 'Order the renewal of devices',
  body: z.strictObject({
    ...asked,
    totalMinor: z.number().int().min(1),
    provider: z.string().min(1).max(40),
  }),
  response: rechargeOrder,
});

export const deviceRenewal = z.object({
  id: z.number().int(),
  /** Null for a renewal without payment. */
  orderNumber: z.string().nullable(),
  months: z.number().int(),
  expiredOn: z.iso.date(),
  renewedOn: z.iso.date(),
  reason: z.string(),
  renewedBy: z.string(),
  renewedAt: moment,
});
export type DeviceRenewal = z.output<typeof deviceRenewal>;

/** Throws `device.not_found`. */
export const listDeviceRenewals = defineRoute({
  name: 'listDeviceRenewals',
  method: 'GET',
  path: '/device/list/:number/renewal',
  access: 'device-list:view',
  summary: 'Renewals of a device, the latest first',
  params: z.object({ number: deviceNumber }),
  response: z.array(deviceRenewal),
});
