import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from './content-stamp.mjs';
import { installPackages, requireNode, run } from './install.mjs';
import { createTerminal } from './terminal.mjs';

/** @typedef {{ name: string, passed: boolean, findings: string }} Outcome */

const tool = (path, ...args) => run(process.execPath, [join(ROOT, 'node_modules', path), ...args]);

/** Each check returns outcomes; a tool that throws has failed, and its output is shown. */
const CHECKS = [
  { name: 'types', work: () => tool('typescript/bin/tsc', '-p', '.') },
  { name: 'lint', work: () => tool('@biomejs/biome/bin/biome', 'ci', '--colors=off', '.') },
  { name: 'dead-code', work: () => tool('knip/bin/knip.js', '--no-progress') },
];

/**
 * Runs all static checks and prints their findings.
 * @param {ReturnType<typeof createTerminal>} terminal
 * @returns {Promise<Outcome[]>}
 */
export async function runChecks(terminal) {
  const step = terminal.step('Checking types, style, dead code and guards');
  const outcomes = (await Promise.all([...CHECKS.map(runTool), runGuards()])).flat();
  step.done(`Ran ${outcomes.length} checks`);
  for (const { name, passed, findings } of outcomes) {
    terminal.line(`${passed ? '✔' : '✘'} ${name}`);
    if (!passed) terminal.line(findings.replace(/^/gm, '    '));
  }
  return outcomes;
}

async function runTool({ name, work }) {
  try {
    await work();
    return [{ name, passed: true, findings: '' }];
  } catch (error) {
    return [{ name, passed: false, findings: error.message }];
  }
}

async function runGuards() {
  try {
    const output = await run(process.execPath, ['--import', 'tsx', 'tools/guards.ts']);
    const findings = JSON.parse(output.trim().split('\n').at(-1));
    return Object.entries(findings).map(([name, lines]) => ({
      name,
      passed: lines.length === 0,
      findings: lines.join('\n'),
    }));
  } catch (error) {
    return [{ name: 'guards', passed: false, findings: error.message }];
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  requireNode();
  const terminal = createTerminal();
  await installPackages(terminal, 'everything');
  const outcomes = await runChecks(terminal);
  terminal.close();
  process.exitCode = outcomes.every(({ passed }) => passed) ? 0 : 1;
}
