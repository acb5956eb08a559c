import { z } from 'zod';
import { defineRoute, id, moment } from './route.ts';

/** One line of printable text, which may be empty. */
const line = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .refine((text) => !/\p{Cc}/u.test(text), { error: 'control-characters' })
    .default('');

export const wechatAccountInput = z.strictObject({
  enabled: z.boolean().default(true),
  url: z.string().trim().min(1).max(500),
  appId: z.string().trim().min(1).max(64),
  /** Application secret, callback token and key of the secure mode. Empty keeps the stored ones. */
  secret: z.string().max(200).default(''),
  token: z.string().max(64).default(''),
  aesKey: z.string().max(43).default(''),
  /** Ids of the templates by language. A language without one uses the first other one. */
  templateZhCn: line(100),
  templateZhTw: line(100),
  templateEn: line(100),
  templateEs: line(100),
  /** JSON object with the fields of the templates, such as `{"thing1": "{{asset}}"}`. */
  fields: z.string().trim().min(1).max(2_000),
});
export type WechatAccountInput = z.output<typeof wechatAccountInput>;

const wechatAccount = wechatAccountInput.omit({ secret: true, token: true, aesKey: true }).extend({
  hasAesKey: z.boolean(),
  /** Address that is entered at WeChat for callbacks; null if the address of the server is not configured. */
  callbackUrl: z.string().nullable(),
  /** Number of people who are bound. */
  people: z.number().int(),
  changedBy: z.string(),
  changedAt: moment,
});
export type WechatAccount = z.output<typeof wechatAccount>;

/** Reads the official account; null if there is none. */
export const getWechatAccount = defineRoute({
  name: 'getWechatAccount',
  method: 'GET',
  path: '/notification/wechat',
  access: 'management-channels:view',
  summary: 'The WeChat official account of the installation',
  response: z.object({ account: wechatAccount.nullable() }),
});

/** Throws `wechat.url|template|fields|aes_key|secret_needed`. */
export const saveWechatAccount = defineRoute({
  name: 'saveWechatAccount',
  method: 'PUT',
  path: '/notification/wechat',
  access: 'management-channels:edit',
  summary: 'Set the WeChat official account of the installation',
  body: wechatAccountInput,
  response: wechatAccount,
});

/** Sends a test message to the WeChat of the caller. Throws `wechat.not_configured|not_bound`. */
export const testWechat = defineRoute({
  name: 'testWechat',
  method: 'POST',
  path: '/notification/wechat/test',
  access: 'management-channels:edit',
  summary: 'Send a test message to the WeChat of the caller',
  response: z.object({
    outcome: z.enum(['sent', 'unsubscribed', 'refused', 'unavailable']),
    error: z.string(),
  }),
});

/** Whether a person is bound to a WeChat user. */
const wechatBinding = z.object({
  /** False if the installation has no official account, so that nobody can be bound. */
  isOffered: z.boolean(),
  /** Null if the person is not bound. */
  boundAt: moment.nullable(),
  /** False if the person does not follow the official account any more. */
  isSubscribed: z.boolean(),
});
export type WechatBinding = z.output<typeof wechatBinding>;

/** A QR code that binds the person who scans it with WeChat first. */
const wechatCode = z.object({
  /** Content of the QR code. */
  url: z.string(),
  expiresAt: moment,
});
export type WechatCode = z.output<typeof wechatCode>;

export const getOwnWechat = defineRoute({
  name: 'getOwnWechat',
  method: 'GET',
  path: '/account/wechat',
  access: 'signed-in',
  summary: 'Whether the caller is bound to a WeChat user',
  response: wechatBinding,
});

/** Throws `wechat.not_configured`, `wechat.unavailable`. */
export const createOwnWechatCode = defineRoute({
  name: 'createOwnWechatCode',
  method: 'POST',
  path: '/account/wechat/code',
  access: 'signed-in',
  summary: 'Create a QR code that binds the caller to the WeChat user who scans it',
  response: wechatCode,
});

/** Throws `wechat.not_bound`. */
export const removeOwnWechat = defineRoute({
  name: 'removeOwnWechat',
  method: 'DELETE',
  path: '/account/wechat',
  access: 'signed-in',
  summary: 'Unbind the caller from WeChat',
  response: z.null(),
});

/** Throws `receiver.not_found`. */
export const getReceiverWechat = defineRoute({
  name: 'getReceiverWechat',
  method: 'GET',
  path: '/receiver/:id/wechat',
  access: 'device-receivers:view',
  summary: 'Whether a receiver is bound to a WeChat user',
  params: z.object({ id }),
  response: wechatBinding,
});

/** Throws `receiver.not_found`, `wechat.not_configured`, `wechat.unavailable`. */
export const createReceiverWechatCode = defineRoute({
  name: 'createReceiverWechatCode',
  method: 'POST',
  path: '/receiver/:id/wechat/code',
  access: 'device-receivers:edit',
  summary: 'Create a QR code that binds a receiver to the WeChat user who scans it',
  params: z.object({ id }),
  response: wechatCode,
});

/** Throws `receiver.not_found`, `wechat.not_bound`. */
export const removeReceiverWechat = defineRoute({
  name: 'removeReceiverWechat',
  method: 'DELETE',
  path: '/receiver/:id/wechat',
  access: 'device-receivers:edit',
  summary: 'Unbind a receiver from WeChat',
  params: z.object({ id }),
  response: z.null(),
});
