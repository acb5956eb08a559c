import type { ReleaseState } from '@isotherm/domain/devices/release';
import type { Language } from '@isotherm/i18n/languages';
import type { Db, Tx } from '../../../platform/db/pool.ts';

const OPEN = `('archiving', 'archived', 'announced')`;

/** Returns whether any release is open, for the regular look of many processes. */
export async function isAnyRelease(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>({
    name: 'device-release-look',
    text: `select exists (select from device_release where state in ${OPEN}) as found`,
  });
  return rows[0]?.found === true;
}

export interface Candidate {
  deviceId: number;
  organizationId: number;
  number: string;
  name: string;
  expiredAt: Date;
}

/** Locks devices that expired before a moment and whose data were not released since, the earliest expiry first. */
export async function claimCandidates(tx: Tx, expiredBefore: Date, most: number): Promise<Candidate[]> {
  const { rows } = await tx.query<Candidate>(
    `select d.id::float8 as "deviceId", d.organization_id::float8 as "organizationId", d.number, d.name,
            d.expires_at as "expiredAt"
       from device d
      where d.expires_at <= $1 and d.removed_at is null
        and not exists (select from device_release r where r.device_id = d.id
                         and (r.expired_at = d.expires_at or r.state in ${OPEN}))
      order by d.expires_at, d.id limit $2 for no key update of d skip locked`,
    [expiredBefore, most],
  );
  return rows;
}

/** Begins releases; their archives are due. */
export async function insertReleases(tx: Tx, devices: readonly Candidate[], at: Date): Promise<void> {
  await tx.query(
    `insert into device_release (device_id, organization_id, expired_at, begun_at, due_at)
     select "deviceId", "organizationId", "expiredAt", $2, $2
       from jsonb_to_recordset($1::jsonb) as d("deviceId" bigint, "organizationId" bigint, "expiredAt" timestamptz)`,
    [JSON.stringify(devices), at],
  );
}

export async function noteJob(tx: Tx, id: number, jobId: number): Promise<void> {
  await tx.query(
    'update device_release set job_id = $2, attempts = attempts + 1, due_at = null where id = $1',
    [id, jobId],
  );
}

export interface OpenRelease {
  id: number;
  deviceId: number;
  number: string;
  name: string;
  organizationId: number;
  organizationPath: string;
  jobId: number | null;
  attempts: number;
  state: ReleaseState;
  expiredAt: Date;
  /** Present expiry of the device. */
  expiresAt: Date | null;
  isRemoved: boolean;
  dueAt: Date | null;
}

const OPEN_COLUMNS = `r.id::float8 as id, r.device_id::float8 as "deviceId", d.number, d.name,
  r.organization_id::float8 as "organizationId", o.path as "organizationPath", r.job_id::float8 as "jobId", r.attempts, r.state,
  r.expired_at as "expiredAt", d.expires_at as "expiresAt", d.removed_at is not null as "isRemoved", r.due_at as "dueAt"`;
const OPEN_FROM = `from device_release r join device d on d.id = r.device_id join organization o on o.id = r.organization_id`;

/** Claims a release whose device was renewed or removed; null if there is none. */
export async function claimRenewed(tx: Tx, expiredBefore: Date): Promise<OpenRelease | null> {
  const { rows } = await tx.query<OpenRelease>(
    `select ${OPEN_COLUMNS} ${OPEN_FROM}
      where r.state in ${OPEN}
        and (d.expires_at is distinct from r.expired_at or d.removed_at is not null or r.expired_at > $1)
      order by r.id limit 1 for update of r skip locked`,
    [expiredBefore],
  );
  return rows[0] ?? null;
}

export async function cancelRelease(tx: Tx, id: number, at: Date): Promise<void> {
  await tx.query(
    `update device_release set state = 'cancelled', due_at = null, ended_at = $2 where id = $1`,
    [id, at],
  );
}

export interface ArchiveEnd extends OpenRelease {
  jobState: 'done' | 'failed' | 'cancelled' | null;
  fileName: string | null;
  hash: string | null;
  bytes: number | null;
  fileExpiresAt: Date | null;
}

/**
 * Claims a release whose archive has ended, or whose archive is due while fewer than `most` are being written; null if there
 * is none.
 */
export async function claimArchived(tx: Tx, now: Date, most: number): Promise<ArchiveEnd | null> {
  const { rows } = await tx.query<ArchiveEnd>(
    `select ${OPEN_COLUMNS}, j.state as "jobState", j.file_name as "fileName", j.file_hash as hash,
            j.file_bytes::float8 as bytes, j.expires_at as "fileExpiresAt"
       ${OPEN_FROM} left join job j on j.id = r.job_id
      where r.state = 'archiving'
        and case when r.due_at is null then j.id is null or j.state in ('done', 'failed', 'cancelled')
                 else r.due_at <= $1 and $2 > (select count(*) from device_release w
                                                where w.state = 'archiving' and w.due_at is null) end
      order by r.id limit 1 for update of r skip locked`,
    [now, most],
  );
  return rows[0] ?? null;
}

export async function noteArchived(
  tx: Tx,
  id: number,
  file: { fileName: string; hash: string; bytes: number; fileExpiresAt: Date },
): Promise<void> {
  await tx.query(
    `update device_release set state = 'archived', due_at = null, file_name = $2, file_hash = $3, file_bytes = $4,
            file_expires_at = $5
      where id = $1`,
    [id, file.fileName, file.hash, file.bytes, file.fileExpiresAt],
  );
}

/** Returns to the first state: the archive is written again at a time. */
export async function retryArchive(tx: Tx, id: number, at: Date): Promise<void> {
  await tx.query(`update device_release set state = 'archiving', job_id = null, due_at = $2 where id = $1`, [
    id,
    at,
  ]);
}

/** Claims all releases of one organisation that it was not told of; empty if there are none. */
export async function claimUntold(tx: Tx): Promise<OpenRelease[]> {
  const { rows } = await tx.query<OpenRelease>(
    `select ${OPEN_COLUMNS} ${OPEN_FROM}
      where r.state = 'archived'
        -- Devices that expired together are told of together.
        and r.organization_id = (
          select a.organization_id from device_release a
           where a.state = 'archived'
             and not exists (select from device_release w
                              where w.organization_id = a.organization_id and w.state = 'archiving' and w.attempts <= 1)
           order by a.id limit 1)
      order by d.number for update of r skip locked`,
  );
  return rows;
}

export async function noteAnnounced(tx: Tx, ids: readonly number[], releaseAt: Date): Promise<void> {
  await tx.query(`update device_release set state = 'announced', due_at = $2 where id = any($1)`, [
    ids,
    releaseAt,
  ]);
}

/** Claims a release whose grace period has ended; null if there is none. */
export async function claimDueRelease(tx: Tx, now: Date): Promise<OpenRelease | null> {
  const { rows } = await tx.query<OpenRelease>(
    `select ${OPEN_COLUMNS} ${OPEN_FROM} where r.state = 'announced' and r.due_at <= $1
      order by r.due_at, r.id limit 1 for update of r skip locked`,
    [now],
  );
  return rows[0] ?? null;
}

/** Locks a device against renewal until the end of the transaction; returns its expiry and channels. */
export async function lockDevice(
  tx: Tx,
  deviceId: number,
): Promise<{ expiresAt: Date | null; isRemoved: boolean; channelIds: number[] } | null> {
  const { rows } = await tx.query<{ expiresAt: Date | null; isRemoved: boolean; channelIds: number[] }>(
    `select d.expires_at as "expiresAt", d.removed_at is not null as "isRemoved",
            array(select c.id from channel c where c.device_id = d.id order by c.id) as "channelIds"
       from device d where d.id = $1 for no key update`,
    [deviceId],
  );
  return rows[0] ?? null;
}

/** Whether the file of a job still exists. */
export async function isFileThere(tx: Tx, jobId: number | null, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select from job j join stored_file f on f.key = j.file_key where j.id = $1 and j.state = 'done' and j.expires_at > $2`,
    [jobId, now],
  );
  return rowCount === 1;
}

export async function noteReleased(tx: Tx, id: number, readings: number, at: Date): Promise<void> {
  await tx.query(
    `update device_release set state = 'released', due_at = null, readings = $2, ended_at = $3 where id = $1`,
    [id, readings, at],
  );
}

/** The language that most accounts of an organisation use, and its time zone. */
export async function findTongue(
  db: Db,
  organizationId: number,
): Promise<{ language: Language | null; timeZone: string; name: string }> {
  const { rows } = await db.query<{ language: Language | null; timeZone: string; name: string }>(
    `select o.name, o.time_zone as "timeZone",
            (select mode() within group (order by a.language) from account a where a.organization_id = o.id) as language
       from organization o where o.id = $1`,
    [organizationId],
  );
  return rows[0] as { language: Language | null; timeZone: string; name: string };
}

/** Returns the job of the newest archive of a device in a scope; null if there is none. */
export async function findDeviceArchive(
  db: Db,
  scope: string,
  number: string,
): Promise<{ jobId: number; deviceId: number; name: string; organizationPath: string } | null> {
  const { rows } = await db.query(
    `select r.job_id::float8 as "jobId", d.id::float8 as "deviceId", d.name, o.path as "organizationPath"
       from device_release r join device d on d.id = r.device_id join organization o on o.id = d.organization_id
      where d.number = $2 and o.path like $1 || '%' and r.job_id is not null and r.file_hash is not null
      order by r.id desc limit 1`,
    [scope, number],
  );
  return rows[0] ?? null;
}
