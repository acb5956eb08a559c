/**
 * The totals of a vitest JSON report. A file that could not be loaded has no tests and counts as failed; a
 * skipped test has not passed; and a run that fails without any of these (coverage too low, an unhandled
 * rejection) is one failure with an empty name.
 *
 * @param {{ testResults: { name: string, status: string, message: string,
 *
 * assertionResults: { fullName: string, status: string }[] }[] }} report
 * @param {number | null} exitCode of vitest
 * @returns {{ passed: number, failed: number, failures: string[] }}
 */
export function countTests(report, exitCode) {
  let passed = 0;
  /** @type {string[]} */
  const failures = [];
  for (const file of report.testResults) {
    for (const test of file.assertionResults) {
      if (test.status === 'passed') passed++;
      else
        failures.push(`${file.name}: ${test.fullName}${test.status === 'failed' ? '' : ` (${test.status})`}`);
    }
    if (file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'))
      failures.push(`${file.name}: ${file.message.split('\n')[0]}`);
  }
  if (exitCode !== 0 && failures.length === 0) failures.push('');
  return { passed, failed: failures.length, failures };
}
