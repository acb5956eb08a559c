import { spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { NativeBinaries } from './native-binaries.ts';
import type { RunMode } from './unprivileged.ts';

/** Environment of every program of PostgreSQL: nothing of the caller's locale or PG* variables. */
export function postgresEnvironment(binaries: NativeBinaries): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: '/', TZ: 'UTC', LC_ALL: 'C', LANG: 'C', ...binaries.environment };
}

/** Gives a file to the account that PostgreSQL runs as. */
export function giveTo(mode: RunMode, path: string): void {
  const { uid, gid } = mode.account;
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

/**
 * Makes the database files if there are none. They are made beside their place and moved there when whole, so
 * that a crash in the middle never leaves half a cluster.
 */
export async function ensureCluster(
  binaries: NativeBinaries,
  mode: RunMode,
  dataDir: string,
  user: string,
): Promise<void> {
  if (existsSync(join(dataDir, 'PG_VERSION'))) return;
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
    // The builtin provider sorts alike on every operating system and knows no locale of the host.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ]);
  rmSync(dataDir, { recursive: true, force: true });
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
