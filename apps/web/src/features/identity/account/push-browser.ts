import { addPushBrowser, listPushBrowsers } from '@isotherm/contracts/web-push';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';

export const PUSH_KEY = ['identity', 'account', 'push'] as const;

export const pushBrowsersQuery = queryOptions({
  queryKey: [...PUSH_KEY, 'list'],
  queryFn: ({ signal }) => call(listPushBrowsers, { signal, quiet: true }),
});

/** Why alarms cannot appear as notifications of this browser; null if they can. */
export function pushFault(): 'unsupported' | 'blocked' | null {
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window))
    return 'unsupported';
  return Notification.permission === 'denied' ? 'blocked' : null;
}

/** The subscription of this browser; null if it has none. */
export async function ownSubscription(): Promise<PushSubscription | null> {
  if (pushFault() === 'unsupported') return null;
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}

const BROWSERS = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const;
const SYSTEMS = [
  [/\bAndroid\b/, 'Android'],
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
] as const;

/** Name of a browser in the list, as `Chrome · Android`. */
export function browserName(userAgent: string): string {
  const found = (rows: readonly (readonly [RegExp, string])[]) =>
    rows.find(([pattern]) => pattern.test(userAgent))?.[1];
  return [found(BROWSERS) ?? 'Browser', found(SYSTEMS)].filter(Boolean).join(' · ');
}

const bytesOf = (text: string) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
    character.charCodeAt(0),
  );

/** Asks the user for permission, subscribes this browser and stores it. Returns false if the user refuses. */
export async function enablePush(publicKey: string): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false;
  const registration = await navigator.serviceWorker.ready;
  const key = bytesOf(publicKey);
  const known = await registration.pushManager.getSubscription();
  const isCurrent = sameBytes(known?.options.applicationServerKey, key);
  // A subscription for another key of the server cannot be used any more.
  if (known && !isCurrent) await known.unsubscribe();
  const subscription =
    known && isCurrent
      ? known
      : await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const { endpoint, keys = {} } = subscription.toJSON();
  await call(addPushBrowser, {
    body: {
      endpoint: endpoint ?? '',
      p256dh: keys.p256dh ?? '',
      auth: keys.auth ?? '',
      name: browserName(navigator.userAgent),
    },
  });
  return true;
}

function sameBytes(one: ArrayBuffer | null | undefined, other: Uint8Array): boolean {
  if (!one || one.byteLength !== other.length) return false;
  const bytes = new Uint8Array(one);
  return other.every((byte, at) => bytes[at] === byte);
}
