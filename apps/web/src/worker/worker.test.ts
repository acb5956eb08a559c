import { acknowledgeByLink } from '@isotherm/contracts/acknowledge-links';
import { SUCCESS } from '@isotherm/contracts/route';
import { getSite } from '@isotherm/contracts/settings';
import type { PushPayload } from '@isotherm/contracts/web-push';
import { expect, test } from 'vitest';
import { ACKNOWLEDGE, SITE_PATH, SUCCEEDED } from './calls.ts';
import { clickOf, notificationOf } from './notification.ts';
import { offlinePage } from './offline-page.ts';

const PAYLOAD: PushPayload = {
  title: 'Level 4 · Fridge 1',
  text: 'Temperature 9.4 °C, above 8 °C',
  tag: 'alarm-7',
  path: '/alarm/7',
  at: 1_764_057_600_000,
  language: 'en',
  stays: true,
  acknowledge: { path: '/link/abc', token: 'abc', level: 4, isOneTap: true },
  words: { acknowledge: 'Acknowledge', open: 'Open', acknowledged: 'Done', notAcknowledged: 'Not done' },
};

test('the calls of the worker are those of the contracts', () => {
  expect(ACKNOWLEDGE).toEqual({ method: acknowledgeByLink.method, path: `/api${acknowledgeByLink.path}` });
  expect(SITE_PATH).toBe(`/api${getSite.path}`);
  expect(SUCCEEDED).toBe(SUCCESS);
  expect(
    acknowledgeByLink.body?.safeParse({ token: 'a'.repeat(22), level: 4, cause: '', correctiveAction: '' }),
  ).toMatchObject({ success: true });
});

test('a notification about an alarm offers to acknowledge and to open it', () => {
  const { title, options } = notificationOf(PAYLOAD);
  expect(title).toBe('Level 4 · Fridge 1');
  expect(options).toMatchObject({ tag: 'alarm-7', requireInteraction: true, lang: 'en' });
  expect(options.actions.map(({ action }) => action)).toEqual(['acknowledge', 'open']);
  expect(
    notificationOf({ ...PAYLOAD, acknowledge: null }).options.actions.map(({ action }) => action),
  ).toEqual(['open']);
});

test('a click acknowledges only by the button, and opens the form if fields must be filled in', () => {
  const slow = { path: '/link/abc', token: 'abc', level: 4, isOneTap: false };
  expect(clickOf(PAYLOAD, 'acknowledge')).toEqual({ kind: 'acknowledge', token: 'abc', level: 4 });
  expect(clickOf(PAYLOAD, '')).toEqual({ kind: 'open', path: '/alarm/7' });
  expect(clickOf({ ...PAYLOAD, acknowledge: slow }, 'acknowledge')).toEqual({
    kind: 'open',
    path: '/link/abc',
  });
  expect(clickOf({ ...PAYLOAD, acknowledge: null }, 'acknowledge')).toEqual({
    kind: 'open',
    path: '/alarm/7',
  });
});

test.each([
  ['en-GB', 'No connection'],
  ['es-MX', 'Sin conexión'],
  ['zh-CN', '无网络连接'],
  ['zh-TW', '沒有網路連線'],
])(
  'the page without a connection is in the language %s and runs only its own script',
  async (language, title) => {
    const page = offlinePage(language, 'abc');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).toContain(`<h1>${title}</h1>`);
  },
);
