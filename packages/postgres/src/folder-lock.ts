import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';

/** A live process works on the data folder already. `message` is a sentence for the operator. */
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

/** The folder under one name, whatever link led to it, and also before it exists. */
export function canonicalPath(folder: string): string {
  mkdirSync(dirname(folder), { recursive: true });
  try {
    return realpathSync(folder);
  } catch {
    return join(realpathSync(dirname(folder)), basename(folder));
  }
}

/** A short name that stands for the folder: socket paths may not exceed some 100 bytes. */
export function folderHash(folder: string): string {
  return createHash('sha256').update(canonicalPath(folder)).digest('hex').slice(0, 12);
}

/**
 * Reserves a data folder for this process, until `release()` or the process's end, however violent.
 * @throws {DataFolderInUseError} when a live process holds it.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  return process.platform === 'linux' ? lockByAbstractSocket(folder) : lockByFile(folder);
}

/** The kernel frees an abstract socket with its process, so such a lock cannot be stale. */
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

/** Elsewhere: a file with the holder's process id, void when that process is gone. */
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
