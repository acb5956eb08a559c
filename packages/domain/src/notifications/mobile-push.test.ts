import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AppNotification,
  type AppPushResult,
  apnsPayload,
  fcmMessage,
  judgeApns,
  judgeFcm,
  MAX_PUSH_BYTES,
  pauseOf,
  showsCredentials,
} from './mobile-push.ts';
import { pushResponse } from './web-push.ts';

const NOTIFICATION: AppNotification = {
  title: 'Level 2: Fridge 3',
  text: 'Temperature 12.0 °C, limit 8.0 °C',
  tag: 'alarm-7',
  path: '/alarm/7',
  at: 1_760_000_000_000,
  acknowledge: { path: '/link/abc', token: 'abc', level: 2, isOneTap: true },
};

test('a message of FCM has texts only as data, and replaces the notification of the same alarm', () => {
  expect(fcmMessage('token-1', NOTIFICATION)).toEqual({
    message: {
      token: 'token-1',
      notification: { title: NOTIFICATION.title, body: NOTIFICATION.text },
      data: {
        tag: 'alarm-7',
        path: '/alarm/7',
        at: '1760000000000',
        acknowledgePath: '/link/abc',
        acknowledgeToken: 'abc',
        acknowledgeLevel: '2',
        acknowledgeOneTap: 'true',
      },
      android: {
        priority: 'HIGH',
        ttl: '86400s',
        collapse_key: 'alarm-7',
        notification: { tag: 'alarm-7', default_sound: true },
      },
      apns: { headers: { 'apns-collapse-id': 'alarm-7' }, payload: { aps: { sound: 'default' } } },
    },
  });
});

test('a payload of APNs has the values of the app beside `aps`', () => {
  expect(apnsPayload(NOTIFICATION)).toEqual({
    aps: {
      alert: { title: NOTIFICATION.title, body: NOTIFICATION.text },
      sound: 'default',
      'thread-id': 'alarm-7',
    },
    path: '/alarm/7',
    at: 1_760_000_000_000,
    acknowledge: NOTIFICATION.acknowledge,
  });
  expect(apnsPayload({ ...NOTIFICATION, acknowledge: null })).not.toHaveProperty('acknowledge');
});

test('a message is at most 4 KB in UTF-8, and as long as possible', () => {
  const unit = fc.constantFrom('a', 'ä', '温', '🌡', '"', '\u0001', '\ud800');
  fc.assert(
    fc.property(
      fc.string({ unit, maxLength: 120, size: 'max' }),
      fc.string({ unit, maxLength: 6_000, size: 'max' }),
      fc.boolean(),
      fc.constantFrom(apnsPayload, (each: AppNotification) => fcmMessage('t'.repeat(163), each)),
      (title, text, isAcknowledged, build) => {
        const { acknowledge } = NOTIFICATION;
        const notification = {
          ...NOTIFICATION,
          title,
          text,
          acknowledge: isAcknowledged ? acknowledge : null,
        };
        const bytes = Buffer.from(JSON.stringify(build(notification))).length;
        expect(bytes).toBeLessThanOrEqual(MAX_PUSH_BYTES);
        const whole =
          JSON.stringify(build({ ...notification, text: '' })).length + JSON.stringify(text).length;
        if (whole * 4 < MAX_PUSH_BYTES)
          expect(JSON.stringify(build(notification))).toContain(JSON.stringify(text));
        // One more character would have been at most six bytes, beside the ellipsis.
        else if (!JSON.stringify(build(notification)).includes(JSON.stringify(text)))
          expect(bytes).toBeGreaterThan(MAX_PUSH_BYTES - 48);
      },
    ),
  );
});

test('a message whose other fields are too long has no text', () => {
  expect(apnsPayload({ ...NOTIFICATION, title: 'x'.repeat(5_000) })).toMatchObject({
    aps: { alert: { body: '' } },
  });
});

const NOW = Date.UTC(2026, 10, 26);
test.each<[string | undefined, number | null]>([
  [undefined, null],
  ['0', 0],
  ['30', 30_000],
  ['7200', 3_600_000],
  [new Date(NOW + 60_000).toUTCString(), 60_000],
  [new Date(NOW - 60_000).toUTCString(), 0],
  ['soon', null],
])('Retry-After %s is a pause of %s ms', (header, pause) => {
  expect(pauseOf(header, NOW)).toBe(pause);
});

test('a pause of a push service of browsers is kept', () => {
  expect(pushResponse(429, 5_000)).toEqual({ kind: 'unavailable', error: 'HTTP 429', pauseMs: 5_000 });
});

const fcmError = (status: string, errorCode?: string) => ({
  error: {
    status,
    details: errorCode
      ? [
          { '@type': 'type.googleapis.com/google.rpc.BadRequest' },
          { '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode },
        ]
      : [],
  },
});

test.each<[number, unknown, AppPushResult]>([
  [200, { name: 'projects/p/messages/1' }, { kind: 'sent' }],
  [200, undefined, { kind: 'unavailable', error: 'no message name' }],
  [404, fcmError('NOT_FOUND', 'UNREGISTERED'), { kind: 'gone' }],
  [404, fcmError('NOT_FOUND'), { kind: 'unavailable', error: 'HTTP 404: NOT_FOUND' }],
  [
    400,
    fcmError('INVALID_ARGUMENT', 'INVALID_ARGUMENT'),
    { kind: 'refused', error: 'HTTP 400: INVALID_ARGUMENT' },
  ],
  [400, undefined, { kind: 'refused', error: 'HTTP 400' }],
  [401, fcmError('UNAUTHENTICATED'), { kind: 'token', error: 'HTTP 401: UNAUTHENTICATED' }],
  [
    401,
    fcmError('UNAUTHENTICATED', 'THIRD_PARTY_AUTH_ERROR'),
    { kind: 'unavailable', error: 'HTTP 401: THIRD_PARTY_AUTH_ERROR' },
  ],
  [403, fcmError('PERMISSION_DENIED'), { kind: 'unavailable', error: 'HTTP 403: PERMISSION_DENIED' }],
  [
    403,
    fcmError('PERMISSION_DENIED', 'SENDER_ID_MISMATCH'),
    { kind: 'refused', error: 'HTTP 403: SENDER_ID_MISMATCH' },
  ],
  [413, undefined, { kind: 'refused', error: 'HTTP 413' }],
  [
    429,
    fcmError('RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED'),
    { kind: 'unavailable', error: 'HTTP 429: QUOTA_EXCEEDED' },
  ],
  [503, fcmError('UNAVAILABLE', 'UNAVAILABLE'), { kind: 'unavailable', error: 'HTTP 503: UNAVAILABLE' }],
])('the response %i %j of FCM', (status, body, result) => {
  expect(judgeFcm({ status, body, pauseMs: null })).toEqual(result);
});

test.each<[number, unknown, AppPushResult]>([
  [200, undefined, { kind: 'sent' }],
  [400, { reason: 'BadDeviceToken' }, { kind: 'refused', error: 'HTTP 400: BadDeviceToken' }],
  [400, { reason: 'BadTopic' }, { kind: 'unavailable', error: 'HTTP 400: BadTopic' }],
  [403, { reason: 'ExpiredProviderToken' }, { kind: 'token', error: 'HTTP 403: ExpiredProviderToken' }],
  [403, { reason: 'InvalidProviderToken' }, { kind: 'unavailable', error: 'HTTP 403: InvalidProviderToken' }],
  [410, { reason: 'Unregistered', timestamp: 1_700_000_000_000 }, { kind: 'gone', since: 1_700_000_000_000 }],
  [410, { reason: 'Unregistered' }, { kind: 'gone' }],
  [413, { reason: 'PayloadTooLarge' }, { kind: 'refused', error: 'HTTP 413: PayloadTooLarge' }],
  [429, { reason: 'TooManyRequests' }, { kind: 'unavailable', error: 'HTTP 429: TooManyRequests' }],
  [500, undefined, { kind: 'unavailable', error: 'HTTP 500' }],
  [503, { reason: 'Shutdown' }, { kind: 'unavailable', error: 'HTTP 503: Shutdown' }],
])('the response %i %j of APNs', (status, body, result) => {
  expect(judgeApns({ status, body, pauseMs: null })).toEqual(result);
});

test('the pause that a service asks for is part of the result', () => {
  const response = { status: 429, body: undefined, pauseMs: 30_000 };
  for (const judge of [judgeFcm, judgeApns])
    expect(judge(response)).toEqual({ kind: 'unavailable', error: 'HTTP 429', pauseMs: 30_000 });
});

test('credentials are right if only the made-up registration token was refused', () => {
  const bad: AppPushResult = { kind: 'refused', error: 'HTTP 400: BadDeviceToken' };
  expect(showsCredentials('apns', bad)).toBe(true);
  expect(showsCredentials('fcm', bad)).toBe(false);
  expect(showsCredentials('fcm', { kind: 'refused', error: 'HTTP 400: INVALID_ARGUMENT' })).toBe(true);
  expect(showsCredentials('fcm', { kind: 'gone' })).toBe(false);
});
