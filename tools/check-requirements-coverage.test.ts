import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkRequirementsCoverage } from './check-requirements-coverage.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'isotherm-coverage-'));
  mkdirSync(join(root, 'docs'));
  writeFileSync(join(root, 'a.test.ts'), "it('a guest is sent to \\'/login\\'', () => {});");
  writeFileSync(join(root, 'a.ts'), "'a guest'");
  mkdirSync(join(root, 'packages/i18n/locales/en'), { recursive: true });
  writeFileSync(join(root, 'packages/i18n/locales/en/errors.json'), '{"errors.wrong":"Wrong."}');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const check = (...rows: string[]) => {
  const table = ['| Requirement | Tests |', '|---|---|', ...rows].join('\n');
  writeFileSync(join(root, 'docs/requirements-coverage.md'), table);
  return checkRequirementsCoverage(root);
};

test.each([
  ['a test that exists', '| §2 No token | `a.test.ts` "a guest is sent to \'/login\'" |', 0],
  ['a row without a test', '| §2 No token | to come |', 1],
  ['a test that does not exist', '| §2 No token | `a.test.ts` "a guest is let in" |', 1],
  ['a file that does not exist', '| §2 No token | `b.test.ts` "a guest" |', 1],
  ['a file that is not a test', '| §2 No token | `a.ts` "a guest" |', 1],
  ['a text that exists', '| Wrong | `errors.wrong` | `a.test.ts` "a guest" |', 0],
  ['a text that does not exist', '| Wrong | `errors.right` | `a.test.ts` "a guest" |', 1],
  ['an open issue', '| Payment failed | | issue 15 |', 0],
  ['one of two tests does not exist', '| §2 | `a.test.ts` "a guest", `a.test.ts` "nobody" |', 1],
])('the table of requirements is checked: %s', (_name, row, findings) => {
  expect(check(row)).toHaveLength(findings);
});

test('an empty or missing table is reported', () => {
  expect(check()).toHaveLength(1);
  rmSync(join(root, 'docs'), { recursive: true });
  expect(checkRequirementsCoverage(root)).toEqual(['docs/requirements-coverage.md is missing']);
});
