import type { JobKindName } from '@isotherm/contracts/jobs';
import type { ReportFormat } from '@isotherm/contracts/reports';
import type { ReportInterval, ReportTiming } from '@isotherm/domain/reports/report-schedule';
import type { RulePackId } from '@isotherm/domain/reports/rule-packs';
import type { Language } from '@isotherm/i18n/languages';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import type { RunKind } from './scheduled-kinds.ts';

/** Returns whether a schedule is due or a report has not ended, for the regular look of many processes. */
export async function isAnythingToDo(db: Db, now: Date): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>({
    name: 'report-schedule-look',
    text: `select exists (select from report_schedule where due_at <= $1)
               or exists (select from report_run where state in ('waiting', 'running')) as found`,
    values: [now],
  });
  return rows[0]?.found === true;
}

export interface DueSchedule extends ReportTiming {
  id: number;
  dueAt: Date;
}

/** Claims schedules that are due and that no other worker has claimed. */
export async function claimDue(tx: Tx, now: Date, most: number): Promise<DueSchedule[]> {
  const { rows } = await tx.query<DueSchedule>(
    `select s.id::float8 as id, s.due_at as "dueAt", s.interval_unit as interval, s.weekday, s.month_day as "monthDay",
            s.starts_at as at, o.time_zone as "timeZone"
       from report_schedule s join organization o on o.id = s.organization_id
      where s.due_at <= $1 order by s.due_at, s.id limit $2 for update of s skip locked`,
    [now, most],
  );
  return rows;
}

export interface NewRun {
  scheduleId: number;
  dueAt: Date;
  startedBy: string;
  from: Date;
  to: Date;
  /** When the schedule is due next; undefined leaves it. */
  nextAt?: Date;
}

/** Adds reports, and sets when their schedules are due next. */
export async function addRuns(tx: Tx, runs: readonly NewRun[]): Promise<void> {
  await tx.query(
    `with added as (
       select * from jsonb_to_recordset($1::jsonb)
         as r("scheduleId" bigint, "dueAt" timestamptz, "startedBy" text, "from" timestamptz, "to" timestamptz, "nextAt" timestamptz)
     ), moved as (
       update report_schedule s set due_at = added."nextAt" from added
        where s.id = added."scheduleId" and added."nextAt" is not null
     )
     insert into report_run (schedule_id, due_at, started_by, from_at, to_at)
     select "scheduleId", "dueAt", "startedBy", "from", "to" from added
     on conflict (schedule_id, due_at) where started_by = '' do nothing`,
    [JSON.stringify(runs)],
  );
}

export interface WaitingRun {
  id: number;
  scheduleId: number;
  kind: RunKind;
  organizationId: number;
  assets: number[];
  /** Devices of a backup, and the beginning of the name of its file. */
  devices: number[];
  fileName: string;
  pack: RulePackId;
  format: ReportFormat;
  name: string;
  language: Language;
  timeZone: string;
  /** User name of the owner; null if the account was deleted. */
  ownerName: string | null;
  from: Date;
  to: Date;
}

/**
 * Returns reports that may be ordered now, the oldest first: as many as keep the numbers of ordered ones below the limits,
 * so that reports which are due at the same time are spread and delay no download that a person waits for.
 */
export async function listWaiting(
  db: Db,
  most: { together: number; ofOwner: number },
): Promise<WaitingRun[]> {
  const { rows } = await db.query<WaitingRun>(
    `with ordered as materialized (
       select s.owner_id, count(*) as count from report_run r join report_schedule s on s.id = r.schedule_id
        where r.state = 'running' group by 1
     )
     , waiting as (
       select r.id, row_number() over (partition by s.owner_id order by r.id) + coalesce(ordered.count, 0) as place
         from report_run r join report_schedule s on s.id = r.schedule_id
         left join ordered on ordered.owner_id = s.owner_id
        where r.state = 'waiting'
     )
     select r.id::float8 as id, s.id::float8 as "scheduleId", s.kind, s.asset_ids::float8[] as assets, s.format, s.name,
            s.device_ids::float8[] as devices, s.file_name as "fileName", s.organization_id::float8 as "organizationId", s.rule_pack as pack, s.language, o.time_zone as "timeZone", a.username as "ownerName", r.from_at as "from", r.to_at as "to"
       from waiting join report_run r on r.id = waiting.id
       join report_schedule s on s.id = r.schedule_id join organization o on o.id = s.organization_id
       left join account a on a.id = s.owner_id
      where waiting.place <= $2
      order by r.id limit greatest(0, $1 - coalesce((select sum(count) from ordered), 0))`,
    [most.together, most.ofOwner],
  );
  return rows;
}

/** Notes the job of a report. Returns false if another worker has ordered it. */
export async function noteOrdered(tx: Tx, id: number, jobId: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update report_run set state = 'running', job_id = $2 where id = $1 and state = 'waiting'`,
    [id, jobId],
  );
  return rowCount === 1;
}

export interface RunError {
  code: string;
  values: Record<string, unknown>;
}

/** Ends a report that has failed. Returns false if it has ended already. */
export async function failRun(tx: Tx, id: number, error: RunError, at: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update report_run set state = 'failed', error = $2, error_values = $3, ended_at = $4
      where id = $1 and state in ('waiting', 'running')`,
    [id, error.code, JSON.stringify(error.values), at],
  );
  return rowCount === 1;
}

/** Pauses a schedule with the reason. */
export async function pauseSchedule(tx: Tx, id: number, reason: string): Promise<void> {
  await tx.query(
    'update report_schedule set enabled = false, due_at = null, pause_reason = $2 where id = $1',
    [id, reason],
  );
}

export interface EndedRun {
  id: number;
  scheduleId: number;
  organizationId: number;
  organizationName: string;
  name: string;
  kind: JobKindName;
  interval: ReportInterval;
  recipients: string[];
  language: Language;
  timeZone: string;
  from: Date;
  to: Date;
  jobId: number;
  /** Null if the job was deleted. */
  state: 'done' | 'failed' | 'cancelled' | null;
  error: string | null;
  errorValues: Record<string, unknown> | null;
  fileKey: string | null;
  fileName: string | null;
  mediaType: string | null;
  bytes: number | null;
  hash: string | null;
  expiresAt: Date | null;
}

/** Claims a report whose job has ended or was deleted; null if there is none. */
export async function claimEnded(tx: Tx): Promise<EndedRun | null> {
  const { rows } = await tx.query<EndedRun>(
    `select r.id::float8 as id, s.id::float8 as "scheduleId", s.organization_id::float8 as "organizationId",
            o.name as "organizationName", s.name, s.kind, s.interval_unit as interval, s.recipients, s.language,
            o.time_zone as "timeZone", r.from_at as "from", r.to_at as "to", r.job_id::float8 as "jobId", j.state, j.error,
            j.error_values as "errorValues", j.file_key as "fileKey", j.file_name as "fileName",
            j.media_type as "mediaType", j.file_bytes::float8 as bytes, j.file_hash as hash, j.expires_at as "expiresAt"
       from report_run r join report_schedule s on s.id = r.schedule_id join organization o on o.id = s.organization_id
       left join job j on j.id = r.job_id
      where r.state = 'running' and (j.id is null or j.state in ('done', 'failed', 'cancelled'))
      order by r.id limit 1 for update of r skip locked`,
  );
  return rows[0] ?? null;
}

/** Ends a report whose e-mails were written. */
export async function endSent(
  tx: Tx,
  id: number,
  file: { fileName: string; bytes: number; hash: string | null; expiresAt: Date | null; isLinked: boolean },
  mails: readonly { messageId: number; recipient: string }[],
  at: Date,
): Promise<void> {
  await tx.query(
    `update report_run set state = 'sent', file_name = $2, file_bytes = $3, is_linked = $4, ended_at = $5, file_hash = $6,
            expires_at = $7
      where id = $1`,
    [id, file.fileName, file.bytes, file.isLinked, at, file.hash, file.expiresAt],
  );
  await tx.query(
    `insert into report_run_message (run_id, message_id, recipient)
     select $1, m."messageId", m.recipient from jsonb_to_recordset($2::jsonb) as m("messageId" bigint, recipient text)`,
    [id, JSON.stringify(mails)],
  );
}

export async function deleteRunsBefore(db: Db, before: Date): Promise<void> {
  await db.query('delete from report_run where ended_at < $1', [before]);
}

/** Returns the job of a report; null if there is no such report. */
export async function findJobOf(db: Db, runId: number): Promise<number | null> {
  const { rows } = await db.query<{ id: number }>(
    'select job_id::float8 as id from report_run where id = $1',
    [runId],
  );
  return rows[0]?.id ?? null;
}
