import { type ProviderResponse, shortened, textAt } from './sms-provider.ts';
import { type PushOutcome, shortened as shortenedText } from './web-push.ts';

/** Push services of mobile apps: Firebase Cloud Messaging (HTTP v1) and Apple Push Notification service. */
export const PUSH_SERVICES = ['fcm', 'apns'] as const;
export type PushService = (typeof PUSH_SERVICES)[number];

/** Largest number of registered apps of an account. */
export const MAX_PUSH_APPS = 10;
/** For how long a push service keeps a message for a device that is offline, in seconds. */
export const KEPT_SECONDS = 24 * 3600;
/** Largest message that both services take, in bytes. */
export const MAX_PUSH_BYTES = 4096;
/** Longest pause that a push service may ask for. */
const MAX_PAUSE_MS = 3_600_000;

/** What an app shows about an alarm. */
export interface AppNotification {
  title: string;
  text: string;
  /** Replaces an earlier notification with the same tag. */
  tag: string;
  /** Path of the console. */
  path: string;
  /** Time of the event, epoch ms. */
  at: number;
  /** How the alarm is acknowledged from the notification; null if it cannot be. */
  acknowledge: { path: string; token: string; level: number; isOneTap: boolean } | null;
}

/**
 * Result of a request to a push service. `gone`: the app is not registered any more, since the time in `since` (epoch ms)
 * if the service says so. `token`: our access token is not valid any more.
 */
export type AppPushResult =
  | Exclude<PushOutcome, { kind: 'gone' }>
  | { kind: 'gone'; since?: number }
  | { kind: 'token'; error: string };

/** Message of FCM HTTP v1 for the app with a registration token. */
export function fcmMessage(token: string, notification: AppNotification): object {
  const { tag, path, at, acknowledge } = notification;
  const data: Record<string, string> = { tag, path, at: String(at) };
  if (acknowledge) {
    data.acknowledgePath = acknowledge.path;
    data.acknowledgeToken = acknowledge.token;
    data.acknowledgeLevel = String(acknowledge.level);
    data.acknowledgeOneTap = String(acknowledge.isOneTap);
  }
  return fitted(notification, (body) => ({
    message: {
      token,
      notification: { title: notification.title, body },
      data,
      android: {
        priority: 'HIGH',
        ttl: `${KEPT_SECONDS}s`,
        collapse_key: tag,
        notification: { tag, default_sound: true },
      },
      apns: { headers: { 'apns-collapse-id': tag }, payload: { aps: { sound: 'default' } } },
    },
  }));
}

/** Payload of APNs. The values of an app stand beside `aps`. */
export function apnsPayload(notification: AppNotification): object {
  const { title, tag, path, at, acknowledge } = notification;
  return fitted(notification, (body) => ({
    aps: { alert: { title, body }, sound: 'default', 'thread-id': tag },
    path,
    at,
    ...(acknowledge ? { acknowledge } : {}),
  }));
}

/** Shortens the text of a message until its JSON is small enough. */
function fitted(notification: AppNotification, build: (text: string) => object): object {
  let { text } = notification;
  for (;;) {
    const message = build(text);
    const excess = utf8Length(JSON.stringify(message)) - MAX_PUSH_BYTES;
    if (excess <= 0 || text === '') return message;
    // A character has six bytes at most (an escape): so this never cuts too much, but may have to be repeated.
    const kept = Array.from(text).length - Math.ceil(excess / 6);
    text = kept > 0 ? shortenedText(text, kept) : '';
  }
}

/** Number of bytes of a text in UTF-8. */
function utf8Length(text: string): number {
  let bytes = 0;
  for (const char of text) {
    const code = char.codePointAt(0) as number;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** Reads a `Retry-After` header, seconds or a date, as ms from now; null if there is none. */
export function pauseOf(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  const pause = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(pause) ? null : Math.min(Math.max(pause, 0), MAX_PAUSE_MS);
}

/** A response of a push service, with the pause that it asks for. */
export interface PushServiceResponse extends ProviderResponse {
  pauseMs: number | null;
}

const later = (error: string, pauseMs: number | null): AppPushResult => ({
  kind: 'unavailable',
  error,
  ...(pauseMs === null ? {} : { pauseMs }),
});

const mayTakeLater = (status: number) => status === 408 || status === 429 || status >= 500;

/** Evaluates a response of `messages:send`. Credentials that are not accepted may be corrected within the day. */
export function judgeFcm({ status, body, pauseMs }: PushServiceResponse): AppPushResult {
  if (status >= 200 && status < 300)
    return textAt(body, 'name') === null ? later('no message name', null) : { kind: 'sent' };
  const code = fcmCode(body);
  const error = code === null ? `HTTP ${status}` : shortened(`HTTP ${status}: ${code}`);
  if (code === 'UNREGISTERED') return { kind: 'gone' };
  if (status === 401 && code !== 'THIRD_PARTY_AUTH_ERROR') return { kind: 'token', error };
  if (code === 'INVALID_ARGUMENT' || code === 'SENDER_ID_MISMATCH' || status === 413)
    return { kind: 'refused', error };
  // A project or permission that is missing: the configuration is wrong, not the app.
  if (status === 401 || status === 403 || status === 404) return later(error, pauseMs);
  return mayTakeLater(status) ? later(error, pauseMs) : { kind: 'refused', error };
}

/** The error code of FCM, or the general one of the API; null if there is none. */
function fcmCode(body: unknown): string | null {
  for (let at = 0; at < 5; at += 1) {
    if (textAt(body, `error.details.${at}.@type`)?.endsWith('google.firebase.fcm.v1.FcmError'))
      return textAt(body, `error.details.${at}.errorCode`);
  }
  return textAt(body, 'error.status');
}

/** Reasons of APNs that are about our configuration: they may be corrected within the day. */
const OUR_FAULTS: ReadonlySet<string> = new Set(['BadTopic', 'MissingTopic', 'TopicDisallowed']);

/** Evaluates a response of APNs: its status and `reason`. */
export function judgeApns({ status, body, pauseMs }: PushServiceResponse): AppPushResult {
  if (status === 200) return { kind: 'sent' };
  const reason = textAt(body, 'reason');
  const error = reason === null ? `HTTP ${status}` : shortened(`HTTP ${status}: ${reason}`);
  if (status === 410) {
    const since = Number(textAt(body, 'timestamp') ?? Number.NaN);
    return since > 0 ? { kind: 'gone', since } : { kind: 'gone' };
  }
  if (reason === 'ExpiredProviderToken') return { kind: 'token', error };
  if (status === 403 || (reason !== null && OUR_FAULTS.has(reason)) || mayTakeLater(status))
    return later(error, pauseMs);
  return { kind: 'refused', error };
}

/** True if a refused request shows that the credentials are right: only its made-up registration token was wrong. */
export const showsCredentials = (service: PushService, result: AppPushResult): boolean =>
  result.kind === 'refused' &&
  result.error.endsWith(service === 'fcm' ? 'INVALID_ARGUMENT' : 'BadDeviceToken');
