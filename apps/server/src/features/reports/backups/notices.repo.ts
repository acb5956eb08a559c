import type { Language } from '@isotherm/i18n/languages';
import type { Db } from '../../../platform/db/pool.ts';

export interface FailedBackup {
  title: string;
  organizationId: number;
  organizationName: string;
  timeZone: string;
  recipients: string[];
  language: Language;
  from: Date;
  to: Date;
}

/** Returns a backup with its configuration; null if the run is a report. */
export async function findFailedBackup(db: Db, runId: number): Promise<FailedBackup | null> {
  const { rows } = await db.query<FailedBackup>(
    `select s.name as title, s.organization_id::float8 as "organizationId", o.name as "organizationName",
            o.time_zone as "timeZone", s.recipients, s.language, r.from_at as "from", r.to_at as "to"
       from report_run r join report_schedule s on s.id = r.schedule_id join organization o on o.id = s.organization_id
      where r.id = $1 and s.kind = 'data-backup'`,
    [runId],
  );
  return rows[0] ?? null;
}
