import type { Text } from '../i18n/use-text.ts';

/** Joins words into a list with the comma of the language. */
export const listed = (words: readonly string[], text: Text): string =>
  words.join(text('logs.value.between'));
