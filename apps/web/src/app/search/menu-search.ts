/** A page that can be found, with its titles and the titles of its groups in all languages. */
export interface SearchablePage {
  name: string;
  path: string;
  /** Title in the user's language. */
  title: string;
  /** Titles of the groups that contain the page, outermost first, in the user's language. */
  groups: readonly string[];
  /** Titles of the page in the four languages. */
  titles: readonly string[];
}

export interface Hit {
  page: SearchablePage;
  score: number;
}

const AT_MOST = 6;
/** Scattered letters of a shorter query would match most titles. Chinese words are short. */
const LEAST_SCATTERED = 4;
/** Best score of scattered letters. */
const SCATTERED = 40;

/** Converts a text to lower case without accents, so that "organizacion" finds "Organización". */
function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/**
 * Returns the score of a fuzzy match, 0 for no match. A match at the start of the title ranks before the
 * start of a word, then a substring, then scattered letters.
 */
export function matchScore(query: string, text: string): number {
  const [wanted, given] = [plain(query.trim()), plain(text)];
  if (wanted === '') return 0;
  if (given === wanted) return 100;
  if (given.startsWith(wanted)) return 90;
  const at = given.indexOf(wanted);
  if (at > 0) return /[\p{L}\p{N}]/u.test(given.charAt(at - 1)) ? 60 : 80;
  return scattered(wanted.replace(/\s+/g, ''), given);
}

function scattered(wanted: string, given: string): number {
  let from = 0;
  let jumps = 0;
  for (const letter of wanted) {
    const at = given.indexOf(letter, from);
    if (at < 0) return 0;
    if (at > from) jumps += 1;
    from = at + letter.length;
  }
  return Math.max(1, SCATTERED - 4 * jumps);
}

/** Returns the pages that match by title in any language, by group or by path, best match first. */
export function searchPages(pages: readonly SearchablePage[], query: string): Hit[] {
  return pages
    .map((page) => ({ page, score: pageScore(page, query) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.page.title.localeCompare(b.page.title))
    .slice(0, AT_MOST);
}

function pageScore(page: SearchablePage, query: string): number {
  const isShort = [...query.trim()].length < LEAST_SCATTERED && !/\p{Script=Han}/u.test(query);
  const score = (text: string) => {
    const found = matchScore(query, text);
    return isShort && found <= SCATTERED ? 0 : found;
  };
  const best = (texts: readonly string[], weight: number) =>
    Math.max(0, ...texts.map((text) => score(text) * weight));
  return Math.max(
    best([page.title], 1),
    best(page.titles, 0.9),
    best(page.groups, 0.5),
    best([page.path], 0.4),
  );
}

/** Returns the recently chosen pages with `name` added, newest first. */
export function withRecent(recent: readonly string[], name: string, most = 5): string[] {
  return [name, ...recent.filter((each) => each !== name)].slice(0, most);
}
