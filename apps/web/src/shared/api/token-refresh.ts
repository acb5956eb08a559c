import { readCookie, writeCookie } from './cookies.ts';
import { readSession } from './session.ts';

/** After this time, the tab that started a token refresh is assumed to be closed. */
const ABANDONED_AFTER_MS = 10_000;
const LOOK_AGAIN_MS = 150;

let running: Promise<void> | null = null;

/** Returns true if less than a third of the token's lifetime is left. */
export function isRefreshDue(nowMs: number): boolean {
  const session = readSession();
  if (!session || session.lifetime <= 0) return false;
  return session.expiresAt - nowMs / 1000 < session.lifetime / 3;
}

/**
 * Renews the token if it is due, once for all tabs (requirements §4). Requests of this tab share a promise.
 * Other tabs wait for a browser lock. If there is none (a console without TLS), they wait until the flag in
 * the cookie is cleared.
 */
export function refreshOnce(renew: () => Promise<void>): Promise<void> {
  running ??= alone(() => refreshIfDue(renew)).finally(() => {
    running = null;
  });
  return running;
}

/** Two tabs may check the flag at the same time, so the check runs under a browser lock. */
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
