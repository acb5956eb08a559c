import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TEST } from './source-files.ts';

const TABLE = 'docs/requirements-coverage.md';
/** A test in a cell: `file` "name". Several may stand in one. */
const NAMED_TEST = /`([^`]+)` "([^"]+)"/g;

/**
 * The table of requirements and their tests: each row names at least one test, its file exists and is a test
 * file, and the name stands in it as it is written.
 */
export function checkRequirementsCoverage(root: string): string[] {
  const path = join(root, TABLE);
  if (!existsSync(path)) return [`${TABLE} is missing`];
  const rows = readFileSync(path, 'utf8')
    .split('\n')
    .map((text, i) => ({ text, at: `${TABLE}:${i + 1}` }))
    .filter(({ text }) => /^\| (?!Requirement|---)/.test(text));
  if (rows.length === 0) return [`${TABLE} has no rows`];
  return rows.flatMap(({ text, at }) => {
    const tests = [...text.matchAll(NAMED_TEST)];
    if (tests.length === 0) return [`${at}: names no test`];
    return tests.flatMap(([, file = '', name = '']) => {
      if (!TEST.test(file)) return [`${at}: ${file} is no test file`];
      if (!existsSync(join(root, file))) return [`${at}: ${file} does not exist`];
      const source = readFileSync(join(root, file), 'utf8').replaceAll("\\'", "'");
      return source.includes(name) ? [] : [`${at}: ${file} has no test "${name}"`];
    });
  });
}
