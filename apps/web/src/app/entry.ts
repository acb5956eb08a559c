import { loginPath, redirectTarget, safeRedirect } from '../shared/api/redirect.ts';

export type Entry =
  | { show: 'login' | 'setup' | 'console' | 'not-found' }
  /** Go there instead. */
  | { goTo: string };

/** Which program answers an address (requirements §2, guard behaviour). */
export function entryOf(
  address: Pick<Location, 'pathname' | 'search' | 'hash'>,
  session: { exists: boolean; passwordDue: boolean },
): Entry {
  // A session may be left over from another installation at the same address.
  if (address.pathname === '/setup') return { show: 'setup' };
  const mayEnter = session.exists && !session.passwordDue;
  if (address.pathname === '/login') {
    if (!mayEnter) return { show: 'login' };
    return { goTo: safeRedirect(new URLSearchParams(address.search).get('redirect')) };
  }
  if (mayEnter) return { show: 'console' };
  if (address.pathname === '/404') return { show: 'not-found' };
  const wanted = address.pathname.startsWith('/redirect/') ? redirectTarget(address) : null;
  return { goTo: loginPath(wanted ?? address.pathname + address.search + address.hash) };
}
