import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFiles, TEST } from './source-files.ts';

const TABLE = 'docs/requirements-coverage.md';
/** Matches a test in a cell: `file` "name". A cell may contain several. */
const NAMED_TEST = /`([^`]+)` "([^"]+)"/g;

/** Matches a row whose requirement is still open as an issue. */
const OPEN_ISSUE = /\| issue \d+ \|$/;
/**
 * Matches a cell with text ids, which must exist in the English catalogue (and by the guard `i18n` in every
 * language).
 */
const KEYS = /\| (`[^|]*`) \| (?:`|issue)/;

/**
 * Checks the table of requirements and their tests: each row names at least one test or an open issue, the
 * file of a test exists and is a test file, and contains the name literally. Text ids in a row must exist.
 */
export function checkRequirementsCoverage(root: string): string[] {
  const path = join(root, TABLE);
  if (!existsSync(path)) return [`${TABLE} is missing`];
  const rows = readFileSync(path, 'utf8')
    .split('\n')
    .map((text, i) => ({ text, at: `${TABLE}:${i + 1}` }))
    .filter(({ text }) => /^\| (?!Requirement|---)/.test(text));
  if (rows.length === 0) return [`${TABLE} has no rows`];
  const texts = textIds(root);
  return rows.flatMap(({ text, at }) => {
    const tests = [...text.matchAll(NAMED_TEST)];
    if (tests.length === 0 && !OPEN_ISSUE.test(text)) return [`${at}: names no test`];
    const keys = [...(KEYS.exec(text)?.[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, key]) => key as string);
    const unknown = keys.filter((key) => !texts.has(key)).map((key) => `${at}: there is no text ${key}`);
    return unknown.concat(
      tests.flatMap(([, file = '', name = '']) => {
        if (!TEST.test(file)) return [`${at}: ${file} is no test file`];
        if (!existsSync(join(root, file))) return [`${at}: ${file} does not exist`];
        const source = readFileSync(join(root, file), 'utf8').replaceAll("\\'", "'");
        return source.includes(name) ? [] : [`${at}: ${file} has no test "${name}"`];
      }),
    );
  });
}

/** Returns the ids of the English texts. */
function textIds(root: string): Set<string> {
  const files = readFiles(root, 'packages/i18n/locales/en', /\.json$/);
  return new Set(files.flatMap(({ text }) => Object.keys(JSON.parse(text) as object)));
}
