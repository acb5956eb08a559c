import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './content-stamp.mjs';

const LOWEST_NODE = [20, 19];

/** Ends the process with one sentence when this Node is too old. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > LOWEST_NODE[0] || (major === LOWEST_NODE[0] && minor >= LOWEST_NODE[1])) return;
  console.error(
    `Isotherm needs Node ${LOWEST_NODE.join('.')} or newer; this is ${process.versions.node}. See https://nodejs.org.`,
  );
  process.exit(1);
}

/**
 * Installs what package-lock.json says, unless that has been done.
 * @param {ReturnType<typeof import('./terminal.mjs').createTerminal>} terminal
 */
export async function installPackages(terminal) {
  if (isInstalled(readPackages('package-lock.json'), readPackages('node_modules/.package-lock.json'))) return;
  const step = terminal.step('Installing packages');
  // No package that is used needs its install script. With NODE_ENV=production npm would leave out the build tools.
  await run('npm', [
    'ci',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--include=dev',
    '--loglevel=error',
  ]);
  step.done('Packages are installed');
}

/** @param {string} lockFile @returns {Record<string, { optional?: boolean, devOptional?: boolean }> | undefined} */
function readPackages(lockFile) {
  const path = join(ROOT, lockFile);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : undefined;
}

/**
 * npm notes in node_modules/.package-lock.json what it has installed; dates would say nothing, since every git
 * checkout changes them.
 */
export function isInstalled(wanted, present) {
  if (!wanted || !present) return false;
  const same = (name) => JSON.stringify(wanted[name]) === JSON.stringify(present[name]);
  const mayLack = (name) => name === '' || wanted[name].optional || wanted[name].devOptional;
  return (
    Object.keys(present).every(same) && Object.keys(wanted).every((name) => mayLack(name) || name in present)
  );
}

/**
 * Runs a command in the project; its output is shown only when it fails.
 * @param {string} command
 * @param {string[]} args
 */
export function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${[command, ...args].join(' ')} failed (${code})\n${output.trim()}`));
    });
  });
}
