type Fields = Readonly<Record<string, unknown>> | null;

export interface ChangedField {
  field: string;
  /** Undefined where there was, or is, no such field. */
  before: string | undefined;
  after: string | undefined;
}

/** A stored value as people read it: lists by their entries, nothing as nothing. */
export function readable(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(readable).join(', ');
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([key, inner]) => `${key}: ${readable(inner)}`)
      .join('; ');
  return String(value);
}

/** Old and new side by side, field by field, in the order of their names. */
export function differenceOf(before: Fields, after: Fields): ChangedField[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();
  const side = (fieldsOf: Fields, field: string) =>
    fieldsOf !== null && field in fieldsOf ? readable(fieldsOf[field]) : undefined;
  return fields.map((field) => ({ field, before: side(before, field), after: side(after, field) }));
}
