import type { Text } from './use-text.ts';

/** A value with its label, with the punctuation of the language. */
export const labelled = (text: Text, label: string, value: string): string =>
  text('common.labelled', { label, value });

/** Words one after the other, with the punctuation of the language. */
export const listed = (text: Text, words: readonly string[]): string =>
  words.length === 0 ? '' : words.reduce((first, second) => text('common.listed', { first, second }));
