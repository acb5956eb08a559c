import { readCookie, writeCookie } from './cookies.ts';
import { readSession } from './session.ts';

/** A refresh that another tab began longer ago than this has died with its tab. */
const ABANDONED_AFTER_MS = 10_000;
const LOOK_AGAIN_MS = 150;

let running: Promise<void> | null = null;

/** True when less than a third of the token's life is left. */
export function isRefreshDue(nowMs: number): boolean {
  const session = readSession();
  if (!session || session.lifetime <= 0) return false;
  return session.expiresAt - nowMs / 1000 < session.lifetime / 3;
}

/**
 * Renews the token when it is due, one renewal at a time over all tabs (requirements §4): the calls of this
 * tab share a promise, other tabs wait for the browser's lock, and where there is none (a console without
 * TLS on a local network) for the flag in the cookie to fall.
 */
export function refreshOnce(renew: () => Promise<void>): Promise<void> {
  running ??= alone(() => refreshIfDue(renew)).finally(() => {
    running = null;
  });
  return running;
}

/** Two tabs may look at the flag in the same instant; the lock of the browser lets one at a time look. */
function alone(work: () => Promise<void>): Promise<void> {
  const locks = (navigator as { locks?: LockManager }).locks;
  return locks ? locks.request('isotherm.refresh', work) : work();
}

async function refreshIfDue(renew: () => Promise<void>): Promise<void> {
  while (isRefreshDue(Date.now())) {
    const since = Number(readCookie('refreshing')) || 0;
    if (Date.now() - since < ABANDONED_AFTER_MS) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
      continue;
    }
    writeCookie('refreshing', String(Date.now()));
    try {
      await renew();
    } finally {
      writeCookie('refreshing', '');
    }
    return;
  }
}
