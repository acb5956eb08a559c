import type { Language } from '@isotherm/i18n/languages';
import type { Db } from '../../../platform/db/pool.ts';

/** The devices of a configuration: of its organisation and below; null means all of them. */
export interface BackedUp {
  path: string;
  deviceIds: number[] | null;
}

export interface FailedBackup extends BackedUp {
  title: string;
  organizationId: number;
  organizationName: string;
  timeZone: string;
  recipients: string[];
  language: Language;
  from: Date;
  to: Date;
}

const BACKED_UP = `o.path, nullif(s.device_ids, '{}')::float8[] as "deviceIds"`;

/** Returns a backup with its configuration; null if the run is a report. */
export async function findFailedBackup(db: Db, runId: number): Promise<FailedBackup | null> {
  const { rows } = await db.query<FailedBackup>(
    `select s.name as title, s.organization_id::float8 as "organizationId", o.name as "organizationName",
            ${BACKED_UP}, o.time_zone as "timeZone", s.recipients, s.language, r.from_at as "from", r.to_at as "to"
       from report_run r join report_schedule s on s.id = r.schedule_id join organization o on o.id = s.organization_id
      where r.id = $1 and s.kind = 'data-backup'`,
    [runId],
  );
  return rows[0] ?? null;
}

/** Returns the devices of a configuration of backups; null if the schedule is one of reports. */
export async function findBackedUp(db: Db, scheduleId: number): Promise<BackedUp | null> {
  const { rows } = await db.query<BackedUp>(
    `select ${BACKED_UP} from report_schedule s join organization o on o.id = s.organization_id
      where s.id = $1 and s.kind = 'data-backup'`,
    [scheduleId],
  );
  return rows[0] ?? null;
}

/** Returns those of these devices that another configuration backs up, too, whose last backup has failed. */
export async function listStillFailing(
  db: Db,
  deviceIds: readonly number[],
  exceptSchedule: number,
): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `with failing as materialized (
       select o.path, s.device_ids
         from report_schedule s join organization o on o.id = s.organization_id
         cross join lateral (select r.state from report_run r
                              where r.schedule_id = s.id and r.state in ('sent', 'failed') order by r.id desc limit 1) last
        where s.kind = 'data-backup' and s.enabled and s.id <> $2 and last.state = 'failed')
     select d.id::float8 as id from device d join organization o on o.id = d.organization_id
      where d.id = any($1::bigint[])
        and exists (select from failing f
                     where o.path like f.path || '%' and (f.device_ids = '{}' or d.id = any(f.device_ids)))`,
    [deviceIds, exceptSchedule],
  );
  return rows.map((row) => row.id);
}
