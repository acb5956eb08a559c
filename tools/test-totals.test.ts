import { expect, test } from 'vitest';
import { countTests } from './test-totals.mjs';

const file = (status: string, statuses: string[], message = '') => ({
  name: 'a.test.ts',
  status,
  message,
  assertionResults: statuses.map((each, i) => ({ fullName: `test ${i}`, status: each })),
});

test.each([
  ['all tests passed', [file('passed', ['passed', 'passed'])], 0, 2, []],
  ['one test failed', [file('failed', ['passed', 'failed'])], 1, 1, ['a.test.ts: test 1']],
  ['a skipped test has not passed', [file('passed', ['skipped'])], 0, 0, ['a.test.ts: test 0 (skipped)']],
  ['a file that cannot be loaded', [file('failed', [], 'no module\nat x')], 1, 0, ['a.test.ts: no module']],
  ['a failed run without a failed test', [file('passed', ['passed'])], 1, 1, ['']],
  ['killed', [file('passed', ['passed'])], null, 1, ['']],
])('the totals of a test report are counted: %s', (_name, testResults, exitCode, passed, failures) => {
  expect(countTests({ testResults }, exitCode)).toEqual({ passed, failed: failures.length, failures });
});
