import { loginPath, redirectTarget, safeRedirect } from '../shared/api/redirect.ts';

export type EntryName =
  | 'login'
  | 'setup'
  | 'register'
  | 'registered'
  | 'app-download'
  | 'api-tool'
  | 'console'
  | 'not-found';

/** Public addresses, with or without a session (requirements §2, "Routes without login"). */
const OPEN: Record<string, EntryName> = {
  // A session of another installation at the same address may still be stored.
  '/setup': 'setup',
  '/register': 'register',
  '/registered': 'registered',
  '/appdownload': 'app-download',
  '/apitool': 'api-tool',
};

export type Entry =
  | { show: EntryName }
  /** Redirect target. */
  | { goTo: string };

/** The program that serves an address (requirements §2, guard behaviour). */
export function entryOf(
  address: Pick<Location, 'pathname' | 'search' | 'hash'>,
  session: { exists: boolean; stepDue: boolean },
  site: { offersApp: boolean },
): Entry {
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
