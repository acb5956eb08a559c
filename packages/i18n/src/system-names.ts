import {
  replaceSystemNames,
  SYSTEM_NAMES,
  type SystemName,
  systemName,
} from '@isotherm/domain/names/system-name';
import { CATALOGUES } from './catalogues.ts';
import type { Language } from './languages.ts';

const wordOf = (name: SystemName, language: Language) => CATALOGUES[language][`names.${name}`] as string;

/**
 * Returns a stored text with its system names translated. Responses, messages, spreadsheets and documents
 * all use this function.
 */
export function inWords(stored: string, language: Language): string {
  return replaceSystemNames(stored, (name) => wordOf(name, language));
}

/** Returns the stored system names whose translation contains the search text. */
export function systemNamesLike(search: string, language: Language): string[] {
  const sought = search.toLowerCase();
  return SYSTEM_NAMES.filter((name) => wordOf(name, language).toLowerCase().includes(sought)).map(systemName);
}

/**
 * Returns what to store for a name in a form: unchanged if it still equals the translated stored name,
 * otherwise as entered.
 */
export function storedName(typed: string, before: string, language: Language): string {
  return typed === inWords(before, language) ? before : typed;
}
