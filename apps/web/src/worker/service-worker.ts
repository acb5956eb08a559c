import { HEADER, requestSignature } from '@isotherm/contracts/signing';
import type { PushPayload } from '@isotherm/contracts/web-push';
import { ACKNOWLEDGE, SITE_PATH, SUCCEEDED } from './calls.ts';
import { clickOf, notificationOf } from './notification.ts';
import { offlinePage } from './offline-page.ts';
import type { WorkerScope } from './worker-scope.ts';

/*
 * The service worker of the console: it shows alarms as notifications, and a page of its own while the server cannot be
 * reached. It has no cache, so that nobody sees old data or answers of the API.
 */

const scope = self as unknown as WorkerScope;

/** Acknowledges the alarm of a link; returns false if the server refused it. */
async function acknowledge(token: string, level: number, language: string): Promise<boolean> {
  const { method, path } = ACKNOWLEDGE;
  const site = (await (await fetch(SITE_PATH)).json()) as { data: { salt: string } };
  const json = JSON.stringify({ token, level, cause: '', correctiveAction: '' });
  const timestamp = Date.now();
  const response = await fetch(path, {
    method,
    headers: {
      'content-type': 'application/json',
      [HEADER.timestamp]: String(timestamp),
      [HEADER.language]: language,
      [HEADER.signature]: requestSignature(
        site.data.salt,
        method,
        path,
        { query: [], json, fields: [] },
        timestamp,
      ),
    },
    body: json,
  });
  return ((await response.json()) as { status: string }).status === SUCCEEDED;
}

async function show(payload: PushPayload): Promise<void> {
  const { title, options } = notificationOf(payload);
  await scope.registration.showNotification(title, options);
}

/** Opens a path in a console that is open already, otherwise in a new window. */
async function open(path: string): Promise<void> {
  const url = new URL(path, scope.location.origin).href;
  const windows = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const own = windows.find((each) => new URL(each.url).origin === scope.location.origin);
  if (!own) {
    await scope.clients.openWindow(url);
    return;
  }
  await own.focus();
  await own.navigate(url);
}

async function click(payload: PushPayload, action: string): Promise<void> {
  const what = clickOf(payload, action);
  if (what.kind === 'open') return open(what.path);
  const { words } = payload;
  const isDone = await acknowledge(what.token, what.level, payload.language).catch(() => false);
  await show({
    ...payload,
    text: isDone ? words.acknowledged : words.notAcknowledged,
    stays: false,
    acknowledge: null,
  });
}

scope.addEventListener('install', (event) => event.waitUntil(scope.skipWaiting()));
scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()));

scope.addEventListener('push', (event) => {
  if (event.data) event.waitUntil(show(event.data.json() as PushPayload));
});

scope.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(click(event.notification.data as PushPayload, event.action));
});

scope.addEventListener('fetch', (event) => {
  // Everything else goes to the network as without a service worker.
  if (event.request.mode !== 'navigate') return;
  event.respondWith(
    fetch(event.request).catch(() =>
      offlinePage(navigator.language, crypto.randomUUID().replaceAll('-', '')),
    ),
  );
});
