import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './content-stamp.mjs';
import { requireNode } from './install.mjs';
import { countTests } from './test-totals.mjs';

/**
 * Runs `npm run attack`: all attacks in full, and prints the totals as `N passed, N failed`. Files of
 * `apps/server/src/attack` run a part in every test run; the others are regression tests of single faults.
 * The floods are those of `npm run bench:hostile`, each counted as passed or failed; `-- --floods=0` omits
 * them.
 */
requireNode();
const FILES = [
  'src/attack/',
  'permission-matrix.db',
  'unlogged-writes.db',
  'hostile.db',
  'anonymous-bodies.db',
  'strangers.db',
  'withdrawn-keys.db',
  'device-tokens.db',
  'silent-flood.db',
  'tls.db',
  'sealing.test',
  'gate.test',
  'time-budget.test',
];
const withFloods = !process.argv.includes('--floods=0');

const folder = mkdtempSync(join(tmpdir(), 'isotherm-attack-'));
const report = join(folder, 'report.json');
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
const projects = ['unit', 'db'].flatMap((project) => ['--project', project]);
const code = await run(
  [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', ...reporters, ...projects, ...FILES],
  { ISOTHERM_ATTACK: 'all' },
);
let { passed, failed, failures } = readReport(code);
rmSync(folder, { recursive: true, force: true });

if (withFloods) {
  const { text, code: ended } = await hear(['--import', 'tsx', join(ROOT, 'bench/src/hostile.ts')]);
  const [, good, bad] = /^(\d+) passed, (\d+) failed$/m.exec(text) ?? [];
  passed += Number(good ?? 0);
  failed += Number(bad ?? 1);
  if (ended !== 0) failures = [...failures, ...(text.match(/^ {2}failed: .*$/gm) ?? ['bench:hostile'])];
}
if (failures.length > 0) console.log(`\nFailed:\n${failures.map((name) => `  ${name.trim()}`).join('\n')}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

/**
 * @param {string[]} args
 * @param {Record<string, string>} environment
 * @returns {Promise<number | null>}
 */
function run(args, environment) {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  return new Promise((resolve) => child.once('close', resolve));
}

/**
 * Runs a program, prints its output and returns it.
 *
 * @param {string[]} args
 * @returns {Promise<{ text: string, code: number | null }>}
 */
function hear(args) {
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
    process.stdout.write(chunk);
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ text, code })));
}

/** @param {number | null} ended */
function readReport(ended) {
  try {
    return countTests(JSON.parse(readFileSync(report, 'utf8')), ended);
  } catch {
    return { passed: 0, failed: 1, failures: ['vitest gave no report'] };
  }
}
