import type { READER_VIEWS, ReadAnnouncement, ReceivedAnnouncement } from '@isotherm/contracts/announcements';
import { organizationLine } from '@isotherm/domain/announcements/announcement';
import { attachmentCount } from '../../platform/attachments/attachments.repo.ts';
import { containing } from '../../platform/db/like.ts';
import type { Db } from '../../platform/db/pool.ts';

/** The account that reads, with the path of its organisation. */
export interface Reader {
  accountId: number;
  scope: string;
}

export interface ReceivedRow extends Omit<ReceivedAnnouncement, 'publishedAt'> {
  publishedAt: Date;
}

/** SQL for whether an announcement `a` of an organisation `o` is pinned at a time. */
const isPinned = (now: string) =>
  `(a.pinned_until >= (${now}::timestamptz at time zone o.time_zone)::date is true)`;

/**
 * Query of the announcements for an account: $1 is the account, $2 its organisation and those above it, $3 the time. What was
 * published before the account was created counts as read.
 */
const RECEIVED = `received as (
  select a.*, case when r.announcement_id is null then a.published_at < c.created_at
                   else r.read_at is not null end as is_read,
         r.popup_at, ${isPinned('$3')} as is_pinned,
         o.name as organization_name
    from announcement a join organization o on o.id = a.organization_id join account c on c.id = $1
    left join announcement_receipt r on r.announcement_id = a.id and r.account_id = $1
   where a.state = 'published'
     and a.id in (select t.announcement_id from announcement_target t where t.organization_id = any ($2::bigint[]))
     and (a.role_ids is null
          or exists (select from account_role ar where ar.account_id = $1 and ar.role_id = any (a.role_ids))))`;

const valuesOf = ({ accountId, scope }: Reader, now: Date) => [accountId, organizationLine(scope), now];

const COLUMNS = `a.id, a.title, a.summary, k.name as "categoryName", a.organization_name as "organizationName",
  a.group_name as "groupName", a.published_at as "publishedAt",
  case when a.is_pinned then a.pinned_until::text end as "pinnedUntil", a.is_read as "isRead",
  ${attachmentCount('announcement', 'a.id')} as files`;
const FROM = 'from received a left join announcement_category k on k.id = a.category_id';

export interface Inbox {
  rows: ReceivedRow[];
  total: number;
  counts: { all: number; unread: number; pinned: number };
  categories: { id: number; name: string }[];
}

export async function listReceived(
  db: Db,
  reader: Reader,
  filter: { search: string; categoryId?: number | undefined; view: (typeof READER_VIEWS)[number] },
  page: { limit: number; offset: number },
  now: Date,
): Promise<Inbox> {
  const own = valuesOf(reader, now);
  const where = `where ($4 = '' or a.search_text like $4) and ($5::bigint is null or a.category_id = $5)
    and ($6 <> 'unread' or not a.is_read) and ($6 <> 'pinned' or a.is_pinned)`;
  const values = [
    ...own,
    containing(filter.search.trim().toLowerCase()),
    filter.categoryId ?? null,
    filter.view,
  ];
  const [found, count, counts, categories] = await Promise.all([
    db.query<ReceivedRow>(
      `with ${RECEIVED} select ${COLUMNS} ${FROM} ${where}
        order by a.is_pinned desc, a.published_at desc, a.id desc limit $7 offset $8`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ count: number }>(`with ${RECEIVED} select count(*)::int as count ${FROM} ${where}`, values),
    db.query<Inbox['counts']>(
      `with ${RECEIVED} select count(*)::int as all, count(*) filter (where not is_read)::int as unread,
              count(*) filter (where is_pinned)::int as pinned from received`,
      own,
    ),
    db.query<{ id: number; name: string }>(
      `with ${RECEIVED} select distinct k.id, k.name from received a join announcement_category k on k.id = a.category_id
        order by k.name`,
      own,
    ),
  ]);
  return {
    rows: found.rows,
    total: count.rows[0]?.count ?? 0,
    counts: counts.rows[0] ?? { all: 0, unread: 0, pinned: 0 },
    categories: categories.rows,
  };
}

/** Returns the newest announcements for the account that contain the text, which is in lower case. */
export async function findReceivedLike(
  db: Db,
  reader: Reader,
  text: string,
  limit: number,
  now: Date,
): Promise<Pick<ReceivedRow, 'id' | 'title' | 'organizationName' | 'publishedAt'>[]> {
  const { rows } = await db.query(
    `with ${RECEIVED} select a.id, a.title, a.organization_name as "organizationName", a.published_at as "publishedAt"
       from received a where a.search_text like $4 order by a.published_at desc, a.id desc limit $5`,
    [...valuesOf(reader, now), containing(text), limit],
  );
  return rows;
}

/** Announcements for all users of the organisation with this path, the pinned ones first, then the newest. */
export async function listForAll(
  db: Db,
  path: string,
  limit: number,
  now: Date,
): Promise<Pick<ReceivedRow, 'id' | 'title' | 'summary' | 'organizationName' | 'publishedAt'>[]> {
  const { rows } = await db.query(
    `select a.id, a.title, a.summary, o.name as "organizationName", a.published_at as "publishedAt"
       from announcement a join organization o on o.id = a.organization_id
      where a.state = 'published' and a.role_ids is null
        and a.id in (select t.announcement_id from announcement_target t where t.organization_id = any ($1::bigint[]))
      order by ${isPinned('$2')} desc, a.published_at desc, a.id desc limit $3`,
    [organizationLine(path), now, limit],
  );
  return rows;
}

/** Counts the unread announcements of an account. */
export async function countUnread(db: Db, reader: Reader, now: Date): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'announcement-unread',
    text: `with ${RECEIVED} select count(*)::int as count from received where not is_read`,
    values: valuesOf(reader, now),
  });
  return rows[0]?.count ?? 0;
}

type OneRow = ReceivedRow & { body: string };

/** Returns a published announcement for the account; null if there is none. */
export async function findReceived(db: Db, reader: Reader, id: number, now: Date): Promise<OneRow | null> {
  const { rows } = await db.query<OneRow>(
    `with ${RECEIVED} select ${COLUMNS}, a.body ${FROM} where a.id = $4`,
    [...valuesOf(reader, now), id],
  );
  return rows[0] ?? null;
}

export type ReceivedFile = ReadAnnouncement['files'][number];

/** Marks announcements for the account as read; all of them if no id is given. */
export async function markRead(db: Db, reader: Reader, id: number | null, now: Date): Promise<void> {
  await db.query(
    `with ${RECEIVED}
     insert into announcement_receipt as r (announcement_id, account_id, read_at, first_read_at)
     select id, $1, $3, $3 from received where case when $4::bigint is null then not is_read else id = $4 end
     on conflict (announcement_id, account_id) do update
       set read_at = $3, first_read_at = coalesce(r.first_read_at, $3) where r.read_at is null`,
    [...valuesOf(reader, now), id],
  );
}

/** Marks an announcement as unread. That it was read stays in the receipts. */
export async function markUnread(db: Db, accountId: number, id: number): Promise<void> {
  await db.query(
    `insert into announcement_receipt (announcement_id, account_id) values ($1, $2)
     on conflict (announcement_id, account_id) do update set read_at = null`,
    [id, accountId],
  );
}

export interface PopupRow {
  id: number;
  title: string;
  organizationName: string;
  publishedAt: Date;
  body: string;
  files: number;
}

/**
 * Claims announcements with popup that were not shown yet, the oldest first. Of several consoles that ask at the same time, one
 * gets each.
 */
export async function claimPopups(db: Db, reader: Reader, most: number, now: Date): Promise<PopupRow[]> {
  const { rows } = await db.query<PopupRow>(
    `with ${RECEIVED}
     , due as (
       select a.* from received a where a.popup and not a.is_read and a.popup_at is null order by a.published_at, a.id limit $4
     )
     , claimed as (
       insert into announcement_receipt as r (announcement_id, account_id, popup_at) select id, $1, $3 from due
       on conflict (announcement_id, account_id) do update set popup_at = $3 where r.popup_at is null
       returning announcement_id
     )
     select a.id, a.title, a.organization_name as "organizationName", a.published_at as "publishedAt", a.body,
            ${attachmentCount('announcement', 'a.id')} as files
       from due a join claimed on claimed.announcement_id = a.id order by a.published_at, a.id`,
    [...valuesOf(reader, now), most],
  );
  return rows;
}
