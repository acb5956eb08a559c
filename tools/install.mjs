import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './content-stamp.mjs';

const LOWEST_NODE = [20, 19];

/** Ends the process with a message if this Node is too old. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > LOWEST_NODE[0] || (major === LOWEST_NODE[0] && minor >= LOWEST_NODE[1])) return;
  console.error(
    `Isotherm needs Node ${LOWEST_NODE.join('.')} or newer; this is ${process.versions.node}. See https://nodejs.org.`,
  );
  process.exit(1);
}

/**
 * Installs the packages of package-lock.json unless that has been done: for `npm start` only those for
 * building and running, which are less than half; for tests and development all.
 * @param {ReturnType<typeof import('./terminal.mjs').createTerminal>} terminal
 * @param {'to run' | 'everything'} extent
 */
export async function installPackages(terminal, extent) {
  const everything = extent === 'everything' || existsSync(join(ROOT, 'node_modules/vitest'));
  const wanted = readPackages('package-lock.json');
  if (isInstalled(wanted, readPackages('node_modules/.package-lock.json'), everything)) return;
  const step = terminal.step('Installing packages');
  // `npm install` is used instead of `npm ci`, because it completes an existing installation instead of
  // deleting it. No package needs its install script.
  await run('npm', [
    'install',
    '--no-save',
    '--ignore-scripts',
    everything ? '--include=dev' : '--omit=dev',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]);
  step.done('Packages are installed');
}

/** @param {string} lockFile @returns {Record<string, { dev?: boolean, optional?: boolean, devOptional?: boolean }> | undefined} */
function readPackages(lockFile) {
  const path = join(ROOT, lockFile);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : undefined;
}

/**
 * Returns whether all wanted packages are installed. npm lists the installed packages in
 * node_modules/.package-lock.json; dates cannot be used, since every git checkout changes them. Binaries of
 * other platforms are missing there.
 */
export function isInstalled(wanted, present, everything) {
  if (!wanted || !present) return false;
  const needed = Object.entries(wanted).filter(
    ([name, entry]) => name !== '' && !entry.optional && !entry.devOptional && (everything || !entry.dev),
  );
  const as = (name) => JSON.stringify(wanted[name]) === JSON.stringify(present[name]);
  return (
    needed.every(([name]) => name in present) &&
    Object.entries(present).every(([name, entry]) => (name in wanted ? as(name) : entry.optional))
  );
}

/**
 * Runs a command in the project; its output is shown only if it fails.
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
