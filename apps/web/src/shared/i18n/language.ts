import { type Catalogue, closestLanguage, LANGUAGES, type Language } from '@isotherm/i18n/languages';
import { I18N_OPTIONS } from '@isotherm/i18n/options';
import i18next from 'i18next';
import ICU from 'i18next-icu';
import { initReactI18next } from 'react-i18next';
import { readCookie, writeCookie } from '../api/cookies.ts';

type Catalogues = Record<Language, () => Promise<{ catalogue: Catalogue }>>;

/** Each language has two chunks: the whole console, and a small one for the pages before login. */
const CATALOGUES = {
  entry: {
    en: () => import('@isotherm/i18n/entry/en'),
    es: () => import('@isotherm/i18n/entry/es'),
    'zh-CN': () => import('@isotherm/i18n/entry/zh-CN'),
    'zh-TW': () => import('@isotherm/i18n/entry/zh-TW'),
  },
  console: {
    en: () => import('@isotherm/i18n/en'),
    es: () => import('@isotherm/i18n/es'),
    'zh-CN': () => import('@isotherm/i18n/zh-CN'),
    'zh-TW': () => import('@isotherm/i18n/zh-TW'),
  },
} satisfies Record<string, Catalogues>;

/** The catalogue that the running program needs. */
let extent: keyof typeof CATALOGUES = 'console';

/**
 * Returns the language: the stored choice, otherwise the browser's language, otherwise English (requirements
 * §1).
 */
export function preferredLanguage(): Language {
  const stored = LANGUAGES.find((language) => language === readCookie('language'));
  if (stored) return stored;
  for (const wish of navigator.languages ?? [navigator.language]) {
    const language = closestLanguage(wish);
    if (language !== 'en' || wish.toLowerCase().startsWith('en')) return language;
  }
  return 'en';
}

export async function startLanguage(
  language: Language = preferredLanguage(),
  needs: keyof typeof CATALOGUES = 'console',
): Promise<void> {
  extent = needs;
  const { catalogue } = await CATALOGUES[extent][language]();
  await i18next
    .use(ICU)
    .use(initReactI18next)
    .init({
      ...I18N_OPTIONS,
      lng: language,
      fallbackLng: false,
      supportedLngs: [...LANGUAGES],
      resources: { [language]: { translation: catalogue } },
      interpolation: { escapeValue: false },
      react: { useSuspense: false },
    });
  document.documentElement.lang = language;
}

export async function changeLanguage(language: Language): Promise<void> {
  writeCookie('language', language);
  const { catalogue } = await CATALOGUES[extent][language]();
  i18next.addResourceBundle(language, 'translation', catalogue);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}

/** Loads the texts of the console in every language, for searches and forms that use all of them. */
export async function loadAllLanguages(): Promise<Record<Language, Catalogue>> {
  const loaded = LANGUAGES.map(async (language): Promise<[Language, Catalogue]> => {
    const { catalogue } = await CATALOGUES.console[language]();
    return [language, catalogue];
  });
  return Object.fromEntries(await Promise.all(loaded)) as Record<Language, Catalogue>;
}

export function currentLanguage(): Language {
  return LANGUAGES.find((language) => language === i18next.language) ?? 'en';
}
