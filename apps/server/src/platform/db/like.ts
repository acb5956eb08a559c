/** A pattern that finds the text anywhere; what it holds of `%`, `_` and `\` is meant as it stands. '' for no text. */
export function containing(text: string): string {
  return text === '' ? '' : `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
