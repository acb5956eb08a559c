import { textId } from '@isotherm/i18n/text-id';
import type { Text } from '../i18n/use-text.ts';

/** A system role has a translated name; others have the name that was typed. */
export function roleName(role: { code: string | null; name: string }, text: Text): string {
  return role.code === null ? role.name : text(textId(`roles.system.${role.code}`));
}
