import type { PushPayload } from '@isotherm/contracts/web-push';

/** Options of notifications that the DOM's types leave out. */
interface ShownOptions extends NotificationOptions {
  actions: { action: string; title: string }[];
  renotify: boolean;
  timestamp: number;
  data: PushPayload;
}

/** How a payload is shown. A later message about the same alarm replaces the earlier one and sounds again. */
export function notificationOf(payload: PushPayload): { title: string; options: ShownOptions } {
  const { title, text, tag, at, language, stays, acknowledge, words } = payload;
  return {
    title,
    options: {
      body: text,
      tag,
      renotify: true,
      lang: language,
      timestamp: at,
      icon: '/icon-192.png',
      requireInteraction: stays,
      actions: [
        ...(acknowledge ? [{ action: 'acknowledge', title: words.acknowledge }] : []),
        { action: 'open', title: words.open },
      ],
      data: payload,
    },
  };
}

/**
 * What a click does: it acknowledges at once if the policy wants no fields to be filled in; otherwise the page that asks
 * for them is opened, or the alarm.
 */
export function clickOf(
  payload: PushPayload,
  action: string,
): { kind: 'acknowledge'; token: string; level: number } | { kind: 'open'; path: string } {
  const { acknowledge, path } = payload;
  if (action !== 'acknowledge' || !acknowledge) return { kind: 'open', path };
  const { token, level } = acknowledge;
  return acknowledge.isOneTap
    ? { kind: 'acknowledge', token, level }
    : { kind: 'open', path: acknowledge.path };
}
