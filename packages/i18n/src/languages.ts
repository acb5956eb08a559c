import { LANGUAGE_CODES } from '@isotherm/domain/access/languages';

export const LANGUAGES = LANGUAGE_CODES;
export type Language = (typeof LANGUAGES)[number];
export const DEFAULT_LANGUAGE: Language = 'en';

/** The name of each language in the language itself, so that its speakers recognise it. */
export const LANGUAGE_NAMES: Record<Language, string> = {
  en: 'English',
  es: 'Español',
  'zh-CN': '简体中文',
  'zh-TW': '繁體中文',
};

/** A flat map: text id → ICU message. */
export type Catalogue = Record<string, string>;

/** Joins all files of a language to one catalogue. */
export function joinCatalogues(files: Readonly<Record<string, Catalogue>>): Catalogue {
  return Object.assign({}, ...Object.values(files));
}

/**
 * Returns the best match for a language tag such as `zh-HK`, `es_MX` or an Accept-Language entry; the
 * default is `en`. Traditional Chinese is used for Taiwan, Hong Kong and Macau, otherwise Simplified.
 */
export function closestLanguage(wish: string | undefined): Language {
  const tag = (wish ?? '').replace('_', '-').toLowerCase();
  if (tag.startsWith('zh')) return /-(tw|hk|mo|hant)/.test(tag) ? 'zh-TW' : 'zh-CN';
  if (tag.startsWith('es')) return 'es';
  return DEFAULT_LANGUAGE;
}
