import type { Language } from '@isotherm/i18n/languages';
import { currentLanguage } from '../../i18n/language.ts';

const MARKS: Record<Language, { decimal: string; group: string }> = {
  en: { decimal: '.', group: ',' },
  es: { decimal: ',', group: '.' },
  'zh-CN': { decimal: '.', group: ',' },
  'zh-TW': { decimal: '.', group: ',' },
};

/**
 * Parses a number in the user's locale: `3,600` is 3600 in English and 3.6 in Spanish. Returns undefined for
 * an empty input. Returns the text itself if it is invalid in that locale, so that the schema rejects it and
 * no guess is stored.
 */
export function typedNumber(
  typed: string,
  language: Language = currentLanguage(),
): number | string | undefined {
  const plain = typed.trim().replace(/^[\u2212\u2013]/, '-');
  if (plain === '') return undefined;
  const { decimal, group } = MARKS[language];
  const whole = `(?:\\d+|\\d{1,3}(?:\\${group}\\d{3})+)`;
  if (!new RegExp(`^[+-]?(?:${whole}(?:\\${decimal}\\d*)?|\\${decimal}\\d+)$`).test(plain)) return typed;
  return Number(plain.replaceAll(group, '').replace(decimal, '.'));
}

/** Formats a number as it is typed in the user's locale: without grouping, with all its decimals. */
export function typeableNumber(value: number, language: Language = currentLanguage()): string {
  return String(value).replace('.', MARKS[language].decimal);
}
