import type {
  AnnouncementCategory,
  AnnouncementCategoryInput,
} from '@isotherm/contracts/announcement-groups';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface CategoryRow extends Omit<AnnouncementCategory, 'changedAt'> {
  organizationPath: string;
  changedAt: Date;
}

const COLUMNS = `k.id, k.organization_id as "organizationId", o.name as "organizationName", o.path as "organizationPath",
  k.name, (select count(*)::int from announcement a where a.category_id = k.id) as announcements,
  k.changed_by as "changedBy", k.changed_at as "changedAt"`;
const FROM = 'from announcement_category k join organization o on o.id = k.organization_id';
const SORT = { name: 'lower(k.name)', organization: 'lower(o.name)', changedAt: 'k.changed_at' } as const;

export interface ListedPage {
  search: string;
  organizationId?: number | undefined;
  sort: keyof typeof SORT;
  order: 'asc' | 'desc';
  limit: number;
  offset: number;
}

export async function listCategoryRows(
  db: Db,
  scope: string,
  page: ListedPage,
): Promise<{ rows: CategoryRow[]; total: number }> {
  const where = `where o.path like $1 || '%' and ($2 = '' or lower(k.name) like $2)
    and ($3::bigint is null or k.organization_id = $3)`;
  const values = [scope, containing(page.search.trim().toLowerCase()), page.organizationId ?? null];
  const [found, count] = await Promise.all([
    db.query<CategoryRow>(
      `select ${COLUMNS} ${FROM} ${where} order by ${SORT[page.sort]} ${page.order}, k.id limit $4 offset $5`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}

/** Categories that an author can use: own and subordinate ones, and those of organisations above. */
export async function listCategoryChoices(db: Db, scope: string): Promise<{ id: number; name: string }[]> {
  const { rows } = await db.query<{ id: number; name: string }>(
    `select k.id, k.name ${FROM} where o.path like $1 || '%' or $1 like o.path || '%' order by lower(k.name), k.id`,
    [scope],
  );
  return rows;
}

/** Returns whether an author can use a category. */
export async function findCategory(db: Db, scope: string, id: number): Promise<boolean> {
  const { rows } = await db.query(
    `select ${FROM} where k.id = $2 and (o.path like $1 || '%' or $1 like o.path || '%')`,
    [scope, id],
  );
  return rows.length > 0;
}

export async function findOwnCategory(db: Db, scope: string, id: number): Promise<CategoryRow | null> {
  const { rows } = await db.query<CategoryRow>(
    `select ${COLUMNS} ${FROM} where o.path like $1 || '%' and k.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

/** Locks a category until the transaction ends. */
export async function lockCategory(tx: Tx, id: number): Promise<void> {
  await tx.query('select from announcement_category where id = $1 for update', [id]);
}

export interface CategoryFields extends AnnouncementCategoryInput {
  changedBy: string;
  changedAt: Date;
}

export async function insertCategory(tx: Tx, fields: CategoryFields): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into announcement_category (organization_id, name, changed_by, changed_at) values ($1, $2, $3, $4) returning id`,
    [fields.organizationId, fields.name, fields.changedBy, fields.changedAt],
  );
  return (rows[0] as { id: number }).id;
}

export async function updateCategory(tx: Tx, id: number, fields: CategoryFields): Promise<void> {
  await tx.query(
    'update announcement_category set organization_id = $1, name = $2, changed_by = $3, changed_at = $4 where id = $5',
    [fields.organizationId, fields.name, fields.changedBy, fields.changedAt, id],
  );
}

export async function deleteCategory(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from announcement_category where id = $1', [id]);
}
