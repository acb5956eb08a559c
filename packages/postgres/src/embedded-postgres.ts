import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureCluster, giveTo, postgresEnvironment } from './cluster.ts';
import { canonicalPath, type FolderLock, folderHash, lockFolder } from './folder-lock.ts';
import { clearLeftovers } from './leftovers.ts';
import { findNativeBinaries, type NativeBinaries } from './native-binaries.ts';
import { makePrivateFolder } from './private-folder.ts';
import { INGEST_SETTINGS, type PostgresSettings } from './settings.ts';
import { chooseRunMode, type RunMode, type RunModeOptions } from './unprivileged.ts';

export interface EmbeddedPostgresOptions extends RunModeOptions {
  /** Folder of the database files. It is created if it is missing, with its parent folder. */
  dataDir: string;
  /** File to which PostgreSQL appends its own log. */
  logFile: string;
  /** Settings that override {@link INGEST_SETTINGS}. */
  settings?: PostgresSettings;
  /** Called when PostgreSQL ended without `stop`, so that it can be restarted. */
  onExit?: (code: number | null, signal: NodeJS.Signals | null) => void;
}

export interface Connection {
  /** Folder of the Unix socket; `pg` accepts a path as host. */
  host: string;
  port: number;
  user: string;
  database: string;
}

export interface EmbeddedPostgres {
  /**
   * Connection string for `pg`. Its `host` parameter is the folder of the socket; it overrides `localhost`,
   * which is only there to make the URL valid.
   */
  connectionString: string;
  connection: Connection;
  pid: number;
  /**
   * Stops PostgreSQL. SIGINT (default) is a fast, clean shutdown; SIGQUIT is immediate, with recovery at the
   * next start.
   */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** The port is only a part of the socket's file name; no TCP port is opened. */
const PORT = 5432;
const USER = 'app';
const DATABASE = 'postgres';
const READY_WITHIN_MS = 600_000;
const HASTEN_AFTER_MS = 3_500;
const LOG_KEPT_BYTES = 16 * 1024 * 1024;

/**
 * Starts PostgreSQL on `dataDir` and resolves when it accepts connections (after recovery, if needed). It is
 * reachable only over a Unix socket in a folder of mode 0700, whose path depends only on `dataDir`, so that
 * a connection string stays valid after restarts. It must be called from the main thread: the death signal
 * that ends PostgreSQL with its parent belongs to the thread.
 *
 * @throws {DataFolderInUseError} if a living process runs PostgreSQL on `dataDir`.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = canonicalPath(options.dataDir);
  const lock = await lockFolder(dataDir);
  try {
    return await startLocked({ ...options, dataDir }, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function startLocked(options: EmbeddedPostgresOptions, lock: FolderLock): Promise<EmbeddedPostgres> {
  const { dataDir, logFile } = options;
  const binaries = findNativeBinaries();
  const mode = chooseRunMode(binaries.folder, dataDir, options);
  const socketDir = join(shortTemporaryFolder(), `isotherm-${mode.owner}-${folderHash(dataDir)}`);
  makePrivateFolder(socketDir, mode.owner);
  giveTo(mode, socketDir);
  await ensureCluster(binaries, mode, dataDir, USER);
  await clearLeftovers(dataDir, join(socketDir, `.s.PGSQL.${PORT}`));

  const child = launch(binaries, mode, options, socketDir);
  const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await ready(child, dataDir, logFile);
  let stopping = false;
  child.once('exit', (code, signal) => {
    void lock.release().then(() => {
      if (!stopping) options.onExit?.(code, signal);
    });
  });
  if (child.exitCode !== null || child.signalCode !== null) throw earlyExit(child, logFile);

  return {
    connectionString: `postgres://${USER}@localhost/${DATABASE}?host=${encodeURIComponent(socketDir)}&port=${PORT}`,
    connection: { host: socketDir, port: PORT, user: USER, database: DATABASE },
    pid: child.pid ?? 0,
    async stop(signal = 'SIGINT') {
      stopping = true;
      child.kill(signal);
      const hasten = setTimeout(() => child.kill('SIGQUIT'), HASTEN_AFTER_MS);
      await exit;
      clearTimeout(hasten);
      rmSync(socketDir, { recursive: true, force: true });
      await lock.release();
    },
  };
}

/**
 * Returns a short temporary folder, because the path of a socket is limited to 107 bytes, whatever TMPDIR
 * is.
 */
function shortTemporaryFolder(): string {
  return tmpdir().length < 50 ? tmpdir() : '/tmp';
}

function launch(
  binaries: NativeBinaries,
  mode: RunMode,
  options: EmbeddedPostgresOptions,
  socketDir: string,
): ChildProcess {
  const settings: PostgresSettings = {
    ...INGEST_SETTINGS,
    ...options.settings,
    listen_addresses: '',
    unix_socket_directories: socketDir,
    unix_socket_permissions: '0700',
  };
  const [command = '', ...args] = [
    ...mode.prefix,
    ...endsWithParent(),
    join(binaries.folder, 'bin', 'postgres'),
    '-D',
    options.dataDir,
    '-p',
    String(PORT),
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  const log = openLog(options.logFile);
  try {
    return spawn(command, args, {
      ...mode.account,
      cwd: '/',
      env: postgresEnvironment(binaries),
      stdio: ['ignore', log, log],
      // PostgreSQL gets its own process group, because Ctrl-C must not reach it before the server has
      // finished its open work.
      detached: true,
    });
  } finally {
    closeSync(log);
  }
}

/** Returns a command prefix that makes the kernel send SIGINT (a fast shutdown) when the parent is killed. */
function endsWithParent(): string[] {
  if (process.platform !== 'linux') return [];
  const works = spawnSync('setpriv', ['--pdeathsig', 'INT', 'true'], { stdio: 'ignore' }).status === 0;
  return works ? ['setpriv', '--pdeathsig', 'INT', '--'] : [];
}

function openLog(file: string): number {
  if (existsSync(file) && statSync(file).size > LOG_KEPT_BYTES) renameSync(file, `${file}.1`);
  return openSync(file, 'a', 0o600);
}

/**
 * Waits until connections are accepted: line 8 of postmaster.pid is then `ready`. `pg_ctl -w` waits for the
 * same.
 */
async function ready(child: ChildProcess, dataDir: string, logFile: string): Promise<void> {
  let failure: Error | undefined;
  child.once('error', (error) => {
    failure = error;
  });
  const start = Date.now();
  while (statusOf(dataDir, child.pid) !== 'ready') {
    if (failure) throw failure;
    if (child.exitCode !== null || child.signalCode !== null) throw earlyExit(child, logFile);
    if (Date.now() - start > READY_WITHIN_MS) {
      child.kill('SIGQUIT');
      throw new Error(`PostgreSQL was not ready within ${READY_WITHIN_MS / 60_000} minutes; see ${logFile}`);
    }
    await sleep(10);
  }
}

function statusOf(dataDir: string, pid: number | undefined): string | undefined {
  try {
    const lines = readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n');
    return Number(lines[0]) === pid ? lines[7]?.trim() : undefined;
  } catch {
    return undefined; // The file is not written yet.
  }
}

function earlyExit(child: ChildProcess, logFile: string): Error {
  return new Error(
    `PostgreSQL ended while starting (${child.exitCode ?? child.signalCode}). ${lastLines(logFile)}`.trim(),
  );
}

function lastLines(logFile: string): string {
  return readFileSync(logFile, 'utf8').trim().split('\n').slice(-5).join('\n');
}
