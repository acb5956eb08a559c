import { SMS_PROVIDER_KINDS } from '@isotherm/domain/notifications/sms-provider';
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

/** What a provider of SMS needs besides its address. Fields of the other kind are ignored. */
const settings = {
  /** Aliyun: id of the access key. */
  keyId: line(100),
  /** Aliyun: signature in front of the text, as approved by the provider. */
  signName: line(60),
  /** Aliyun: codes of the approved templates by language. A language without one uses the first other one. */
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
};

export const smsProviderInput = z.strictObject({
  name: label(60),
  kind: z.enum(SMS_PROVIDER_KINDS),
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

/** Throws `sms_provider.taken|url|body|aliyun|secret_needed`. */
export const createSmsProvider = defineRoute({
  name: 'createSmsProvider',
  method: 'POST',
  path: '/notification/sms-provider',
  access: 'management-channels:edit',
  summary: 'Add an SMS provider',
  body: smsProviderInput,
  response: smsProvider,
});

/** Throws `sms_provider.not_found|taken|url|body|aliyun|secret_needed`. */
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
