/** A pattern that finds the text anywhere; what it holds of `%`, `_` and `\` is meant as it stands. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
