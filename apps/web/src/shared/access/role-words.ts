import { textId } from '@isotherm/i18n/text-id';
import type { Text } from '../i18n/use-text.ts';

/** Returns the name of a role: translated for a system role, otherwise as it was typed. */
export function roleName(role: { code: string | null; name: string }, text: Text): string {
  return role.code === null ? role.name : text(textId(`roles.system.${role.code}`));
}

/** Returns the description of a role: translated for a system role, otherwise as it was typed. */
export function roleDescription(role: { code: string | null; description: string }, text: Text): string {
  return role.code === null ? role.description : text(textId(`register.role-about.${role.code}`));
}
