import type { BackupConfiguration, BackupInput } from '@isotherm/contracts/backups';
import { AppError } from '@isotherm/contracts/errors';
import type { Language } from '@isotherm/i18n/languages';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface BackupRow extends Omit<BackupConfiguration, 'dueAt' | 'changedAt' | 'last' | 'language'> {
  organizationPath: string;
  ownerName: string;
  language: Language;
  dueAt: Date | null;
  changedAt: Date;
  last: { at: string; state: NonNullable<BackupConfiguration['last']>['state'] } | null;
}

/** Removed devices are not listed, unless none is left: no devices would mean all of the organisation. */
const COLUMNS = `s.id::float8 as id, s.organization_id::float8 as "organizationId", o.name as "organizationName",
  o.path as "organizationPath", o.time_zone as "timeZone", s.name as title, s.file_name as "fileName",
  s.interval_unit as interval,
  coalesce(
    nullif(array(select d.number from device d where d.id = any(s.device_ids) and d.removed_at is null order by d.number), '{}'),
    array(select d.number from device d where d.id = any(s.device_ids) order by d.number)) as devices,
  s.recipients, s.language, s.enabled, s.pause_reason as "pauseReason", s.due_at as "dueAt", s.changed_by as "changedBy",
  s.changed_at as "changedAt", coalesce(nullif(a.realname, ''), a.username, '') as owner,
  coalesce(a.username, '') as "ownerName",
  (select json_build_object('at', to_char(r.due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'state',
          case r.state when 'sent' then case when r.expires_at > $1 then 'ready' else 'expired' end else r.state end)
     from report_run r where r.schedule_id = s.id order by r.id desc limit 1) as last`;
const FROM = `from report_schedule s join organization o on o.id = s.organization_id left join account a on a.id = s.owner_id
  where s.kind = 'data-backup' and o.path like $2 || '%'`;
const SORT = { title: 'lower(s.name)', dueAt: 's.due_at' } as const;

export async function listBackupRows(
  db: Db,
  now: Date,
  scope: string,
  { search, organizationId }: { search: string; organizationId?: number | undefined },
  page: { sort: keyof typeof SORT; order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: BackupRow[]; total: number }> {
  const where = `and ($3 = '' or lower(s.name || ' ' || s.file_name || ' ' || array_to_string(s.recipients, ' ')) like $3)
    and ($4::bigint is null or s.organization_id = $4)`;
  const filter = [scope, containing(search.trim().toLowerCase()), organizationId ?? null];
  const [found, count] = await Promise.all([
    db.query<BackupRow>(
      `select ${COLUMNS} ${FROM} ${where}
        order by ${SORT[page.sort]} ${page.order} nulls last, s.id ${page.order} limit $5 offset $6`,
      [now, ...filter, page.limit, page.offset],
    ),
    // The first parameter is used by the columns only.
    db.query<{ count: number }>(
      `select count(*)::int as count ${FROM} ${where} and $1::timestamptz is not null`,
      [now, ...filter],
    ),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findBackup(db: Db, now: Date, scope: string, id: number): Promise<BackupRow | null> {
  const { rows } = await db.query<BackupRow>(`select ${COLUMNS} ${FROM} and s.id = $3`, [now, scope, id]);
  return rows[0] ?? null;
}

export interface BackupFields extends Omit<BackupInput, 'devices'> {
  deviceIds: readonly number[];
  ownerId: number;
  dueAt: Date | null;
  changedBy: string;
  changedAt: Date;
}

const valuesOf = (fields: BackupFields) => [
  fields.organizationId,
  fields.ownerId,
  fields.title,
  fields.fileName,
  fields.deviceIds,
  fields.interval,
  fields.recipients,
  fields.language,
  fields.enabled,
  fields.dueAt,
  fields.changedBy,
  fields.changedAt,
];

export async function insertBackup(tx: Tx, fields: BackupFields): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into report_schedule (organization_id, owner_id, name, file_name, device_ids, interval_unit, recipients, language,
                                  enabled, due_at, changed_by, changed_at, kind, asset_ids, format, weekday, month_day, starts_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'data-backup', '{}', 'csv', 1, 1, '00:00')
     returning id::float8 as id`,
    valuesOf(fields),
  );
  const [created] = rows;
  if (!created) throw new AppError('backup.not_found');
  return created.id;
}

export async function updateBackup(tx: Tx, id: number, fields: BackupFields): Promise<void> {
  await tx.query(
    `update report_schedule
        set organization_id = $1, owner_id = $2, name = $3, file_name = $4, device_ids = $5, interval_unit = $6, recipients = $7,
            language = $8, enabled = $9, due_at = $10, changed_by = $11, changed_at = $12, pause_reason = null
      where id = $13`,
    [...valuesOf(fields), id],
  );
}

/** Returns the ids of devices by number, of an organisation and below it. */
export async function findDeviceIds(db: Db, path: string, numbers: readonly string[]): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `select d.id::float8 as id from device d join organization o on o.id = d.organization_id
      where d.number = any($2) and o.path like $1 || '%' and d.deleted_at is null and d.removed_at is null order by d.id`,
    [path, numbers],
  );
  return rows.map(({ id }) => id);
}

/** Counts the devices of an organisation and below it. */
export async function countDevicesOf(db: Db, organizationId: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::float8 as count
       from organization top join organization o on o.path like top.path || '%' join device d on d.organization_id = o.id
      where top.id = $1 and d.deleted_at is null and d.removed_at is null`,
    [organizationId],
  );
  return rows[0]?.count ?? 0;
}

/** Returns path and time zone of an organisation in a scope; null if there is none. */
export async function findSite(
  db: Db,
  scope: string,
  organizationId: number,
): Promise<{ path: string; timeZone: string; name: string } | null> {
  const { rows } = await db.query<{ path: string; timeZone: string; name: string }>(
    `select path, time_zone as "timeZone", name from organization where id = $2 and path like $1 || '%'`,
    [scope, organizationId],
  );
  return rows[0] ?? null;
}

/** Lists configurations that were paused because the service had ended. */
export async function listInactive(
  db: Db,
): Promise<{ id: number; organizationId: number; interval: BackupInput['interval']; timeZone: string }[]> {
  const { rows } = await db.query(
    `select s.id::float8 as id, s.organization_id::float8 as "organizationId", s.interval_unit as interval,
            o.time_zone as "timeZone"
       from report_schedule s join organization o on o.id = s.organization_id
      where s.pause_reason = 'backup.inactive' order by s.id`,
  );
  return rows;
}

/** Resumes a configuration that was paused because the service had ended. Does nothing if it was changed meanwhile. */
export async function resumeBackup(db: Db, id: number, dueAt: Date): Promise<void> {
  await db.query(
    `update report_schedule set enabled = true, pause_reason = null, due_at = $2
      where id = $1 and pause_reason = 'backup.inactive'`,
    [id, dueAt],
  );
}
