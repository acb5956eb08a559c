import { MAX_PUSH_APPS, PUSH_SERVICES } from '@isotherm/domain/notifications/mobile-push';
import { z } from 'zod';
import { defineRoute, id, moment } from './route.ts';

/** An app of the caller that receives alarms as notifications. Its token is not returned. */
const pushApp = z.object({
  id: z.number().int(),
  service: z.enum(PUSH_SERVICES),
  name: z.string(),
  registeredAt: moment,
  /** When its push service last accepted a notification. */
  lastSentAt: moment.nullable(),
  /** Error of the last attempt; empty after a success. */
  lastError: z.string(),
});
export type PushApp = z.output<typeof pushApp>;

export const listPushApps = defineRoute({
  name: 'listPushApps',
  method: 'GET',
  path: '/account/push-app',
  access: 'signed-in',
  summary: 'Mobile apps of the caller that receive alarms as notifications',
  response: z.object({
    /** Services by which apps can be reached. */
    services: z.array(z.enum(PUSH_SERVICES)),
    apps: z.array(pushApp),
  }),
});

/** What tokens look like: APNs has hexadecimal bytes, FCM letters, digits and some signs. */
const TOKENS = { apns: /^([0-9a-fA-F]{2}){32,100}$/, fcm: /^[\w:.-]{20,1000}$/ } as const;

/**
 * Registers the app that calls, with the token of its push service. An app that is registered already keeps its id, and
 * belongs to the caller from now on. Throws `push_app.too_many`, `push_service.not_configured`.
 */
export const registerPushApp = defineRoute({
  name: 'registerPushApp',
  method: 'POST',
  path: '/account/push-app',
  access: 'signed-in',
  summary: `Send alarms to a mobile app of the caller; at most ${MAX_PUSH_APPS} apps of an account`,
  body: z
    .strictObject({
      service: z.enum(PUSH_SERVICES),
      token: z.string().max(1_000),
      /** Name of the device, as `Pixel 9`. */
      name: z
        .string()
        .trim()
        .min(1)
        .max(100)
        .refine((text) => !/\p{Cc}/u.test(text), { error: 'control-characters' }),
    })
    .refine(({ service, token }) => TOKENS[service].test(token), { path: ['token'], error: 'format' }),
  response: pushApp,
});

/** Revokes the registration of an app. Throws `push_app.not_found`. */
export const removePushApp = defineRoute({
  name: 'removePushApp',
  method: 'DELETE',
  path: '/account/push-app/:id',
  access: 'signed-in',
  summary: 'Send no more alarms to a mobile app of the caller',
  params: z.object({ id }),
  response: z.null(),
});

/** Throws `push_app.not_found`. */
export const testPushApp = defineRoute({
  name: 'testPushApp',
  method: 'POST',
  path: '/account/push-app/:id/test',
  access: 'signed-in',
  summary: 'Send a test notification to a mobile app of the caller',
  params: z.object({ id }),
  response: z.object({
    outcome: z.enum(['sent', 'gone', 'refused', 'unavailable']),
    error: z.string(),
  }),
});
