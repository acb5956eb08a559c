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

/** Open to everybody, with or without a session (requirements §2, "Routes without login"). */
const OPEN: Record<string, EntryName> = {
  // A session may be left over from another installation at the same address.
  '/setup': 'setup',
  '/register': 'register',
  '/registered': 'registered',
  '/appdownload': 'app-download',
  '/apitool': 'api-tool',
};

export type Entry =
  | { show: EntryName }
  /** Go there instead. */
  | { goTo: string };

/** Which program answers an address (requirements §2, guard behaviour). */
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
