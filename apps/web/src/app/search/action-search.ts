import type { Catalogue, Language } from '@isotherm/i18n/languages';
import { LANGUAGES } from '@isotherm/i18n/languages';
import type { ACTIONS, SearchAction } from './actions.ts';
import { matchScore } from './menu-search.ts';

/** An action that can be found, with its titles and other words for it in all languages. */
export interface SearchableAction extends Omit<SearchAction, 'permission'> {
  /** Title in the user's language. */
  title: string;
  titles: readonly string[];
  words: readonly string[];
}

const AT_MOST = 5;
/** Score of a part of a word. Scattered letters, which score less, would match nearly every list of words. */
const LEAST_SCORE = 60;
/** Chinese is written without spaces, so that the letters of a title may have others between them. */
const HAN = /\p{Script=Han}/u;

/** Returns the texts of an action in all languages; empty until the catalogues are loaded. */
export function textsOf(
  { name }: (typeof ACTIONS)[number],
  catalogues: Record<Language, Catalogue> | undefined,
): { titles: string[]; words: string[] } {
  const read = (id: string) => (catalogues ? LANGUAGES.flatMap((each) => catalogues[each][id] ?? []) : []);
  return { titles: read(`search.action.${name}`), words: read(`search.words.${name}`) };
}

/** Returns the actions of which title or words contain each word of the query, best match first. */
export function searchActions<A extends SearchableAction>(actions: readonly A[], query: string): A[] {
  return actions
    .map((action) => ({ action, score: scoreOf(action, query.trim()) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.action.title.localeCompare(b.action.title))
    .slice(0, AT_MOST)
    .map(({ action }) => action);
}

/** Returns whether the query is part of the title of an action, and not only of other words for it. */
export function namesAction({ title, titles }: SearchableAction, query: string): boolean {
  return [title, ...titles].some((each) => matchScore(query, each) >= LEAST_SCORE);
}

function scoreOf({ title, titles, words }: SearchableAction, query: string): number {
  if (query === '') return 0;
  const own = [title, ...titles];
  const best = (text: string, among: readonly string[], least = LEAST_SCORE) =>
    Math.max(0, ...among.map((each) => matchScore(text, each)).filter((score) => score >= least));
  const whole = Math.max(best(query, own, HAN.test(query) ? 1 : LEAST_SCORE), best(query, words) * 0.9);
  if (whole > 0) return whole;
  const everything = [...own, ...words];
  const scores = query.split(/\s+/).map((word) => best(word, everything));
  return Math.min(...scores) * 0.8;
}
