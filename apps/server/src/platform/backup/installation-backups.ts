import {
  getInstallationBackups,
  type InstallationBackup,
  startInstallationBackup,
} from '@isotherm/contracts/backups';
import { AppError } from '@isotherm/contracts/errors';
import type pg from 'pg';
import type { Audit } from '../audit/audit.ts';
import type { Clock } from '../clock.ts';
import { transaction } from '../db/pool.ts';
import type { Mount } from '../http/mount.ts';
import { addTask } from '../jobs/jobs.ts';
import {
  endInterrupted,
  forgetOldest,
  type InstallationBackupRow,
  insertAsked,
  insertNightly,
  listInstallationBackups,
  noteBegun,
  noteFailed,
  noteWritten,
} from './installation-backups.repo.ts';

/** Task that makes a backup which a person asked for. */
export const BACKUP_TASK = 'installation-backup';
const LISTED = 10;
const KEPT = 100;
/** Longest stored part of a message. */
const MESSAGE_LENGTH = 500;

/** Backups of the installation, as operators see them. */
export interface BackupHistory {
  /** Notes a nightly backup; returns its id. */
  begin(): Promise<number>;
  /** Notes that it is being written; the caller holds the lock of the writer. */
  begun(id: number): Promise<void>;
  written(id: number, file: { fileName: string; bytes: number; verified: boolean }): Promise<void>;
  failed(id: number, error: Error): Promise<void>;
}

export function createBackupHistory(pool: pg.Pool, clock: Clock): BackupHistory {
  const now = () => new Date(clock.now());
  return {
    async begin() {
      await endInterrupted(pool, now());
      await forgetOldest(pool, KEPT);
      return insertNightly(pool, now());
    },
    begun: (id) => noteBegun(pool, id, now()),
    written: (id, file) => noteWritten(pool, id, file, now()),
    failed: (id, error) => noteFailed(pool, id, error.message.slice(0, MESSAGE_LENGTH), now()),
  };
}

/** Mounts the routes of operators: the last backups of the installation, and one more now. */
export function mountInstallationBackups(
  mount: Mount,
  parts: {
    pool: pg.Pool;
    audit: Pick<Audit, 'record'>;
    clock: Clock;
    /** Number of backups that are kept; 0 if none are made. */
    keep: number;
  },
): void {
  const { pool, audit, clock, keep } = parts;
  mount(getInstallationBackups, async () => {
    await endInterrupted(pool, new Date(clock.now()));
    return { keep, items: (await listInstallationBackups(pool, LISTED)).map(viewOf) };
  });
  mount(startInstallationBackup, async ({ caller }) => {
    if (keep === 0) throw new AppError('installation_backup.off');
    const at = new Date(clock.now());
    await endInterrupted(pool, at);
    return transaction(pool, async (tx) => {
      const id = await insertAsked(tx, caller.username, at);
      if (id === null) throw new AppError('installation_backup.running');
      await addTask(tx, BACKUP_TASK, { id }, { key: `${BACKUP_TASK}:${id}`, maxAttempts: 1 });
      await audit.record(tx, caller, {
        action: 'create',
        objectKind: 'installation-backup',
        objectId: id,
        objectName: '',
        organizationPath: caller.scope,
      });
      return null;
    });
  });
}

function viewOf({ startedAt, endedAt, verifiedAt, ...row }: InstallationBackupRow): InstallationBackup {
  return {
    ...row,
    startedAt: startedAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
    verifiedAt: verifiedAt?.toISOString() ?? null,
  };
}
