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
  // Most texts have no values; a table and a message about an alarm contain the same ones again and again.
  const constant = new Map<Language, Map<TextId, string>>(LANGUAGES.map((language) => [language, new Map()]));
  return (language, id, params) => {
    if (params) return engine.t(id, { ...params, lng: language });
    const known = constant.get(language);
    const found = known?.get(id);
    if (found !== undefined) return found;
    const text = engine.t(id, { lng: language });
    if (Object.hasOwn(CATALOGUES.en, id)) known?.set(id, text);
    return text;
  };
}
