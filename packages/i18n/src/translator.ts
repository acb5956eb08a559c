import i18next, { type i18n } from 'i18next';
import ICU from 'i18next-icu';
import { CATALOGUES } from './catalogues.ts';
import { LANGUAGES, type Language } from './languages.ts';
import { I18N_OPTIONS } from './options.ts';
import type { TextId } from './text-id.ts';

export type Translate = (language: Language, id: TextId, params?: Record<string, string | number>) => string;

/**
 * Creates a translator with all languages in memory, for the server. The console loads one language at a
 * time.
 */
export function createTranslator(): Translate {
  const engine: i18n = i18next.createInstance().use(ICU);
  void engine.init({
    ...I18N_OPTIONS,
    initAsync: false,
    supportedLngs: [...LANGUAGES],
    resources: Object.fromEntries(
      LANGUAGES.map((language) => [language, { translation: CATALOGUES[language] }]),
    ),
  });
  return (language, id, params) => engine.t(id, { ...params, lng: language });
}
