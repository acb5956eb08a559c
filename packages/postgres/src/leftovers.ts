import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ASK_AGAIN_MS = 50;
const INSIST_AFTER_MS = 10_000;
const GIVE_UP_AFTER_MS = 30_000;

/**
 * Cleans up after PostgreSQL was killed. The caller must have locked the folder. It ends orphaned processes,
 * then removes the pid file and the socket lock. PostgreSQL itself refuses to start if the pid in one of
 * these files belongs to any living process, which is common after a reboot or in a container.
 */
export async function clearLeftovers(dataDir: string, socketFile: string): Promise<void> {
  // Without /proc, orphaned processes cannot be identified, so only PostgreSQL's own checks apply.
  if (process.platform !== 'linux') return;
  await endOrphans(dataDir);
  rmSync(join(dataDir, 'postmaster.pid'), { force: true });
  rmSync(`${socketFile}.lock`, { force: true });
  rmSync(socketFile, { force: true });
}

async function endOrphans(dataDir: string): Promise<void> {
  const start = Date.now();
  let asked = false;
  for (;;) {
    const orphans = postgresProcessesIn(dataDir);
    if (orphans.length === 0) return;
    const waited = Date.now() - start;
    if (waited > GIVE_UP_AFTER_MS)
      throw new Error(`PostgreSQL processes ${orphans.join(', ')} do not leave ${dataDir}.`);
    const postmaster = readPostmasterPid(dataDir);
    if (waited > INSIST_AFTER_MS) for (const pid of orphans) signal(pid, 'SIGQUIT');
    else if (!asked && postmaster && orphans.includes(postmaster)) signal(postmaster, 'SIGINT');
    // The backend processes of a dead postmaster end by themselves.
    asked = true;
    await sleep(ASK_AGAIN_MS);
  }
}

/**
 * Returns the PostgreSQL processes of a data folder. Each of them has the folder as its working directory.
 */
export function postgresProcessesIn(dataDir: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => linkOf(`/proc/${pid}/cwd`) === dataDir)
    .filter((pid) => basename(linkOf(`/proc/${pid}/exe`) ?? '').startsWith('postgres'))
    .map(Number);
}

function linkOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined; // The process has ended in the meantime, is a zombie, or belongs to another user.
  }
}

/**
 * Returns the pid in the file; undefined if the file does not exist. A postmaster that is ending may remove
 * it at any time.
 */
function readPostmasterPid(dataDir: string): number | undefined {
  try {
    return Number(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
