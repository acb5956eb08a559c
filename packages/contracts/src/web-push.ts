import { MAX_BROWSERS } from '@isotherm/domain/notifications/web-push';
import { z } from 'zod';
import { defineRoute, id, moment } from './route.ts';

/** A browser of the caller that receives alarms as notifications. */
const pushBrowser = z.object({
  id: z.number().int(),
  name: z.string(),
  /** Address at its push service, by which a browser finds itself in the list. */
  endpoint: z.string(),
  createdAt: moment,
  /** When its push service last accepted a notification. */
  lastSentAt: moment.nullable(),
});
export type PushBrowser = z.output<typeof pushBrowser>;

export const listPushBrowsers = defineRoute({
  name: 'listPushBrowsers',
  method: 'GET',
  path: '/account/push',
  access: 'signed-in',
  summary: 'Browsers of the caller that receive alarms as notifications, and the key for subscribing',
  response: z.object({
    /** Public key of the server (VAPID) with which a browser subscribes, base64url. */
    publicKey: z.string(),
    browsers: z.array(pushBrowser),
  }),
});

const key = (bytes: number) =>
  z
    .string()
    .regex(/^[\w-]+={0,2}$/, { error: 'format' })
    // Base64 has four characters for three bytes.
    .min(Math.floor((bytes * 4) / 3))
    .max(Math.ceil(bytes / 3) * 4);

/**
 * Adds the browser from which it is called; a browser that is there already belongs to the caller from now on. Throws
 * `push.too_many`, `push.address`.
 */
export const addPushBrowser = defineRoute({
  name: 'addPushBrowser',
  method: 'POST',
  path: '/account/push',
  access: 'signed-in',
  summary: `Send alarms to the browser of the caller; at most ${MAX_BROWSERS} browsers of an account`,
  body: z.strictObject({
    endpoint: z.url({ protocol: /^https?$/ }).max(2_000),
    /** Public key of the browser, an uncompressed point on P-256. */
    p256dh: key(65),
    auth: key(16),
    name: z.string().trim().min(1).max(100),
  }),
  response: pushBrowser,
});

export const removePushBrowser = defineRoute({
  name: 'removePushBrowser',
  method: 'DELETE',
  path: '/account/push/:id',
  access: 'signed-in',
  summary: 'Send no more alarms to a browser of the caller',
  params: z.object({ id }),
  response: z.null(),
});

/** Throws `push.not_found`. */
export const testPushBrowser = defineRoute({
  name: 'testPushBrowser',
  method: 'POST',
  path: '/account/push/:id/test',
  access: 'signed-in',
  summary: 'Send a test notification to a browser of the caller',
  params: z.object({ id }),
  response: z.object({
    outcome: z.enum(['sent', 'gone', 'refused', 'unavailable']),
    error: z.string(),
  }),
});

/** Content of a notification, encrypted for one browser. */
export interface PushPayload {
  title: string;
  text: string;
  /** Replaces an earlier notification with the same tag. */
  tag: string;
  /** Path of the console that a click opens. */
  path: string;
  /** Time of the event, epoch ms. */
  at: number;
  language: string;
  /** True if it stays on the screen until somebody responds. */
  stays: boolean;
  /** How the alarm is acknowledged from the notification; null if it cannot be. */
  acknowledge: {
    /** Path of the page of the link. */
    path: string;
    token: string;
    level: number;
    /** False if the policy wants fields to be filled in, for which the page of the link is opened. */
    isOneTap: boolean;
  } | null;
  words: { acknowledge: string; open: string; acknowledged: string; notAcknowledged: string };
}
