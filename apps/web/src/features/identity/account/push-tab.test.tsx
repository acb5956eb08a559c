import {
  addPushBrowser,
  listPushBrowsers,
  type PushBrowser,
  removePushBrowser,
  testPushBrowser,
} from '@isotherm/contracts/web-push';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, test, vi } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { renderPage } from '../../../shared/testing/render-page.tsx';
import { browserName } from './push-browser.ts';
import { PushTab } from './push-tab.tsx';

const ENDPOINT = 'https://push.example/1';
const BROWSER: PushBrowser = {
  id: 7,
  name: 'Chrome · Android',
  endpoint: ENDPOINT,
  createdAt: '2026-11-22T08:00:00.000Z',
  lastSentAt: null,
};

afterEach(() => {
  vi.unstubAllGlobals();
  Reflect.deleteProperty(navigator, 'serviceWorker');
});

/** A browser that supports web push, at the edge of the console. */
function supportPush(answer: NotificationPermission) {
  let subscription: object | null = null;
  const made = {
    endpoint: ENDPOINT,
    options: { applicationServerKey: new Uint8Array([4, 1, 2]).buffer },
    toJSON: () => ({ endpoint: ENDPOINT, keys: { p256dh: 'p'.repeat(87), auth: 'a'.repeat(22) } }),
    unsubscribe: vi.fn(async () => {
      subscription = null;
      return true;
    }),
  };
  const registration = {
    pushManager: {
      getSubscription: async () => subscription,
      subscribe: async () => {
        subscription = made;
        return made;
      },
    },
  };
  Object.defineProperty(navigator, 'serviceWorker', {
    configurable: true,
    value: { ready: Promise.resolve(registration), getRegistration: async () => registration },
  });
  vi.stubGlobal('PushManager', class {});
  vi.stubGlobal('Notification', { permission: 'default', requestPermission: async () => answer });
  return made;
}

it('a browser is enabled, tested and removed', async () => {
  const made = supportPush('granted');
  const fake = fakeServer();
  let browsers: PushBrowser[] = [];
  fake.answer(listPushBrowsers, () => ({ publicKey: 'BAEC', browsers }));
  fake.answer(addPushBrowser, () => {
    browsers = [BROWSER];
    return BROWSER;
  });
  fake.answer(testPushBrowser, () => ({ outcome: 'sent' as const, error: '' }));
  fake.answer(removePushBrowser, () => {
    browsers = [];
    return null;
  });
  await renderPage(<PushTab />);
  await userEvent.click(await screen.findByRole('button', { name: 'Enable in this browser' }));
  expect(await screen.findByText('This browser')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Enable in this browser' })).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Send test' }));
  expect(fake.called(testPushBrowser)).toHaveLength(1);
  await userEvent.click(screen.getByRole('button', { name: 'Remove' }));
  await userEvent.click((await screen.findAllByRole('button', { name: 'Remove' })).at(-1) as HTMLElement);
  expect(await screen.findByText(/No browser is enabled/)).toBeTruthy();
  expect(made.unsubscribe).toHaveBeenCalledOnce();
});

it('a user who refuses notifications changes nothing', async () => {
  supportPush('denied');
  const fake = fakeServer();
  fake.answer(listPushBrowsers, () => ({ publicKey: 'BAEC', browsers: [] }));
  await renderPage(<PushTab />);
  await userEvent.click(await screen.findByRole('button', { name: 'Enable in this browser' }));
  expect(fake.called(addPushBrowser)).toHaveLength(0);
});

it('a browser without web push says what is needed', async () => {
  const fake = fakeServer();
  fake.answer(listPushBrowsers, () => ({ publicKey: 'BAEC', browsers: [BROWSER] }));
  await renderPage(<PushTab />);
  expect(await screen.findByText(/does not support notifications/)).toBeTruthy();
  expect(await screen.findByText('Chrome · Android')).toBeTruthy();
});

test.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/131.0.0.0 Safari/537.36 Edg/131.0',
    'Edge · Windows',
  ],
  [
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/131.0.0.0 Mobile Safari/537.36',
    'Chrome · Android',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1 Version/18.1 Safari/604.1',
    'Safari · iOS',
  ],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:133.0) Gecko/20100101 Firefox/133.0', 'Firefox · macOS'],
  ['something else', 'Browser'],
])('the name of the browser %s is %s', (agent, name) => {
  expect(browserName(agent)).toBe(name);
});
