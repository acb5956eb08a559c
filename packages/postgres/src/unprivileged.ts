import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** How PostgreSQL is started. It refuses to run as root. */
export interface RunMode {
  kind: 'direct' | 'user-namespace' | 'other-account';
  /** Command and arguments that precede PostgreSQL's own commands. */
  prefix: string[];
  /** Account of PostgreSQL's processes; empty for the current one. */
  account: { uid?: number; gid?: number };
  /** Owner of the database files, as this process sees it. */
  owner: number;
}

const NOBODY = '65534';
/**
 * A user namespace with one entry: PostgreSQL sees an unprivileged uid while the kernel uses root. So files
 * belong to root, folders that only root may open (/root) work, and no account must be created.
 */
const NAMESPACE = ['unshare', '-U', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--'];

export interface RunModeOptions {
  /** False if user namespaces are forbidden (as in Docker's default seccomp profile). */
  allowNamespace?: boolean;
}

/**
 * Decides how to run PostgreSQL on `dataDir`. For an existing database, the owner of its files determines
 * the mode.
 * @throws {Error} for root if there is no unprivileged way; the message says what to change.
 */
export function chooseRunMode(binaries: string, dataDir: string, options: RunModeOptions = {}): RunMode {
  const self = process.getuid?.() ?? 0;
  if (process.platform === 'win32' || self !== 0)
    return { kind: 'direct', prefix: [], account: {}, owner: self };
  const owner = existsSync(dataDir) ? statSync(dataDir).uid : 0;
  if (owner === 0 && options.allowNamespace !== false && namespacesWork(binaries))
    return { kind: 'user-namespace', prefix: NAMESPACE, account: {}, owner: 0 };
  return otherAccount(binaries, dataDir, owner);
}

function namespacesWork(binaries: string): boolean {
  const [command = '', ...args] = [...NAMESPACE, join(binaries, 'bin', 'postgres'), '--version'];
  return spawnSync(command, args, { timeout: 5_000, stdio: 'ignore' }).status === 0;
}

function otherAccount(binaries: string, dataDir: string, owner: number): RunMode {
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
  const account =
    accounts.find((candidate) => owner !== 0 && candidate.uid === owner) ??
    accounts.find((candidate) => candidate.name === 'postgres') ??
    accounts.find((candidate) => candidate.name === 'nobody');
  if (!account)
    throw new Error(
      'Running as root, and there is no account "postgres" or "nobody" that PostgreSQL could run as. ' +
        'Start as another user, or set DATABASE_URL.',
    );
  openForTraversal(dirname(dataDir));
  for (const folder of [join(binaries, 'bin'), dirname(dataDir)]) {
    const barrier = firstBarrier(folder, account.uid);
    if (barrier)
      throw new Error(
        `Running as root without user namespaces, and the account "${account.name}" that PostgreSQL must run ` +
          `as cannot enter ${barrier}. Move the project and its data folder out of it, start as another ` +
          'user, or set DATABASE_URL.',
      );
  }
  return {
    kind: 'other-account',
    prefix: [],
    account: { uid: account.uid, gid: account.gid },
    owner: account.uid,
  };
}

/** Allows other accounts to traverse our own folder, but not to list or read it. */
function openForTraversal(folder: string): void {
  if (!existsSync(folder)) return;
  const { mode, uid } = statSync(folder);
  if (uid === process.getuid?.() && !(mode & 0o001)) chmodSync(folder, (mode & 0o777) | 0o011);
}

/** Returns the first folder on the path to `folder` that `uid`, without group memberships, may not enter. */
function firstBarrier(folder: string, uid: number): string | undefined {
  const parent = dirname(folder);
  const above = parent === folder ? undefined : firstBarrier(parent, uid);
  if (above || !existsSync(folder)) return above;
  const found = statSync(folder);
  return found.uid === uid || found.mode & 0o001 ? undefined : folder;
}
