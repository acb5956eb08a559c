import type { Text } from '../../../shared/i18n/use-text.ts';

/** Kinds that have a word; another one stands as it is written. */
const KINDS: ReadonlySet<string> = new Set([
  'alarm',
  'audit',
  'authorization',
  'brand',
  'device',
  'dictionary',
  'log',
  'menu',
  'operation',
  'organization',
  'reading',
  'registration',
  'registration-settings',
  'role',
  'user',
]);

export function kindName(kind: string, text: Text): string {
  return KINDS.has(kind) ? text(`logs.kind.${kind}`) : kind;
}
