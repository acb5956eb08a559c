import { AppError } from '@isotherm/contracts/errors';
import type { ReportSchedule, ReportScheduleInput } from '@isotherm/contracts/report-schedules';
import type { Language } from '@isotherm/i18n/languages';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface ScheduleRow extends Omit<ReportSchedule, 'dueAt' | 'changedAt' | 'lastRun' | 'language'> {
  organizationPath: string;
  /** User name of the owner. */
  ownerName: string;
  language: Language;
  dueAt: Date | null;
  changedAt: Date;
  lastRun: { at: string; state: 'waiting' | 'running' | 'sent' | 'failed'; refused: number } | null;
}

/** Number of asset names that the list shows. */
const NAMED_ASSETS = 3;
/** Whether an e-mail `m` was refused by a mail server, or returned by one later. */
const REFUSED = `(m.status = 'failed' or exists (select from mail_bounce b where b.message_id = m.id and b.kind <> 'delayed'))`;

const COLUMNS = `s.id::float8 as id, s.organization_id::float8 as "organizationId", o.name as "organizationName",
  o.path as "organizationPath", o.time_zone as "timeZone", s.name, s.kind, s.asset_ids::float8[] as assets, s.format,
  s.rule_pack as pack, s.interval_unit as interval, s.weekday, s.month_day as "monthDay", s.starts_at as at, s.recipients, s.language, s.enabled,
  s.pause_reason as "pauseReason", s.due_at as "dueAt", s.changed_by as "changedBy", s.changed_at as "changedAt",
  coalesce(nullif(a.realname, ''), a.username, '') as owner, coalesce(a.username, '') as "ownerName",
  array(select t.name from asset t where t.id = any(s.asset_ids) and t.deleted_at is null
         order by t.name limit ${NAMED_ASSETS}) as "assetNames",
  (select json_build_object('at', to_char(r.due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'state', r.state,
          'refused', (select count(*) from report_run_message rm join message m on m.id = rm.message_id
                       where rm.run_id = r.id and ${REFUSED}))
     from report_run r where r.schedule_id = s.id order by r.id desc limit 1) as "lastRun"`;
const FROM = `from report_schedule s join organization o on o.id = s.organization_id left join account a on a.id = s.owner_id`;
const SORT = { name: 'lower(s.name)', dueAt: 's.due_at' } as const;

export async function listScheduleRows(
  db: Db,
  scope: string,
  { search, organizationId }: { search: string; organizationId?: number | undefined },
  page: { sort: keyof typeof SORT; order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: ScheduleRow[]; total: number }> {
  const where = `where s.kind <> 'data-backup' and o.path like $1 || '%'
      and ($2 = '' or lower(s.name || ' ' || array_to_string(s.recipients, ' ')) like $2)
      and ($3::bigint is null or s.organization_id = $3)`;
  const values = [scope, containing(search.trim().toLowerCase()), organizationId ?? null];
  const [found, count] = await Promise.all([
    db.query<ScheduleRow>(
      `select ${COLUMNS} ${FROM} ${where}
        order by ${SORT[page.sort]} ${page.order} nulls last, s.id ${page.order} limit $4 offset $5`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findSchedule(db: Db, scope: string, id: number): Promise<ScheduleRow | null> {
  const { rows } = await db.query<ScheduleRow>(
    `select ${COLUMNS} ${FROM} where s.kind <> 'data-backup' and o.path like $1 || '%' and s.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

/** Locks a schedule, so that it is not started, edited or deleted until the transaction ends. */
export async function lockSchedule(tx: Tx, id: number): Promise<void> {
  await tx.query('select from report_schedule where id = $1 for update', [id]);
}

/** Returns the time zone of an organisation in the scope; null if there is none. */
export async function findZone(db: Db, scope: string, organizationId: number): Promise<string | null> {
  const { rows } = await db.query<{ zone: string }>(
    `select time_zone as zone from organization where id = $2 and path like $1 || '%'`,
    [scope, organizationId],
  );
  return rows[0]?.zone ?? null;
}

export interface ScheduleFields extends ReportScheduleInput {
  ownerId: number;
  dueAt: Date | null;
  changedBy: string;
  changedAt: Date;
}

const valuesOf = (fields: ScheduleFields) => [
  fields.organizationId,
  fields.ownerId,
  fields.name,
  fields.kind,
  fields.assets,
  fields.format,
  fields.interval,
  fields.weekday,
  fields.monthDay,
  fields.at,
  fields.recipients,
  fields.language,
  fields.enabled,
  fields.dueAt,
  fields.changedBy,
  fields.changedAt,
  fields.pack,
];

export async function insertSchedule(tx: Tx, fields: ScheduleFields): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into report_schedule (organization_id, owner_id, name, kind, asset_ids, format, interval_unit, weekday,
                                  month_day, starts_at, recipients, language, enabled, due_at, changed_by, changed_at,
                                  rule_pack)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) returning id::float8 as id`,
    valuesOf(fields),
  );
  const [created] = rows;
  if (!created) throw new AppError('report_schedule.not_found');
  return created.id;
}

export async function updateSchedule(tx: Tx, id: number, fields: ScheduleFields): Promise<void> {
  await tx.query(
    `update report_schedule
        set organization_id = $1, owner_id = $2, name = $3, kind = $4, asset_ids = $5, format = $6, interval_unit = $7,
            weekday = $8, month_day = $9, starts_at = $10, recipients = $11, language = $12, enabled = $13, due_at = $14,
            changed_by = $15, changed_at = $16, rule_pack = $17, pause_reason = null
      where id = $18`,
    [...valuesOf(fields), id],
  );
}

export async function deleteSchedule(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from report_schedule where id = $1', [id]);
}

export interface RunRow {
  id: number;
  dueAt: Date;
  startedBy: string;
  from: Date;
  to: Date;
  state: 'waiting' | 'running' | 'sent' | 'failed';
  endedAt: Date | null;
  fileName: string | null;
  bytes: number | null;
  isLinked: boolean;
  error: string | null;
  errorValues: Record<string, string | number> | null;
  deliveries: { recipient: string; state: 'pending' | 'sent' | 'failed'; error: string }[];
}

/** Lists the reports of a schedule with the outcome of their e-mails, the newest first. */
export async function listRunRows(
  db: Db,
  scheduleId: number,
  page: { limit: number; offset: number },
): Promise<{ rows: RunRow[]; total: number }> {
  const [found, count] = await Promise.all([
    db.query<RunRow>(
      `select r.id::float8 as id, r.due_at as "dueAt", r.started_by as "startedBy", r.from_at as "from", r.to_at as "to",
              r.state, r.ended_at as "endedAt", r.file_name as "fileName", r.file_bytes::float8 as bytes,
              r.is_linked as "isLinked", r.error, r.error_values as "errorValues",
              coalesce((select json_agg(json_build_object(
                  'recipient', rm.recipient,
                  'state', case when ${REFUSED} then 'failed' else m.status end,
                  'error', coalesce((select b.diagnostic from mail_bounce b
                                      where b.message_id = m.id and b.kind <> 'delayed' limit 1), m.error))
                order by rm.recipient)
                from report_run_message rm join message m on m.id = rm.message_id where rm.run_id = r.id), '[]') as deliveries
         from report_run r where r.schedule_id = $1 order by r.id desc limit $2 offset $3`,
      [scheduleId, page.limit, page.offset],
    ),
    db.query<{ count: number }>('select count(*)::int as count from report_run where schedule_id = $1', [
      scheduleId,
    ]),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}

/** Returns true if a report of a schedule that a person started has not ended. */
export async function isStarted(db: Db, scheduleId: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from report_run where schedule_id = $1 and started_by <> '' and state in ('waiting', 'running') limit 1`,
    [scheduleId],
  );
  return rowCount === 1;
}
