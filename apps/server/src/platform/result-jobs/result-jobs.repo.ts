import type { JobKindName, JobState } from '@isotherm/contracts/jobs';
import type { Language } from '@isotherm/i18n/languages';
import { LOCK_KEYS } from '../db/lock-keys.ts';
import type { Db, Tx } from '../db/pool.ts';
import type { Caller } from '../http/caller.ts';

/** A worker that does not renew its lease for this time has died. */
const LEASE_S = 30;
/** One worker at a time chooses a job, so that the limit per organisation holds. */

type StoredState = Exclude<JobState, 'expired'>;

export interface JobRow {
  id: number;
  /** Null if the server has ordered it. */
  accountId: number | null;
  organizationId: number;
  kind: JobKindName;
  subject: string;
  parameters: unknown;
  state: StoredState;
  progress: number;
  isCancelling: boolean;
  orderedAt: Date;
  endedAt: Date | null;
  fileKey: string | null;
  fileName: string | null;
  mediaType: string | null;
  bytes: number | null;
  hash: string | null;
  expiresAt: Date | null;
  error: string | null;
  errorValues: Record<string, string | number> | null;
}

const COLUMNS = `id, account_id as "accountId", organization_id as "organizationId", kind, subject, parameters, state, progress,
       cancel_requested and state = 'running' as "isCancelling",
       ordered_at as "orderedAt", ended_at as "endedAt", file_key as "fileKey", file_name as "fileName",
       media_type as "mediaType", file_bytes as bytes, file_hash as hash, expires_at as "expiresAt", error,
       error_values as "errorValues"`;

export async function insertJob(
  db: Db,
  job: {
    accountId: number | null;
    organizationId: number;
    kind: JobKindName;
    subject: string;
    parameters: object;
    language: Language;
    at: Date;
  },
): Promise<JobRow> {
  const { rows } = await db.query<JobRow>(
    `insert into job (account_id, organization_id, kind, subject, parameters, language, ordered_at)
     values ($1, $2, $3, $4, $5, $6, $7) returning ${COLUMNS}`,
    [
      job.accountId,
      job.organizationId,
      job.kind,
      job.subject,
      JSON.stringify(job.parameters),
      job.language,
      job.at,
    ],
  );
  return rows[0] as JobRow;
}

/** Locks the account until the end of the transaction, and returns the number of its open jobs. */
export async function countOpen(tx: Tx, accountId: number): Promise<number> {
  await tx.query('select from account where id = $1 for no key update', [accountId]);
  const { rows } = await tx.query<{ count: number }>(
    `select count(*)::int as count from job where account_id = $1 and state in ('waiting', 'running')`,
    [accountId],
  );
  return rows[0]?.count ?? 0;
}

export async function listOwn(db: Db, accountId: number, most: number): Promise<JobRow[]> {
  const { rows } = await db.query<JobRow>(
    `select ${COLUMNS} from job where account_id = $1 order by ordered_at desc, id desc limit $2`,
    [accountId, most],
  );
  return rows;
}

export async function findOwn(db: Db, accountId: number, id: number): Promise<JobRow | null> {
  const { rows } = await db.query<JobRow>(`select ${COLUMNS} from job where account_id = $1 and id = $2`, [
    accountId,
    id,
  ]);
  return rows[0] ?? null;
}

export async function findJob(db: Db, id: number): Promise<JobRow | null> {
  const { rows } = await db.query<JobRow>(`select ${COLUMNS} from job where id = $1`, [id]);
  return rows[0] ?? null;
}

/** Cancels a waiting job, and asks a running one to end. Returns false if the job has ended. */
export async function requestCancel(db: Db, accountId: number, id: number, at: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `update job set cancel_requested = true, state = case state when 'waiting' then 'cancelled' else state end,
            ended_at = case state when 'waiting' then $3::timestamptz end
      where account_id = $1 and id = $2 and state in ('waiting', 'running')`,
    [accountId, id, at],
  );
  return rowCount === 1;
}

/** Deletes a job that has ended. Its file is due for deletion at once. Returns false if it has not ended. */
export async function deleteEnded(tx: Tx, accountId: number, id: number): Promise<boolean> {
  const { rows } = await tx.query<{ key: string | null }>(
    `delete from job where account_id = $1 and id = $2 and state not in ('waiting', 'running') returning file_key as key`,
    [accountId, id],
  );
  const [gone] = rows;
  if (gone?.key) await tx.query('update stored_file set delete_after = now() where key = $1', [gone.key]);
  return gone !== undefined;
}

export interface ClaimedJob {
  id: number;
  fence: number;
  attempts: number;
  kind: JobKindName;
  parameters: unknown;
  language: Language;
  /** Null if the server has ordered it. */
  username: string | null;
  organizationId: number;
}

/**
 * Claims the next job for the time of a lease: one that waits, or one whose worker has died. Jobs of people come first, then
 * organisations with fewer running jobs; none has more than `ofOrganization`. Returns null if there is none.
 */
export async function claimJob(tx: Tx, ofOrganization: number, at: Date): Promise<ClaimedJob | null> {
  await tx.query('select pg_advisory_xact_lock($1)', [LOCK_KEYS.jobClaims]);
  const { rows } = await tx.query<ClaimedJob>(
    `with running as (
       select coalesce(a.organization_id, j.organization_id) as organization_id, count(*) as count
         from job j left join account a on a.id = j.account_id
        where j.state = 'running' and j.lease_until > now() group by 1
     ), next as (
       select j.id from job j left join account a on a.id = j.account_id
         left join running r on r.organization_id = coalesce(a.organization_id, j.organization_id)
        where (j.state = 'waiting' or (j.state = 'running' and j.lease_until <= now()))
          and coalesce(r.count, 0) < $1
        order by j.account_id is null, coalesce(r.count, 0), j.ordered_at, j.id limit 1 for update of j skip locked
     )
     update job j set state = 'running', fence = j.fence + 1, attempts = j.attempts + 1, progress = 0,
            started_at = $2, lease_until = now() + make_interval(secs => ${LEASE_S})
       from next where j.id = next.id
     returning j.id, j.fence, j.attempts, j.kind, j.parameters, j.language,
               (select a.username from account a where a.id = j.account_id) as username, j.organization_id as "organizationId"`,
    [ofOrganization, at],
  );
  return rows[0] ?? null;
}

/** Whether any job could be claimed, without a lock, for the regular look of many processes. */
export async function isAnyOpen(db: Db): Promise<boolean> {
  const { rows } = await db.query({
    name: 'job-is-any-open',
    text: `select 1 from job where state = 'waiting' or (state = 'running' and lease_until <= now()) limit 1`,
  });
  return rows.length > 0;
}

/**
 * Returns a caller whose scope is the organisation of a job; null if that organisation is no longer in the caller's
 * scope. It may have moved together with the caller.
 */
export async function withScopeOf(db: Db, caller: Caller, organizationId: number): Promise<Caller | null> {
  const { rows } = await db.query<{ path: string }>('select path from organization where id = $1', [
    organizationId,
  ]);
  const path = rows[0]?.path;
  return path?.startsWith(caller.scope) ? { ...caller, organizationId, scope: path } : null;
}

type Held = Pick<ClaimedJob, 'id' | 'fence'>;

/** Renews the lease and stores the progress. `lost` if another worker has the job now. */
export async function renewJob(
  db: Db,
  { id, fence }: Held,
  progress: number,
): Promise<'held' | 'cancelled' | 'lost'> {
  const { rows } = await db.query<{ cancelled: boolean }>(
    `update job set progress = $3, lease_until = now() + make_interval(secs => ${LEASE_S})
      where id = $1 and fence = $2 and state = 'running' returning cancel_requested as cancelled`,
    [id, fence, progress],
  );
  const [row] = rows;
  return row ? (row.cancelled ? 'cancelled' : 'held') : 'lost';
}

/** Gives a job back, so that another process runs it at once. */
export async function giveBack(db: Db, { id, fence }: Held): Promise<void> {
  await db.query(
    `update job set state = 'waiting', lease_until = null, attempts = attempts - 1, progress = 0
      where id = $1 and fence = $2 and state = 'running'`,
    [id, fence],
  );
}

export async function failJob(
  db: Db,
  { id, fence }: Held,
  error: { code: string; values: Record<string, unknown> },
  at: Date,
): Promise<void> {
  await db.query(
    `update job set state = 'failed', lease_until = null, ended_at = $5, error = $3, error_values = $4
      where id = $1 and fence = $2 and state = 'running'`,
    [id, fence, error.code, JSON.stringify(error.values), at],
  );
}

export async function endCancelled(db: Db, { id, fence }: Held, at: Date): Promise<void> {
  await db.query(
    `update job set state = 'cancelled', lease_until = null, ended_at = $3
      where id = $1 and fence = $2 and state = 'running'`,
    [id, fence, at],
  );
}

/** Announces a file before it is stored. It is deleted at `deleteAfter` unless its job is recorded. */
export async function announceFile(db: Db, key: string, deleteAfter: Date): Promise<void> {
  await db.query('insert into stored_file (key, delete_after) values ($1, $2)', [key, deleteAfter]);
}

export interface ResultFile {
  key: string;
  fileName: string;
  mediaType: string;
  bytes: number;
  hash: string;
  expiresAt: Date;
}

/** Records the result. Returns false if the job was cancelled or another worker has it now. */
export async function finishJob(tx: Tx, { id, fence }: Held, file: ResultFile, at: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update job set state = 'done', progress = 1, lease_until = null, ended_at = $3, file_key = $4, file_name = $5,
            media_type = $6, file_bytes = $7, file_hash = $8, expires_at = $9
      where id = $1 and fence = $2 and state = 'running' and not cancel_requested`,
    [id, fence, at, file.key, file.fileName, file.mediaType, file.bytes, file.hash, file.expiresAt],
  );
  if (rowCount !== 1) return false;
  await tx.query('update stored_file set delete_after = $2 where key = $1', [file.key, file.expiresAt]);
  return true;
}

/** Returns the keys of files that are due for deletion. */
export async function listDueFiles(db: Db, at: Date, most: number): Promise<string[]> {
  const { rows } = await db.query<{ key: string }>(
    'select key from stored_file where delete_after <= $1 order by delete_after limit $2',
    [at, most],
  );
  return rows.map(({ key }) => key);
}

export async function forgetFile(db: Db, key: string): Promise<void> {
  await db.query('delete from stored_file where key = $1', [key]);
}

export async function deleteJobsBefore(db: Db, before: Date): Promise<void> {
  // A file that is kept for longer keeps its job.
  await db.query('delete from job where ended_at < $1 and (expires_at is null or expires_at < $1)', [before]);
}
