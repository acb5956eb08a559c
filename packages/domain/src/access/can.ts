import { type Access, PUBLIC, SIGNED_IN } from './permissions.ts';

/** Permissions of a user; `null` is an anonymous user. */
export type Held = ReadonlySet<string> | null;

/**
 * Returns whether a user with these permissions has access. The server calls it for every request and the
 * console for every button (requirements §6; decision 11).
 */
export function can(held: Held, access: Access | (string & {})): boolean {
  if (access === PUBLIC) return true;
  if (held === null) return false;
  return access === SIGNED_IN || held.has(access);
}

/**
 * Returns the state of a button (requirements §6). One permission hides it; another one is required to show
 * or enable it.
 */
export function buttonState(
  held: Held,
  button: { permission?: string; hiddenBy?: string; whenDenied?: 'hide' | 'disable' },
): 'hidden' | 'disabled' | 'enabled' {
  if (button.hiddenBy !== undefined && can(held, button.hiddenBy)) return 'hidden';
  if (button.permission === undefined || can(held, button.permission)) return 'enabled';
  return button.whenDenied === 'disable' ? 'disabled' : 'hidden';
}

/** Returns the permissions in `wanted` that the user lacks and therefore may not grant. */
export function ungrantable(held: ReadonlySet<string>, wanted: readonly string[]): string[] {
  return wanted.filter((permission) => !held.has(permission));
}
