import { spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { NativeBinaries } from './native-binaries.ts';
import type { RunMode } from './unprivileged.ts';

/** Returns the environment for PostgreSQL's programs, without the caller's locale and PG* variables. */
export function postgresEnvironment(binaries: NativeBinaries): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: '/', TZ: 'UTC', LC_ALL: 'C', LANG: 'C', ...binaries.environment };
}

/** Makes the account of PostgreSQL the owner of a file. */
export function giveTo(mode: RunMode, path: string): void {
  const { uid, gid } = mode.account;
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

/**
 * Thrown if the folder is not empty but contains no database that can be started. `message` is for the
 * operator.
 */
export class IncompleteDatabaseError extends Error {
  constructor(folder: string, found: readonly string[]) {
    const names = found.slice(0, 5).join(', ');
    super(
      `The database folder ${folder} is not empty (${names}${found.length > 5 ? ', …' : ''}), but has no file PG_VERSION: ` +
        'a copy or a restore was not finished, or the folder is another one. Nothing was changed. ' +
        'Restore all of its files, or move the folder away to start with an empty database.',
    );
    this.name = 'IncompleteDatabaseError';
  }
}

/**
 * Creates the database files if there are none. They are created in another folder and moved when complete,
 * so that a crash never leaves an incomplete database. A folder that is not empty is never replaced.
 * @throws {IncompleteDatabaseError} if it is not empty and contains no database.
 */
export async function ensureCluster(
  binaries: NativeBinaries,
  mode: RunMode,
  dataDir: string,
  user: string,
): Promise<void> {
  if (existsSync(join(dataDir, 'PG_VERSION'))) return;
  const found = existsSync(dataDir) ? readdirSync(dataDir) : [];
  if (found.length > 0) throw new IncompleteDatabaseError(dataDir, found);
  const unfinished = `${dataDir}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  giveTo(mode, unfinished);
  await run(binaries, mode, 'initdb', [
    '-D',
    unfinished,
    '-U',
    user,
    '-E',
    'UTF8',
    '--auth=trust',
    '--no-instructions',
    // The builtin locale provider sorts in the same way on every operating system, whatever the locale of
    // the host is.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ]);
  if (existsSync(dataDir)) rmdirSync(dataDir);
  renameSync(unfinished, dataDir);
}

async function run(binaries: NativeBinaries, mode: RunMode, program: string, args: string[]): Promise<void> {
  const [command = '', ...words] = [...mode.prefix, join(binaries.folder, 'bin', program), ...args];
  const child = spawn(command, words, {
    ...mode.account,
    cwd: '/',
    env: postgresEnvironment(binaries),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${program} failed: ${complaint.trim()}`);
}
