import { readCookie, writeCookie } from './cookies.ts';
import { forgetTabs } from './stored-tabs.ts';

/**
 * The session as stored in this browser (requirements §9). All data except the token is stored in cookies.
 * Cookies are sent with every request, but the token must never be sent after login (decision 14), so it is
 * in local storage. All tabs share both.
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
  /** Lifetime of a new or renewed token in seconds. */
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
 * Extends the session; every response of the server does this (contract `session.tokentime`). The new expiry
 * is stored only if it moved by a hundredth of the lifetime, because after each write the browser must fetch
 * the cookies from another process at the next read.
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

/**
 * Returns the next mandatory step: first the change of a one-time password (decision 13), then the set-up of
 * a required second factor.
 */
export function entryStepDue(): EntryStep | null {
  const steps = Object.keys(DUE_KEYS) as EntryStep[];
  return steps.find((step) => localStorage.getItem(DUE_KEYS[step]) === '1') ?? null;
}

export function setEntryDue(step: EntryStep, due: boolean): void {
  if (due) localStorage.setItem(DUE_KEYS[step], '1');
  else localStorage.removeItem(DUE_KEYS[step]);
}

/** Returns the identifier of this browser, by which the server distinguishes sessions. */
export function browserIdentifier(): string {
  const known = readCookie('identifier');
  if (known !== '') return known;
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const fresh = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  writeCookie('identifier', fresh);
  return fresh;
}
