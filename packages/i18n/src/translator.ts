import i18next, { type i18n } from 'i18next';
import ICU from 'i18next-icu';
import { catalogue as en } from './en.ts';
import { catalogue as es } from './es.ts';
import { LANGUAGES, type Language } from './languages.ts';
import { I18N_OPTIONS } from './options.ts';
import { catalogue as zhCN } from './zh-CN.ts';
import { catalogue as zhTW } from './zh-TW.ts';

export type Translate = (language: Language, id: string, params?: Record<string, string | number>) => string;

/** A translator that holds all languages in memory: for the server. The console loads one at a time. */
export function createTranslator(): Translate {
  const engine: i18n = i18next.createInstance().use(ICU);
  void engine.init({
    ...I18N_OPTIONS,
    initAsync: false,
    supportedLngs: [...LANGUAGES],
    resources: {
      en: { translation: en },
      es: { translation: es },
      'zh-CN': { translation: zhCN },
      'zh-TW': { translation: zhTW },
    },
  });
  return (language, id, params) => engine.t(id, { ...params, lng: language });
}
