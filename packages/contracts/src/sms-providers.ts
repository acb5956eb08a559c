import { CIRCUITS } from '@isotherm/domain/notifications/provider-gate';
import { PROVIDER_KINDS } from '@isotherm/domain/notifications/voice-provider';
import { z } from 'zod';
import { label, mobile, reason } from './fields.ts';
import { defineRoute, id, moment } from './route.ts';

/** One line of printable text, which may be empty. */
const line = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .refine((text) => !/\p{Cc}/u.test(text), { error: 'control-characters' })
    .default('');

/** What a provider of SMS or calls needs besides its address. Fields of the other kind are ignored. */
const settings = {
  /** Aliyun: id of the access key. Tencent: secret id. Twilio: SID of the account. SMPP: system id. */
  keyId: line(100),
  /** Tencent: id of the application, and the region of the API. SMPP: system type. */
  appId: line(40),
  region: line(40),
  /**
   * Twilio: number that messages and calls come from, or SID of a messaging service. Aliyun voice: number that is shown.
   * SMPP: short code, number or name.
   */
  sender: line(60),
  /** Aliyun and Tencent: signature in front of the text, as approved by the provider. */
  signName: line(60),
  /** Aliyun and Tencent: codes of the approved templates by language. A language without one uses the first other one. */
  templateZhCn: line(60),
  templateZhTw: line(60),
  templateEn: line(60),
  templateEs: line(60),
  /** HTTP: JSON object with `{{number}}`, `{{text}}` and `{{id}}`. */
  body: z.string().trim().max(2000).default(''),
  /** HTTP: path of the field that says whether the message was accepted; empty if the status says it. */
  successPath: line(100),
  successValue: line(100),
  /** HTTP: path of the provider's message id. */
  idPath: line(100),
  /** Messages per second that the provider takes; 0 is no limit. */
  ratePerSecond: z.number().int().min(0).max(1000).default(0),
  /** Aliyun and Twilio: addresses and networks that receipts may come from, separated by commas; empty allows all. */
  receiptSources: line(500),
};

export const smsProviderInput = z.strictObject({
  name: label(60),
  kind: z.enum(PROVIDER_KINDS),
  enabled: z.boolean().default(true),
  /** The lowest one is tried first. */
  priority: z.number().int().min(1).max(99).default(1),
  url: z.string().trim().min(1).max(500),
  /** Access key secret or bearer token. It is stored encrypted and never returned; empty keeps the stored one. */
  secret: z.string().max(500).default(''),
  ...settings,
});
export type SmsProviderInput = z.output<typeof smsProviderInput>;

export const smsProvider = smsProviderInput.omit({ secret: true }).extend({
  id: z.number().int(),
  hasSecret: z.boolean(),
  changedBy: z.string(),
  changedAt: moment,
  /** The provider is passed over while its circuit is open, and tested by one message while it is half open. */
  circuit: z.enum(CIRCUITS),
  /** Until when the circuit is open. */
  circuitUntil: moment.nullable(),
  /** Faults in a row. */
  failures: z.number().int(),
  lastError: z.string(),
  lastErrorAt: moment.nullable(),
  lastSuccessAt: moment.nullable(),
});
export type SmsProviderView = z.output<typeof smsProvider>;

export const listSmsProviders = defineRoute({
  name: 'listSmsProviders',
  method: 'GET',
  path: '/notification/sms-provider',
  access: 'management-channels:view',
  summary: 'SMS providers in the order in which they are tried',
  response: z.array(smsProvider),
});

/** Throws `sms_provider.taken|url|body|aliyun|aliyun_voice|tencent|twilio|smpp|smpp_url|secret_needed|sources`. */
export const createSmsProvider = defineRoute({
  name: 'createSmsProvider',
  method: 'POST',
  path: '/notification/sms-provider',
  access: 'management-channels:edit',
  summary: 'Add an SMS provider',
  body: smsProviderInput,
  response: smsProvider,
});

/** Throws `sms_provider.not_found|taken|url|body|aliyun|aliyun_voice|tencent|twilio|smpp|smpp_url|secret_needed|sources`. */
export const editSmsProvider = defineRoute({
  name: 'editSmsProvider',
  method: 'PUT',
  path: '/notification/sms-provider/:id',
  access: 'management-channels:edit',
  summary: 'Change an SMS provider',
  params: z.object({ id }),
  body: smsProviderInput,
  response: smsProvider,
});

/** Throws `sms_provider.not_found`. */
export const deleteSmsProvider = defineRoute({
  name: 'deleteSmsProvider',
  method: 'DELETE',
  path: '/notification/sms-provider/:id',
  access: 'management-channels:edit',
  summary: 'Delete an SMS provider',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});

/** Sends a test message by one provider, also if it is disabled. Throws `sms_provider.not_found`. */
export const testSmsProvider = defineRoute({
  name: 'testSmsProvider',
  method: 'POST',
  path: '/notification/sms-provider/:id/test',
  access: 'management-channels:edit',
  summary: 'Send a test message by an SMS provider',
  params: z.object({ id }),
  body: z.strictObject({ mobile }),
  response: z.object({
    outcome: z.enum(['sent', 'refused', 'unavailable', 'unknown']),
    /** Message id of the provider, or its error. */
    detail: z.string(),
  }),
});

/** Address for receipts of a provider that cannot sign them; it is secret. Throws `sms_provider.not_found`. */
export const getReceiptAddress = defineRoute({
  name: 'getReceiptAddress',
  method: 'GET',
  path: '/notification/sms-provider/:id/receipt-address',
  access: 'management-channels:edit',
  summary: 'Address to which an SMS provider sends delivery receipts',
  params: z.object({ id }),
  response: z.object({
    /** Null if the provider sends none, or the address of the server is not configured. */
    url: z.string().nullable(),
  }),
});
