import type { Language } from '@isotherm/i18n/languages';
import type { TextId } from '@isotherm/i18n/text-id';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

/** Returns a text of the catalogue by its id, with values inserted. */
export type Text = (id: TextId, values?: Record<string, string | number>) => string;

/**
 * Returns the translation function. `text` stays the same object until the language changes, so that it can
 * be a dependency of memos and effects.
 */
export function useText(): { text: Text; language: Language } {
  const { t, i18n } = useTranslation();
  const language = i18n.language as Language;
  return useMemo(() => ({ text: (id, values) => t(id, values ?? {}), language }), [t, language]);
}
