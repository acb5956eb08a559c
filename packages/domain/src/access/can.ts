import { type Access, PUBLIC, SIGNED_IN } from './permissions.ts';

/** The permissions that somebody holds; `null` is nobody. */
export type Held = ReadonlySet<string> | null;

/**
 * Whether the holder may: THE question, asked by the server of every request and by the console of every
 * button (requirements §6; decision 11).
 */
export function can(held: Held, access: Access | (string & {})): boolean {
  if (access === PUBLIC) return true;
  if (held === null) return false;
  return access === SIGNED_IN || held.has(access);
}

/**
 * How a button stands before its holder (requirements §6): hidden from who holds a hidden-permission string,
 * and shown or enabled only to who holds the required one.
 */
export function buttonState(
  held: Held,
  button: { permission?: string; hiddenBy?: string; whenDenied?: 'hide' | 'disable' },
): 'hidden' | 'disabled' | 'enabled' {
  if (button.hiddenBy !== undefined && can(held, button.hiddenBy)) return 'hidden';
  if (button.permission === undefined || can(held, button.permission)) return 'enabled';
  return button.whenDenied === 'disable' ? 'disabled' : 'hidden';
}

/** What of `wanted` the holder may not give away, because it is not held: nobody grants more than they have. */
export function ungrantable(held: ReadonlySet<string>, wanted: readonly string[]): string[] {
  return wanted.filter((permission) => !held.has(permission));
}
