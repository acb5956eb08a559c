import {
  replaceSystemNames,
  SYSTEM_NAMES,
  type SystemName,
  systemName,
} from '@isotherm/domain/names/system-name';
import { CATALOGUES } from './catalogues.ts';
import type { Language } from './languages.ts';

const wordOf = (name: SystemName, language: Language) => CATALOGUES[language][`names.${name}`] as string;

/** A stored text with the names that the system gave in words: the one rule for answers, messages, sheets and documents. */
export function inWords(stored: string, language: Language): string {
  return replaceSystemNames(stored, (name) => wordOf(name, language));
}

/** Stored system names whose words in a language contain what is searched for. */
export function systemNamesLike(search: string, language: Language): string[] {
  const sought = search.toLowerCase();
  return SYSTEM_NAMES.filter((name) => wordOf(name, language).toLowerCase().includes(sought)).map(systemName);
}

/** What to store of a name in a form: as before when it still reads as the stored one does, else as it was typed. */
export function storedName(typed: string, before: string, language: Language): string {
  return typed === inWords(before, language) ? before : typed;
}
