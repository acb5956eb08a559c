import { valueWords } from '@isotherm/i18n/log-words';
import type { Text } from '../../../shared/i18n/use-text.ts';

type Fields = Readonly<Record<string, unknown>> | null;

export interface ChangedField {
  field: string;
  /** Old value as text; undefined if the field did not exist. */
  before: string | undefined;
  after: string | undefined;
}

/**
 * Returns the old and new values as text in the user's language, field by field, in the order of their
 * stored names.
 */
export function differenceOf(kind: string, before: Fields, after: Fields, text: Text): ChangedField[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();
  const side = (fieldsOf: Fields, field: string) =>
    fieldsOf !== null && field in fieldsOf ? valueWords(kind, field, fieldsOf[field], text) : undefined;
  return fields.map((field) => ({ field, before: side(before, field), after: side(after, field) }));
}
