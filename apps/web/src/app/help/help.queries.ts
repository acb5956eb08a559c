import type { Help } from '@isotherm/i18n/help/help';
import type { Language } from '@isotherm/i18n/languages';
import { queryOptions } from '@tanstack/react-query';

/** Each language is a chunk of its own, which is not loaded before somebody opens the help. */
const HELP: Record<Language, () => Promise<{ help: Help }>> = {
  en: () => import('@isotherm/i18n/help/en'),
  es: () => import('@isotherm/i18n/help/es'),
  'zh-CN': () => import('@isotherm/i18n/help/zh-CN'),
  'zh-TW': () => import('@isotherm/i18n/help/zh-TW'),
};

export const helpQuery = (language: Language) =>
  queryOptions({
    queryKey: ['help', language],
    queryFn: async () => (await HELP[language]()).help,
    staleTime: Number.POSITIVE_INFINITY,
  });
