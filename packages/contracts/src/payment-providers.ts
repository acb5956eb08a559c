import { PAYMENT_PROVIDER_KINDS } from '@isotherm/domain/billing/payment-provider';
import { z } from 'zod';
import { label, reason } from './fields.ts';
import { defineRoute, id, moment } from './route.ts';

const line = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .refine((text) => !/\p{Cc}/u.test(text), { error: 'control-characters' })
    .default('');
/** A key or certificate, PEM or its base64 on one line. */
const key = z.string().trim().max(8_000).default('');

export const paymentProviderInput = z.strictObject({
  name: label(60),
  kind: z.enum(PAYMENT_PROVIDER_KINDS),
  enabled: z.boolean().default(true),
  url: z.string().trim().min(1).max(500),
  /** Alipay and WeChat Pay: id of the application. */
  appId: line(64),
  /** WeChat Pay: number of the merchant. */
  merchantId: line(64),
  /** WeChat Pay: serial number of the merchant's certificate. */
  serial: line(80),
  /** Alipay: public key of Alipay. WeChat Pay: its public key or platform certificate, by which callbacks are verified. */
  publicKey: key,
  /** WeChat Pay: id of the public key, or serial number of the platform certificate. */
  publicKeyId: line(80),
  /** Alipay and WeChat Pay: private key. Stripe: secret key. Stored encrypted and never returned; empty keeps the stored one. */
  secret: key,
  /** WeChat Pay: APIv3 key. Stripe: signing secret of the webhook. Stored like the secret. */
  callbackSecret: z.string().trim().max(500).default(''),
});
export type PaymentProviderInput = z.output<typeof paymentProviderInput>;

export const paymentProvider = paymentProviderInput.omit({ secret: true, callbackSecret: true }).extend({
  id: z.number().int(),
  /** Address to which the provider reports payments; null if the address of the server is not configured. */
  callbackUrl: z.string().nullable(),
  changedBy: z.string(),
  changedAt: moment,
});
export type PaymentProviderView = z.output<typeof paymentProvider>;

export const listPaymentProviders = defineRoute({
  name: 'listPaymentProviders',
  method: 'GET',
  path: '/billing/payment-provider',
  access: 'management-payments:view',
  summary: 'Payment providers',
  response: z.array(paymentProvider),
});

/** Throws `payment_provider.taken|url|incomplete|key|secret_needed`. */
export const createPaymentProvider = defineRoute({
  name: 'createPaymentProvider',
  method: 'POST',
  path: '/billing/payment-provider',
  access: 'management-payments:edit',
  summary: 'Add a payment provider',
  body: paymentProviderInput,
  response: paymentProvider,
});

/** The kind cannot be changed. Throws `payment_provider.not_found|taken|url|incomplete|key|secret_needed|used`. */
export const editPaymentProvider = defineRoute({
  name: 'editPaymentProvider',
  method: 'PUT',
  path: '/billing/payment-provider/:id',
  access: 'management-payments:edit',
  summary: 'Change a payment provider',
  params: z.object({ id }),
  body: paymentProviderInput,
  response: paymentProvider,
});

/** Throws `payment_provider.not_found`, and `payment_provider.used` if there are orders. */
export const deletePaymentProvider = defineRoute({
  name: 'deletePaymentProvider',
  method: 'DELETE',
  path: '/billing/payment-provider/:id',
  access: 'management-payments:edit',
  summary: 'Delete a payment provider without orders',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});

/** Asks the provider about an order that does not exist: no money is moved. Throws `payment_provider.not_found`. */
export const testPaymentProvider = defineRoute({
  name: 'testPaymentProvider',
  method: 'POST',
  path: '/billing/payment-provider/:id/test',
  access: 'management-payments:edit',
  summary: 'Test the connection to a payment provider',
  params: z.object({ id }),
  response: z.object({
    ok: z.boolean(),
    /** Error of the provider; empty if it answered. */
    detail: z.string(),
  }),
});
