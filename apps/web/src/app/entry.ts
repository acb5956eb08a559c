import { loginPath, redirectTarget, safeRedirect } from '../shared/api/redirect.ts';

export type EntryName =
  | 'login'
  | 'setup'
  | 'register'
  | 'registered'
  | 'app-download'
  | 'api-tool'
  | 'link'
  | 'console'
  | 'not-found';

/** Addresses that need no login; a session may exist (requirements §2, "Routes without login"). */
const OPEN: Record<string, EntryName> = {
  // The setup page needs no login, and ignores a session that an earlier installation at the same address
  // left in the browser.
  '/setup': 'setup',
  '/register': 'register',
  '/registered': 'registered',
  '/appdownload': 'app-download',
  '/apitool': 'api-tool',
};

/** The full screen with vehicles, a shared replay, and the smart screen; their tokens are in the fragment. */
const DISPLAYS = ['/map/carmonitor/fullscreen', '/map/replay/shared', '/screen/kiosk'];

export type Entry =
  | { show: EntryName }
  /** The address to redirect to. */
  | { goTo: string };

/**
 * Returns the part of the console that serves an address, or a redirect (requirements §2, guard behaviour).
 */
export function entryOf(
  address: Pick<Location, 'pathname' | 'search' | 'hash'>,
  session: { exists: boolean; stepDue: boolean },
  site: { offersApp: boolean },
): Entry {
  // A public link ignores the session of the browser: it shows only what it was created for.
  if (/^\/(link|verify)\//.test(address.pathname)) return { show: 'link' };
  if (DISPLAYS.includes(address.pathname)) return { show: 'link' };
  const open = OPEN[address.pathname];
  if (open === 'app-download' && !site.offersApp) return { goTo: '/404' };
  if (open) return { show: open };
  const mayEnter = session.exists && !session.stepDue;
  if (address.pathname === '/login') {
    if (!mayEnter) return { show: 'login' };
    return { goTo: safeRedirect(new URLSearchParams(address.search).get('redirect')) };
  }
  if (mayEnter) return { show: 'console' };
  if (address.pathname === '/404') return { show: 'not-found' };
  const wanted = address.pathname.startsWith('/redirect/') ? redirectTarget(address) : null;
  return { goTo: loginPath(wanted ?? address.pathname + address.search + address.hash) };
}
