import type { PushPayload } from '@isotherm/contracts/web-push';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import type { Worker } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, logInAs, startConsoleBrowser } from './console-page.ts';
import { startNetworkLine } from './network-line.ts';

/** The service worker of the console in a real browser. The push service of the browser's maker is not reachable in tests. */
let demo: DemoServer;
let browser: ConsoleBrowser;
const PASSWORD = 'Isotherm-2026';

beforeAll(async () => {
  demo = await startDemoServer({ LOG_LEVEL: 'warn', ISOTHERM_ENVIRONMENT: 'development' });
  browser = await startConsoleBrowser();
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

const PAYLOAD: PushPayload = {
  title: 'Level 4: Fridge 1',
  text: 'Temperature 9.4 °C',
  tag: 'alarm-7',
  path: '/alarm/current',
  at: Date.now(),
  language: 'en',
  stays: true,
  acknowledge: {
    path: '/link/abcdefghijklmnopqrstuv',
    token: 'abcdefghijklmnopqrstuv',
    level: 4,
    isOneTap: true,
  },
  words: { acknowledge: 'Acknowledge', open: 'Open', acknowledged: 'Done', notAcknowledged: 'Not done' },
};

async function consoleWithWorker(url = demo.url) {
  const opened = await browser.open();
  const { page, context } = opened;
  await logInAs(page, url, 'demo.manager', PASSWORD);
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    if (!navigator.serviceWorker.controller)
      await new Promise((done) => navigator.serviceWorker.addEventListener('controllerchange', done));
  });
  const [worker] = context.serviceWorkers();
  return { ...opened, worker: worker as Worker };
}

/**
 * Collects what the worker shows: the test's browser has no screen and denies notifications to every page. Also keeps the
 * statuses of the calls that the worker makes.
 */
const watch = (worker: Worker) =>
  worker.evaluate(() => {
    const scope = self as unknown as Watched;
    scope.shown = [];
    scope.statuses = [];
    scope.registration.showNotification = async (title, options) => {
      scope.shown.push({ title, body: options?.body ?? '', tag: options?.tag ?? '' });
    };
    const real = scope.fetch.bind(self);
    scope.fetch = async (...call) => {
      const response = await real(...call);
      scope.statuses.push(((await response.clone().json()) as { status: string }).status);
      return response;
    };
  });

interface Watched {
  registration: ServiceWorkerRegistration;
  fetch: typeof fetch;
  shown: { title: string; body: string; tag: string }[];
  statuses: string[];
  dispatchEvent(event: Event): boolean;
}

const seen = (worker: Worker) =>
  worker.evaluate(() => {
    const { shown, statuses } = self as unknown as Watched;
    return { shown, statuses };
  });

/** Clicks a notification with this content. */
const click = (worker: Worker, payload: PushPayload, action: string) =>
  worker.evaluate(
    ([data, chosen]) => {
      const event = Object.assign(new Event('notificationclick'), {
        notification: { data, close: () => {} },
        action: chosen,
        waitUntil: () => {},
      });
      (self as unknown as Watched).dispatchEvent(event);
    },
    [payload, action] as const,
  );

test('the console can be installed: its manifest has the brand and icons that exist', async () => {
  const manifest = await (await fetch(`${demo.url}/manifest.webmanifest`)).json();
  expect(manifest).toMatchObject({ start_url: '/', display: 'standalone' });
  expect(manifest.name).not.toBe('');
  for (const { src, sizes } of manifest.icons as { src: string; sizes: string }[]) {
    const icon = Buffer.from(await (await fetch(`${demo.url}${src}`)).arrayBuffer());
    expect(`${icon.readUInt32BE(16)}x${icon.readUInt32BE(20)}`).toBe(sizes);
  }
});

test('a push is shown as a notification; a click acknowledges by a signed call', async () => {
  const { page, context, worker } = await consoleWithWorker();
  const cdp = await context.newCDPSession(page);
  const registered = new Promise<string>((resolve) =>
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      if (registrations[0]) resolve(registrations[0].registrationId);
    }),
  );
  await watch(worker);
  await cdp.send('ServiceWorker.enable');
  await cdp.send('ServiceWorker.deliverPushMessage', {
    origin: demo.url,
    registrationId: await registered,
    data: JSON.stringify(PAYLOAD),
  });
  await expect
    .poll(() => seen(worker))
    .toEqual({
      shown: [{ title: 'Level 4: Fridge 1', body: 'Temperature 9.4 °C', tag: 'alarm-7' }],
      statuses: [],
    });

  // The signature is accepted; the link of this test does not exist.
  await click(worker, PAYLOAD, 'acknowledge');
  await expect
    .poll(() => seen(worker))
    .toMatchObject({ shown: [{}, { body: 'Not done', tag: 'alarm-7' }], statuses: ['1', 'link.not_found'] });
  await context.close();
});

test('without a connection the console says so, and comes back by itself', async () => {
  const line = await startNetworkLine(demo.url);
  const { page, context } = await consoleWithWorker(line.url);
  line.cut();
  await page.goto(`${line.url}/alarm/current`);
  await page.getByRole('heading', { name: 'No connection' }).waitFor();
  expect(await page.evaluate(() => caches.keys())).toEqual([]);
  line.restore();
  await page.getByRole('navigation').first().waitFor();
  await context.close();
  await line.stop();
});

test('the tab of browser notifications says why they cannot be enabled', async () => {
  const { page, faults, context } = await consoleWithWorker();
  await page.goto(`${demo.url}/management/account?tab=notifications`);
  await page.getByRole('heading', { name: 'Browser notifications' }).waitFor();
  // The browser of the test denies notifications, as one does whose user has refused them.
  await page.getByText('Your browser blocks notifications from this site.', { exact: false }).waitFor();
  expect(faults).toEqual([]);
  await context.close();
});
