import { PUSH_SERVICES } from '@isotherm/domain/notifications/mobile-push';
import { z } from 'zod';
import { defineRoute, moment } from './route.ts';

/** One line of printable text. */
const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine((text) => !/\p{Cc}/u.test(text), { error: 'control-characters' });

const shared = {
  enabled: z.boolean().default(true),
  url: z.string().trim().min(1).max(500),
};

/** Firebase Cloud Messaging. Project and account are read from the credentials. */
export const fcmInput = z.strictObject({
  ...shared,
  /** JSON key of a service account. It is stored encrypted and never returned; empty keeps the stored one. */
  credentials: z.string().trim().max(8_000).default(''),
});
export type FcmInput = z.output<typeof fcmInput>;

/** Apple Push Notification service with a token key. */
export const apnsInput = z.strictObject({
  ...shared,
  keyId: z.string().regex(/^[0-9A-Z]{10}$/, { error: 'format' }),
  teamId: z.string().regex(/^[0-9A-Z]{10}$/, { error: 'format' }),
  /** Bundle ID of the app. */
  topic: line(150),
  /** Private key (.p8). It is stored encrypted and never returned; empty keeps the stored one. */
  key: z.string().trim().max(2_000).default(''),
});
export type ApnsInput = z.output<typeof apnsInput>;

const stored = { apps: z.number().int(), changedBy: z.string(), changedAt: moment };
const fcmView = z.object({ ...shared, projectId: z.string(), clientEmail: z.string(), ...stored });
export type FcmView = z.output<typeof fcmView>;
const apnsView = z.object({
  ...shared,
  keyId: z.string(),
  teamId: z.string(),
  topic: z.string(),
  ...stored,
});
export type ApnsView = z.output<typeof apnsView>;

/** Reads the push services of the installation, each null if it is not configured. */
export const getPushServices = defineRoute({
  name: 'getPushServices',
  method: 'GET',
  path: '/notification/push-service',
  access: 'management-channels:view',
  summary: 'Push services of mobile apps',
  response: z.object({ fcm: fcmView.nullable(), apns: apnsView.nullable() }),
});

/** Throws `push_service.url|credentials|secret_needed`. */
export const saveFcm = defineRoute({
  name: 'saveFcm',
  method: 'PUT',
  path: '/notification/push-service/fcm',
  access: 'management-channels:edit',
  summary: 'Set the Firebase project that delivers to mobile apps',
  body: fcmInput,
  response: fcmView,
});

/** Throws `push_service.url|key|secret_needed`. */
export const saveApns = defineRoute({
  name: 'saveApns',
  method: 'PUT',
  path: '/notification/push-service/apns',
  access: 'management-channels:edit',
  summary: 'Set the APNs key that delivers to mobile apps',
  body: apnsInput,
  response: apnsView,
});

/**
 * Sends a test notification to the apps of the caller; if there are none, checks the credentials. Throws
 * `push_service.not_configured`.
 */
export const testPushService = defineRoute({
  name: 'testPushService',
  method: 'POST',
  path: '/notification/push-service/:service/test',
  access: 'management-channels:edit',
  summary: 'Test a push service of mobile apps',
  params: z.object({ service: z.enum(PUSH_SERVICES) }),
  response: z.object({
    /** `accepted`: the service accepts the credentials; the caller has no app to send to. */
    outcome: z.enum(['sent', 'accepted', 'gone', 'refused', 'unavailable']),
    error: z.string(),
  }),
});
