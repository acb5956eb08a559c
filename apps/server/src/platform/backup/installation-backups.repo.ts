import { LOCK_KEYS } from '../db/lock-keys.ts';
import type { Db, Tx } from '../db/pool.ts';

export interface InstallationBackupRow {
  id: number;
  startedAt: Date;
  startedBy: string;
  endedAt: Date | null;
  fileName: string | null;
  bytes: number | null;
  verifiedAt: Date | null;
  error: string | null;
}

const COLUMNS = `id::float8 as id, started_at as "startedAt", started_by as "startedBy", ended_at as "endedAt",
  file_name as "fileName", bytes::float8 as bytes, verified_at as "verifiedAt", error`;
/**
 * Nobody holds the lock of the process that writes a backup. This reads `pg_locks` and does not try the lock, because trying would
 * make a writer fail that begins at that moment.
 */
const NOBODY_WRITES = `not exists (
  select from pg_locks
   where locktype = 'advisory' and granted and ((classid::bigint << 32) | objid::bigint) = ${LOCK_KEYS.installationBackupWriter}
     and database = (select oid from pg_database where datname = current_database()))`;

export async function listInstallationBackups(db: Db, most: number): Promise<InstallationBackupRow[]> {
  const { rows } = await db.query<InstallationBackupRow>(
    `select ${COLUMNS} from installation_backup order by id desc limit $1`,
    [most],
  );
  return rows;
}

/** Notes that a person has asked for a backup. Returns its id; null if one is being made. */
export async function insertAsked(tx: Tx, by: string, at: Date): Promise<number | null> {
  await tx.query('select pg_advisory_xact_lock($1)', [LOCK_KEYS.installationBackup]);
  const { rows } = await tx.query<{ id: number }>(
    `insert into installation_backup (started_at, started_by)
     select $1, $2 where not exists (select from installation_backup where ended_at is null)
     returning id::float8 as id`,
    [at, by],
  );
  return rows[0]?.id ?? null;
}

/** Notes a nightly backup. */
export async function insertNightly(db: Db, at: Date): Promise<number> {
  const { rows } = await db.query<{ id: number }>(
    'insert into installation_backup (started_at) values ($1) returning id::float8 as id',
    [at],
  );
  return (rows[0] as { id: number }).id;
}

/** Notes that a backup is being written. Called by the process that holds the lock for it. */
export async function noteBegun(db: Db, id: number, at: Date): Promise<void> {
  await db.query('update installation_backup set begun_at = $2 where id = $1', [id, at]);
}

/** Notes backups whose process has died as failed, and those that no worker took within 12 hours. */
export async function endInterrupted(db: Db, at: Date): Promise<void> {
  await db.query(
    `update installation_backup set ended_at = $1, error = 'interrupted'
      where ended_at is null
        and (begun_at is not null and ${NOBODY_WRITES} or begun_at is null and started_at < $1::timestamptz - interval '12 hours')`,
    [at],
  );
}

export async function noteWritten(
  db: Db,
  id: number,
  file: { fileName: string; bytes: number; verified: boolean },
  at: Date,
): Promise<void> {
  await db.query(
    `update installation_backup set ended_at = $4, file_name = $2, bytes = $3, verified_at = case when $5 then $4::timestamptz end
      where id = $1`,
    [id, file.fileName, file.bytes, at, file.verified],
  );
}

export async function noteFailed(db: Db, id: number, error: string, at: Date): Promise<void> {
  await db.query('update installation_backup set ended_at = $3, error = $2 where id = $1', [id, error, at]);
}

/** Forgets all but the last backups. */
export async function forgetOldest(db: Db, keep: number): Promise<void> {
  await db.query(
    `delete from installation_backup
      where id < (select min(id) from (select id from installation_backup order by id desc limit $1) as kept)`,
    [keep],
  );
}
