/**
 * Returns a LIKE pattern that matches the text anywhere, with `%`, `_` and `\` escaped; '' for empty text.
 */
export function containing(text: string): string {
  return text === '' ? '' : `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
