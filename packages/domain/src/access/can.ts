import { type Access, PUBLIC, SIGNED_IN } from './permissions.ts';

/** Permissions of a caller; `null` is anonymous. */
export type Held = ReadonlySet<string> | null;

/**
 * Whether the holder has access. Used by the server for every request and by the console for every button
 * (requirements §6; decision 11).
 */
export function can(held: Held, access: Access | (string & {})): boolean {
  if (access === PUBLIC) return true;
  if (held === null) return false;
  return access === SIGNED_IN || held.has(access);
}

/** State of a button (requirements §6): hidden by one permission, shown or enabled only with another. */
export function buttonState(
  held: Held,
  button: { permission?: string; hiddenBy?: string; whenDenied?: 'hide' | 'disable' },
): 'hidden' | 'disabled' | 'enabled' {
  if (button.hiddenBy !== undefined && can(held, button.hiddenBy)) return 'hidden';
  if (button.permission === undefined || can(held, button.permission)) return 'enabled';
  return button.whenDenied === 'disable' ? 'disabled' : 'hidden';
}

/** Permissions among `wanted` that the holder lacks and therefore may not grant. */
export function ungrantable(held: ReadonlySet<string>, wanted: readonly string[]): string[] {
  return wanted.filter((permission) => !held.has(permission));
}
