/** Requirements §9: cookies of the console are kept for 3650 days. */
const MAX_AGE_S = 3650 * 86_400;

const NAMES = {
  expiry: 'isotherm.expiry',
  username: 'isotherm.username',
  language: 'isotherm.language',
  timeZone: 'isotherm.timezone',
  identifier: 'isotherm.identifier',
  puzzle: 'isotherm.puzzle',
  refreshing: 'isotherm.refreshing',
  sidebar: 'isotherm.sidebar',
} as const;
export type CookieName = keyof typeof NAMES;

export function readCookie(name: CookieName): string {
  const start = `${NAMES[name]}=`;
  const found = document.cookie.split('; ').find((entry) => entry.startsWith(start));
  return found ? decodeURIComponent(found.slice(start.length)) : '';
}

/** Writes a cookie; an empty value removes it. */
export function writeCookie(name: CookieName, value: string): void {
  const age = value === '' ? 0 : MAX_AGE_S;
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing outside secure contexts, where consoles on a local network run.
  document.cookie = `${NAMES[name]}=${encodeURIComponent(value)}; Max-Age=${age}; Path=/; SameSite=Strict${secure}`;
}
