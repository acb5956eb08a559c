/**
 * Returns the address to open after a login: a path of this console, never another host or the login itself.
 */
export function safeRedirect(wish: string | null): string {
  if (!wish?.startsWith('/') || wish.startsWith('//') || wish.includes('\\')) return '/';
  const target = new URL(wish, location.origin);
  // The address is checked after normalisation by the browser, which turns '/.//host' into '//host'.
  if (target.origin !== location.origin || target.pathname.startsWith('//')) return '/';
  if (target.pathname === '/login') return '/';
  return target.pathname + target.search + target.hash;
}

export function loginPath(from: string): string {
  return `/login?redirect=${encodeURIComponent(from)}`;
}

/** Returns the page that `/redirect/<path>` reloads. */
export function redirectTarget({ pathname, search }: Pick<URL, 'pathname' | 'search'>): string {
  return safeRedirect(pathname.replace(/^\/redirect(?=\/)/, '') + search);
}
