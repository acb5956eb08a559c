import type { Announcement, AnnouncementInput } from '@isotherm/contracts/announcements';
import type { AnnouncementState } from '@isotherm/domain/announcements/announcement';
import { attachmentCount } from '../../platform/attachments/attachments.repo.ts';
import { containing } from '../../platform/db/like.ts';
import type { Db, Tx } from '../../platform/db/pool.ts';

type Moments = 'dueAt' | 'publishedAt' | 'recalledAt';

export interface AnnouncementRow
  extends Omit<Announcement, Moments | 'changedAt'>,
    Record<Moments, Date | null> {
  changedAt: Date;
  organizationPath: string;
}

export interface AnnouncementFilter {
  search: string;
  organizationId?: number | undefined;
  categoryId?: number | undefined;
  state?: AnnouncementState | undefined;
}

const COLUMNS = `a.id, a.organization_id as "organizationId", o.name as "organizationName", o.path as "organizationPath",
  a.title, a.category_id as "categoryId", k.name as "categoryName", a.group_id as "groupId",
  nullif(case when a.state = 'draft' then coalesce(g.name, '') else a.group_name end, '') as "groupName",
  a.body, a.summary, a.send_type as "sendType", a.due_at as "dueAt", a.popup, a.email, a.pinned_until::text as "pinnedUntil",
  a.state, a.published_at as "publishedAt", a.published_by as "publishedBy", a.recalled_at as "recalledAt",
  a.recall_reason as "recallReason", ${attachmentCount('announcement', 'a.id')} as files,
  (select count(*)::int from announcement_receipt r where r.announcement_id = a.id and r.first_read_at is not null) as readers,
  a.changed_by as "changedBy", a.changed_at as "changedAt"`;
const FROM = `from announcement a join organization o on o.id = a.organization_id
  left join announcement_category k on k.id = a.category_id left join announcement_group g on g.id = a.group_id`;
const SORT = {
  title: 'lower(a.title)',
  publishedAt: 'coalesce(a.published_at, a.due_at)',
  changedAt: 'a.changed_at',
} as const;

export async function listAnnouncementRows(
  db: Db,
  scope: string,
  { search, organizationId, categoryId, state }: AnnouncementFilter,
  page: { sort: keyof typeof SORT; order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: AnnouncementRow[]; total: number }> {
  const where = `where o.path like $1 || '%' and ($2 = '' or a.search_text like $2)
    and ($3::bigint is null or a.organization_id = $3) and ($4::bigint is null or a.category_id = $4)
    and ($5::text is null or a.state = $5)`;
  const values = [
    scope,
    containing(search.trim().toLowerCase()),
    organizationId ?? null,
    categoryId ?? null,
    state ?? null,
  ];
  const [found, count] = await Promise.all([
    db.query<AnnouncementRow>(
      `select ${COLUMNS} ${FROM} ${where} order by ${SORT[page.sort]} ${page.order} nulls last, a.id ${page.order}
        limit $6 offset $7`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findAnnouncement(db: Db, scope: string, id: number): Promise<AnnouncementRow | null> {
  const { rows } = await db.query<AnnouncementRow>(
    `select ${COLUMNS} ${FROM} where o.path like $1 || '%' and a.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

/** Locks an announcement until the transaction ends. */
export async function lockAnnouncement(tx: Tx, id: number): Promise<void> {
  await tx.query('select from announcement where id = $1 for update', [id]);
}

export interface AnnouncementFields extends AnnouncementInput {
  summary: string;
  searchText: string;
  changedBy: string;
  changedAt: Date;
}

const valuesOf = (fields: AnnouncementFields) => [
  fields.organizationId,
  fields.categoryId,
  fields.groupId,
  fields.title,
  fields.body,
  fields.summary,
  fields.searchText,
  fields.sendType,
  fields.sendType === 'scheduled' ? fields.dueAt : null,
  fields.popup,
  fields.email,
  fields.pinnedUntil,
  fields.changedBy,
  fields.changedAt,
];

export async function insertAnnouncement(tx: Tx, fields: AnnouncementFields): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into announcement (organization_id, category_id, group_id, title, body, summary, search_text, send_type, due_at,
                               popup, email, pinned_until, changed_by, changed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) returning id`,
    valuesOf(fields),
  );
  return (rows[0] as { id: number }).id;
}

export async function updateAnnouncement(tx: Tx, id: number, fields: AnnouncementFields): Promise<void> {
  await tx.query(
    `update announcement set organization_id = $1, category_id = $2, group_id = $3, title = $4, body = $5, summary = $6,
            search_text = $7, send_type = $8, due_at = $9, popup = $10, email = $11, pinned_until = $12, changed_by = $13,
            changed_at = $14
      where id = $15`,
    [...valuesOf(fields), id],
  );
}

export async function deleteAnnouncementRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from announcement where id = $1', [id]);
}

export interface Audience {
  groupName: string;
  /** Organisations that exist and are within the author's scope. */
  organizationIds: number[];
  /** Null for all roles. */
  roleIds: number[] | null;
}

/** Returns whom an announcement is for: its user group within the scope, or its organisation. */
export async function findAudience(db: Db, scope: string, id: number): Promise<Audience | null> {
  const { rows } = await db.query<Audience>(
    `select coalesce(g.name, '') as "groupName",
            array(select t.id from organization t
                   where t.id = any (coalesce(g.organization_ids, array[a.organization_id])) and t.path like $1 || '%')
              as "organizationIds",
            case when cardinality(g.role_ids) > 0 then g.role_ids end as "roleIds"
       from announcement a left join announcement_group g on g.id = a.group_id where a.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

/** Sets whom an announcement is for. */
export async function setAudience(tx: Tx, id: number, audience: Audience): Promise<void> {
  await tx.query('update announcement set group_name = $2, role_ids = $3 where id = $1', [
    id,
    audience.groupName,
    audience.roleIds,
  ]);
  await tx.query('delete from announcement_target where announcement_id = $1', [id]);
  await tx.query(
    'insert into announcement_target (announcement_id, organization_id) select $1, unnest($2::bigint[])',
    [id, audience.organizationIds],
  );
}

export interface Trace {
  changedBy: string;
  changedAt: Date;
}

export async function setScheduled(tx: Tx, id: number, by: Trace): Promise<void> {
  await tx.query(
    `update announcement set state = 'scheduled', published_by = $2, changed_by = $2, changed_at = $3 where id = $1`,
    [id, by.changedBy, by.changedAt],
  );
}

export async function setPublished(tx: Tx, id: number, by: Trace): Promise<void> {
  await tx.query(
    `update announcement set state = 'published', published_at = $3, published_by = $2, changed_by = $2, changed_at = $3,
            mailed_to = case when email then 0 end
      where id = $1`,
    [id, by.changedBy, by.changedAt],
  );
}

export async function setDraft(tx: Tx, id: number, by: Trace): Promise<void> {
  await tx.query(
    `update announcement set state = 'draft', published_by = '', changed_by = $2, changed_at = $3 where id = $1`,
    [id, by.changedBy, by.changedAt],
  );
}

/** Recalls an announcement. E-mails that were not written yet are not sent. */
export async function setRecalled(tx: Tx, id: number, reason: string, by: Trace): Promise<void> {
  await tx.query(
    `update announcement set state = 'recalled', recalled_at = $3, recall_reason = $4, mailed_to = null, changed_by = $2,
            changed_at = $3
      where id = $1`,
    [id, by.changedBy, by.changedAt, reason],
  );
}

/** Returns the paths of the organisations that announcements are for. */
export async function listTargetPaths(db: Db, ids: readonly number[]): Promise<string[]> {
  const { rows } = await db.query<{ path: string }>(
    `select distinct o.path from announcement_target t join organization o on o.id = t.organization_id
      where t.announcement_id = any ($1)`,
    [ids],
  );
  return rows.map(({ path }) => path);
}

/** Returns the time zone of an organisation. */
export async function findZone(db: Db, organizationId: number): Promise<string> {
  const { rows } = await db.query<{ zone: string }>(
    'select time_zone as zone from organization where id = $1',
    [organizationId],
  );
  return rows[0]?.zone ?? 'UTC';
}
