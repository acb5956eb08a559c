import type { ArchiveState } from '@isotherm/contracts/backups';
import { containing } from '../../../platform/db/like.ts';
import type { Db } from '../../../platform/db/pool.ts';

export interface ArchiveRow {
  id: number;
  configurationId: number;
  title: string;
  organizationName: string;
  timeZone: string;
  dueAt: Date;
  startedBy: string;
  from: Date;
  to: Date;
  state: ArchiveState;
  progress: number;
  endedAt: Date | null;
  fileName: string | null;
  bytes: number | null;
  sha256: string | null;
  expiresAt: Date | null;
  error: string | null;
  errorValues: Record<string, string | number> | null;
  refused: string[];
}

export interface ArchiveFilter {
  search: string;
  organizationId?: number | undefined;
  configurationId?: number | undefined;
  state?: ArchiveState | undefined;
}

/** State of a backup `r` at the moment `$1`, in the words of the list. */
const STATE = `case r.state when 'sent' then case when r.expires_at > $1 then 'ready' else 'expired' end else r.state end`;
const FROM = `from report_run r join report_schedule s on s.id = r.schedule_id join organization o on o.id = s.organization_id
  where s.kind = 'data-backup' and o.path like $2 || '%'`;
const SORT = { dueAt: 'r.due_at', bytes: 'r.file_bytes' } as const;

export async function listArchiveRows(
  db: Db,
  now: Date,
  scope: string,
  { search, organizationId, configurationId, state }: ArchiveFilter,
  page: { sort: keyof typeof SORT; order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: ArchiveRow[]; total: number }> {
  const where = `${FROM} and ($3 = '' or lower(s.name || ' ' || coalesce(r.file_name, '')) like $3)
    and ($4::bigint is null or s.organization_id = $4) and ($5::bigint is null or s.id = $5)
    and ($6::text is null or ${STATE} = $6)`;
  const values = [
    now,
    scope,
    containing(search.trim().toLowerCase()),
    organizationId ?? null,
    configurationId ?? null,
    state ?? null,
  ];
  const [found, count] = await Promise.all([
    db.query<ArchiveRow>(
      `select r.id::float8 as id, s.id::float8 as "configurationId", s.name as title, o.name as "organizationName",
              o.time_zone as "timeZone", r.due_at as "dueAt", r.started_by as "startedBy", r.from_at as "from", r.to_at as "to",
              ${STATE} as state, case r.state when 'sent' then 1 else
                coalesce((select j.progress from job j where j.id = r.job_id), 0) end as progress,
              r.ended_at as "endedAt", r.file_name as "fileName", r.file_bytes::float8 as bytes, r.file_hash as sha256,
              r.expires_at as "expiresAt", r.error, r.error_values as "errorValues",
              array(select rm.recipient from report_run_message rm join message m on m.id = rm.message_id
                     where rm.run_id = r.id
                       and (m.status = 'failed' or exists (select from mail_bounce b
                                                            where b.message_id = m.id and b.kind <> 'delayed'))
                     order by rm.recipient) as refused
         ${where} order by ${SORT[page.sort]} ${page.order} nulls last, r.id ${page.order} limit $7 offset $8`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${where}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}

/** Returns the job of a backup in a scope; null if there is no such backup, or if its file was not written yet. */
export async function findArchiveJob(
  db: Db,
  scope: string,
  id: number,
): Promise<{ jobId: number | null; title: string; organizationPath: string } | null> {
  const { rows } = await db.query<{ jobId: number | null; title: string; organizationPath: string }>(
    `select r.job_id::float8 as "jobId", s.name as title, o.path as "organizationPath"
       from report_run r join report_schedule s on s.id = r.schedule_id join organization o on o.id = s.organization_id
      where s.kind = 'data-backup' and o.path like $1 || '%' and r.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}
