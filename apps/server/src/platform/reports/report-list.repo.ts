import type { RegisteredReport } from '@isotherm/contracts/report-register';
import type { ReportKind } from '@isotherm/domain/reports/report-number';
import { containing } from '../db/like.ts';
import type { Db } from '../db/pool.ts';

export interface RegisteredRow extends Omit<RegisteredReport, 'createdAt'> {
  createdAt: Date;
  organizationPath: string;
}

export interface RegisterFilter {
  search: string;
  kind?: ReportKind | undefined;
  organizationId?: number | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** Downloads whose file still exists. Without a reference to the report, so that they are read once for a page. */
const FILES = `select j.file_hash, j.file_key, j.media_type from job j
  where j.file_key is not null and j.state = 'done' and j.expires_at > now()`;
const COLUMNS = `r.id, r.number, r.kind, r.subject_name as subject, r.issuer, encode(r.sha256, 'hex') as sha256,
  r.size_bytes as "sizeBytes", r.created_by as "createdBy", r.created_at as "createdAt",
  encode(r.sha256, 'hex') in (select file_hash from (${FILES}) f) as "hasFile", coalesce(o.path, $1) as "organizationPath"`;
const FROM = 'from report r left join organization o on o.id = r.organization_id';
/** Entries of deleted organisations are shown to the topmost organisation. */
const VISIBLE = `(o.path like $1 || '%'
  or (r.organization_id is null and exists (select from organization t where t.path = $1 and t.parent_id is null)))`;
/** Ids grow with time. */
const SORT = { createdAt: 'r.id', sizeBytes: 'r.size_bytes' } as const;

export async function listRegisteredRows(
  db: Db,
  scope: string,
  filter: RegisterFilter,
  page: { sort: keyof typeof SORT; order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: RegisteredRow[]; total: number }> {
  const values: unknown[] = [scope];
  const conditions = [VISIBLE];
  // Only what is asked for is compared, so that the plan fits each search.
  const add = (value: unknown, condition: (name: string) => string) => {
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  const search = containing(filter.search.trim().toLowerCase());
  if (search) add(search, (name) => `lower(r.number || ' ' || r.subject_name) like ${name}`);
  if (filter.kind) add(filter.kind, (name) => `r.kind = ${name}`);
  if (filter.organizationId) add(filter.organizationId, (name) => `r.organization_id = ${name}`);
  if (filter.from) add(filter.from, (name) => `r.created_at >= ${name}`);
  if (filter.to) add(filter.to, (name) => `r.created_at < ${name}`);
  const where = `where ${conditions.join(' and ')}`;
  const [limit, offset] = [`$${values.length + 1}`, `$${values.length + 2}`];
  const [found, count] = await Promise.all([
    db.query<RegisteredRow>(
      `select ${COLUMNS} ${FROM} ${where} order by ${SORT[page.sort]} ${page.order}, r.id ${page.order}
        limit ${limit} offset ${offset}`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findRegistered(db: Db, scope: string, id: number): Promise<RegisteredRow | null> {
  const { rows } = await db.query<RegisteredRow>(`select ${COLUMNS} ${FROM} where ${VISIBLE} and r.id = $2`, [
    scope,
    id,
  ]);
  return rows[0] ?? null;
}

/** Returns the key of the file of a report; null if it does not exist any more. */
export async function findReportFile(db: Db, id: number): Promise<{ key: string; mediaType: string } | null> {
  const { rows } = await db.query<{ key: string; mediaType: string }>(
    `select f.file_key as key, f.media_type as "mediaType" from report r
       join (${FILES}) f on f.file_hash = encode(r.sha256, 'hex') where r.id = $1 limit 1`,
    [id],
  );
  return rows[0] ?? null;
}

/** Returns the time zone of an organisation. */
export async function findZone(db: Db, organizationId: number): Promise<string> {
  const { rows } = await db.query<{ zone: string }>(
    'select time_zone as zone from organization where id = $1',
    [organizationId],
  );
  return rows[0]?.zone ?? 'UTC';
}
