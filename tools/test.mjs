import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './content-stamp.mjs';
import { installPackages, requireNode } from './install.mjs';
import { createTerminal } from './terminal.mjs';
import { countTests } from './test-totals.mjs';

requireNode();
const terminal = createTerminal();
/** `npm test -- alarms` runs only the tests whose path contains the word, and no checks. */
const filters = process.argv.slice(2);
/**
 * Projects of vitest.config.ts that run besides `pure`; `broker` is not among them, because it needs a
 * program that npm does not install.
 */
const EVERYTHING_ELSE = ['unit', 'db', 'web', 'cluster', 'e2e', 'timed'];
const failures = [];
let passed = 0;
let failed = 0;

try {
  await installPackages(terminal, 'everything');
  const { buildChanged } = await import('./build.mjs');
  await count('build', () => buildChanged(terminal));
  if (filters.length === 0) {
    const { runChecks } = await import('./check.mjs');
    for (const outcome of await runChecks(terminal)) tally(outcome.name, outcome.passed);
    // Branch coverage is measured for the pure packages only, because measuring slows down the tests.
    await vitest('pure packages', ['--project', 'pure', '--coverage']);
    await vitest(
      'everything else',
      EVERYTHING_ELSE.flatMap((project) => ['--project', project]),
    );
  } else {
    await vitest(filters.join(' '), ['--project', '!broker', ...filters]);
  }
} catch (error) {
  terminal.line(error.message);
  tally('test run', false);
}
terminal.close();
if (failures.length > 0) console.log(`\nFailed:\n${failures.map((name) => `  ${name}`).join('\n')}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

function tally(name, good) {
  if (good) passed++;
  else {
    failed++;
    failures.push(name);
  }
}

async function count(name, work) {
  try {
    await work();
    tally(name, true);
  } catch (error) {
    terminal.line(error.message);
    tally(name, false);
  }
}

/** Runs vitest with its own output on the screen, and adds up the totals of its JSON report. */
async function vitest(name, args) {
  const folder = mkdtempSync(join(tmpdir(), 'isotherm-report-'));
  const report = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const child = spawn(
    process.execPath,
    [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', ...reporters, ...args],
    { cwd: ROOT, stdio: 'inherit' },
  );
  const code = await new Promise((resolve) => child.once('close', resolve));
  try {
    const totals = countTests(JSON.parse(readFileSync(report, 'utf8')), code);
    passed += totals.passed;
    failed += totals.failed;
    failures.push(
      ...totals.failures.map((failure) => (failure === '' ? `${name}: vitest ended with ${code}` : failure)),
    );
  } catch {
    tally(`${name}: vitest ended with ${code} and left no report`, false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
