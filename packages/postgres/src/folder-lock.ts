import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';

/** Thrown if a living process uses the data folder. `message` is a sentence for the operator. */
export class DataFolderInUseError extends Error {
  readonly folder: string;

  constructor(folder: string, options?: ErrorOptions) {
    super(`The data folder ${folder} is in use by another running Isotherm.`, options);
    this.name = 'DataFolderInUseError';
    this.folder = folder;
  }
}

export interface FolderLock {
  release(): Promise<void>;
}

/** Returns the canonical path of the folder with links resolved, also before the folder exists. */
export function canonicalPath(folder: string): string {
  mkdirSync(dirname(folder), { recursive: true });
  try {
    return realpathSync(folder);
  } catch {
    return join(realpathSync(dirname(folder)), basename(folder));
  }
}

/** Returns a short hash of the folder, because socket paths are limited to about 100 bytes. */
export function folderHash(folder: string): string {
  return createHash('sha256').update(canonicalPath(folder)).digest('hex').slice(0, 12);
}

/**
 * Locks a data folder for this process, until `release()` or the end of the process, even by SIGKILL.
 * @throws {DataFolderInUseError} if a living process has locked it.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  return process.platform === 'linux' ? lockByAbstractSocket(folder) : lockByFile(folder);
}

/**
 * Locks by an abstract socket. The kernel frees it when its process ends, so that the lock cannot be stale.
 */
async function lockByAbstractSocket(folder: string): Promise<FolderLock> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(cause.code === 'EADDRINUSE' ? new DataFolderInUseError(folder, { cause }) : cause);
    });
    server.listen(`\0isotherm-${folderHash(folder)}`, resolve);
  });
  server.unref();
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

/**
 * Locks by a file with the process id, on other systems than Linux. The lock is invalid when that process
 * has ended.
 */
async function lockByFile(folder: string): Promise<FolderLock> {
  const file = `${canonicalPath(folder)}.lock`;
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx', mode: 0o600 });
      return { release: async () => rmSync(file, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (isAlive(Number(readFileSync(file, 'utf8')))) throw new DataFolderInUseError(folder);
      rmSync(file, { force: true });
    }
  }
  throw new DataFolderInUseError(folder);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
