import type { Language } from '@isotherm/i18n/languages';
import { useTranslation } from 'react-i18next';

/** A sentence of the catalogue by its id, with the values that stand in it. */
export type Text = (id: string, values?: Record<string, string | number>) => string;

export function useText(): { text: Text; language: Language } {
  const { t, i18n } = useTranslation();
  return { text: (id, values) => t(id, values ?? {}), language: i18n.language as Language };
}
