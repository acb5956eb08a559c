import type { Catalogue, Language } from '@isotherm/i18n/languages';
import { useQuery } from '@tanstack/react-query';
import { loadAllLanguages } from './language.ts';

/** Returns the texts of the console in every language; undefined until they are loaded. */
export function useAllLanguages(): Record<Language, Catalogue> | undefined {
  return useQuery({ queryKey: ['texts'], queryFn: loadAllLanguages, staleTime: Number.POSITIVE_INFINITY })
    .data;
}
