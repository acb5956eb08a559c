import { randomBytes } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DataFolderInUseError, type FolderLock, lockFolder } from '@isotherm/postgres/folder-lock';
import { OperatorError } from './settings.ts';

const LOG_KEPT_BYTES = 32 * 1024 * 1024;

/** The data folder of an installation. Only one running Isotherm can use it at a time. */
export interface DataFolder {
  path: string;
  databaseFolder: string;
  logFile(program: string): string;
  /** Returns the content of a file with 64 random hexadecimal digits, which is created at the first call. */
  secretFile(name: string): string;
  /** Truncates large log files and keeps one older copy of each. */
  trimLogs(): void;
  release(): Promise<void>;
}

/**
 * Opens the data folder.
 * @throws {OperatorError} if another running Isotherm uses the folder, or if it cannot be created.
 */
export async function openDataFolder(path: string): Promise<DataFolder> {
  try {
    mkdirSync(join(path, 'logs'), { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new OperatorError(
      `The data folder ${path} cannot be made (${(cause as Error).message}). Choose another one: ISOTHERM_DATA=<folder> npm start`,
      { cause },
    );
  }
  const lock = await reserve(path);
  const logs = new Set<string>();
  return {
    path,
    databaseFolder: join(path, 'postgres'),
    logFile(program) {
      const file = join(path, 'logs', `${program}.log`);
      logs.add(file);
      return file;
    },
    secretFile: (name) => ensureSecret(join(path, name)),
    trimLogs: () => {
      for (const file of logs) trim(file);
    },
    release: () => lock.release(),
  };
}

async function reserve(path: string): Promise<FolderLock> {
  try {
    return await lockFolder(path);
  } catch (cause) {
    if (!(cause instanceof DataFolderInUseError)) throw cause;
    throw new OperatorError(
      `${cause.message} Stop that one first, or choose another folder: ISOTHERM_DATA=<folder> PORT=<port> MQTT_PORT=<port> ISOTHERM_TCP_PORT=<port> FLEET_PORT=<port> npm start`,
      { cause },
    );
  }
}

function ensureSecret(file: string): string {
  if (!existsSync(file)) writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  return file;
}

export function readSecret(file: string): string {
  const secret = readFileSync(file, 'utf8').trim();
  if (secret.length < 32)
    throw new OperatorError(`${file} holds no secret of 32 characters or more. Restore it from a backup.`);
  return secret;
}

/** Truncates a log file. Its writers append, so they continue in the truncated file. */
function trim(file: string): void {
  if (!existsSync(file) || statSync(file).size < LOG_KEPT_BYTES) return;
  copyFileSync(file, `${file}.1`);
  truncateSync(file);
}
