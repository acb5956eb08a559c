import type { Language } from '@isotherm/i18n/languages';
import type { Locale } from 'antd/es/locale';
import dayjs from 'dayjs';

/** Texts of tables, date pickers and the calendar. They are loaded when their language is selected. */
const PARTS: Record<Language, () => Promise<{ locale: Locale; calendar: string }>> = {
  en: async () => ({ locale: (await import('antd/es/locale/en_GB')).default, calendar: await english() }),
  es: async () => {
    const [parts] = await Promise.all([import('antd/es/locale/es_ES'), import('dayjs/locale/es')]);
    return { locale: parts.default, calendar: 'es' };
  },
  'zh-CN': async () => {
    const [parts] = await Promise.all([import('antd/es/locale/zh_CN'), import('dayjs/locale/zh-cn')]);
    return { locale: parts.default, calendar: 'zh-cn' };
  },
  'zh-TW': async () => {
    const [parts] = await Promise.all([import('antd/es/locale/zh_TW'), import('dayjs/locale/zh-tw')]);
    return { locale: parts.default, calendar: 'zh-tw' };
  },
};

async function english(): Promise<string> {
  await import('dayjs/locale/en-gb');
  return 'en-gb';
}

export async function loadPartsLocale(language: Language): Promise<Locale> {
  const { locale, calendar } = await PARTS[language]();
  dayjs.locale(calendar);
  return locale;
}
