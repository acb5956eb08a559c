import { LANGUAGE_CODES } from '@isotherm/domain/access/languages';

export const LANGUAGES = LANGUAGE_CODES;
export type Language = (typeof LANGUAGES)[number];
export const DEFAULT_LANGUAGE: Language = 'en';

/** Languages name themselves: a reader finds the own one in any language. */
export const LANGUAGE_NAMES: Record<Language, string> = {
  en: 'English',
  es: 'Español',
  'zh-CN': '简体中文',
  'zh-TW': '繁體中文',
};

/** Flat: semantic id → ICU message. */
export type Catalogue = Record<string, string>;

/** One catalogue from the files of a language. */
export function joinCatalogues(files: Readonly<Record<string, Catalogue>>): Catalogue {
  return Object.assign({}, ...Object.values(files));
}

/**
 * The language that best answers a wish such as `zh-HK`, `es_MX` or an Accept-Language entry; `en` when
 * none does. Traditional Chinese for Taiwan, Hong Kong and Macau, Simplified otherwise.
 */
export function closestLanguage(wish: string | undefined): Language {
  const tag = (wish ?? '').replace('_', '-').toLowerCase();
  if (tag.startsWith('zh')) return /-(tw|hk|mo|hant)/.test(tag) ? 'zh-TW' : 'zh-CN';
  if (tag.startsWith('es')) return 'es';
  return DEFAULT_LANGUAGE;
}
