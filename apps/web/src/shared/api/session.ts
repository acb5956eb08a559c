import { readCookie, writeCookie } from './cookies.ts';
import { forgetTabs } from './stored-tabs.ts';

/**
 * The session as stored in this browser (requirements §9). Everything is in cookies except the token: cookies
 * are sent with every request, and the token must never be sent after login (decision 14). Local storage is
 * shared by all tabs as well.
 */
const TOKEN_KEY = 'isotherm.token';
const LIFETIME_KEY = 'isotherm.lifetime';
const DUE_KEYS = {
  password: 'isotherm.password-due',
  'second-factor': 'isotherm.second-factor-due',
} as const;

/** Mandatory steps between login and console. */
export type EntryStep = keyof typeof DUE_KEYS;

export interface Session {
  token: string;
  username: string;
  /** Seconds since 1970 at which the token expires unless it is used. */
  expiresAt: number;
  /** Lifetime of the token in seconds. */
  lifetime: number;
}

export function readSession(): Session | null {
  const token = localStorage.getItem(TOKEN_KEY) ?? '';
  const username = readCookie('username');
  if (token === '' || username === '') return null;
  return {
    token,
    username,
    expiresAt: Number(readCookie('expiry')) || 0,
    lifetime: Number(localStorage.getItem(LIFETIME_KEY)) || 0,
  };
}

export function writeSession(username: string, token: string, lifetimeSeconds: number, nowMs: number): void {
  localStorage.setItem(TOKEN_KEY, token);
  localStorage.setItem(LIFETIME_KEY, String(lifetimeSeconds));
  writeCookie('username', username);
  extendSession(lifetimeSeconds, nowMs);
}

/**
 * Every response extends the session (contract `session.tokentime`). The new end is stored only if it moved
 * by a hundredth of the lifetime, because each write makes the browser fetch the cookies from another process
 * at the next read.
 */
export function extendSession(lifetimeSeconds: number, nowMs: number): void {
  const end = Math.floor(nowMs / 1000) + lifetimeSeconds;
  const stored = Number(readCookie('expiry')) || 0;
  if (Math.abs(end - stored) * 100 >= lifetimeSeconds) writeCookie('expiry', String(end));
}

export function clearSession(): void {
  localStorage.removeItem(TOKEN_KEY);
  localStorage.removeItem(LIFETIME_KEY);
  for (const key of Object.values(DUE_KEYS)) localStorage.removeItem(key);
  for (const name of ['expiry', 'username', 'timeZone', 'refreshing'] as const) writeCookie(name, '');
  forgetTabs();
}

/** First a one-time password must be changed (decision 13), then a required second factor set up. */
export function entryStepDue(): EntryStep | null {
  const steps = Object.keys(DUE_KEYS) as EntryStep[];
  return steps.find((step) => localStorage.getItem(DUE_KEYS[step]) === '1') ?? null;
}

export function setEntryDue(step: EntryStep, due: boolean): void {
  if (due) localStorage.setItem(DUE_KEYS[step], '1');
  else localStorage.removeItem(DUE_KEYS[step]);
}

/** Identifies this browser to the server, to distinguish sessions. */
export function browserIdentifier(): string {
  const known = readCookie('identifier');
  if (known !== '') return known;
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const fresh = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  writeCookie('identifier', fresh);
  return fresh;
}
