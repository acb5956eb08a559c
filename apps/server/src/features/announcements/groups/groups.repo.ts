import type { AnnouncementGroup, AnnouncementGroupInput } from '@isotherm/contracts/announcement-groups';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import { USERS } from '../audience.repo.ts';
import type { ListedPage } from './categories.repo.ts';

export interface GroupRow extends Omit<AnnouncementGroup, 'changedAt'> {
  organizationPath: string;
  changedAt: Date;
}
export type GroupRole = AnnouncementGroup['roles'][number];

const COLUMNS = `g.id, g.organization_id as "organizationId", o.name as "organizationName", o.path as "organizationPath",
  g.name, g.organization_ids as "organizationIds", g.role_ids as "roleIds",
  array(select t.name from organization t where t.id = any (g.organization_ids) order by lower(t.name)) as "organizationNames",
  coalesce((select json_agg(json_build_object('id', r.id, 'code', r.code, 'name', r.name) order by r.code, r.name)
     from role r where r.id = any (g.role_ids)), '[]') as roles,
  ${USERS('g.organization_ids', 'g.role_ids')} as users, g.changed_by as "changedBy", g.changed_at as "changedAt"`;
const FROM = 'from announcement_group g join organization o on o.id = g.organization_id';
const SORT = { name: 'lower(g.name)', organization: 'lower(o.name)', changedAt: 'g.changed_at' } as const;

export async function listGroupRows(
  db: Db,
  scope: string,
  page: ListedPage,
): Promise<{ rows: GroupRow[]; total: number }> {
  const where = `where o.path like $1 || '%' and ($2 = '' or lower(g.name) like $2)
    and ($3::bigint is null or g.organization_id = $3)`;
  const values = [scope, containing(page.search.trim().toLowerCase()), page.organizationId ?? null];
  const [found, count] = await Promise.all([
    db.query<GroupRow>(
      `select ${COLUMNS} ${FROM} ${where} order by ${SORT[page.sort]} ${page.order}, g.id limit $4 offset $5`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}

export interface GroupChoice {
  id: number;
  name: string;
  organizationName: string;
  users: number;
}

/** User groups that an author can use. */
export async function listGroupChoices(db: Db, scope: string): Promise<GroupChoice[]> {
  const { rows } = await db.query<GroupChoice>(
    `select g.id, g.name, o.name as "organizationName", ${USERS('g.organization_ids', 'g.role_ids')} as users
       ${FROM} where o.path like $1 || '%' order by lower(g.name), g.id`,
    [scope],
  );
  return rows;
}

export async function findGroup(db: Db, scope: string, id: number): Promise<GroupRow | null> {
  const { rows } = await db.query<GroupRow>(
    `select ${COLUMNS} ${FROM} where o.path like $1 || '%' and g.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

/** Locks a user group until the transaction ends. */
export async function lockGroup(tx: Tx, id: number): Promise<void> {
  await tx.query('select from announcement_group where id = $1 for update', [id]);
}

/** Roles that a group can have: system roles, and those of own organisations, of those below, and of those above. */
export async function listRoleChoices(db: Db, scope: string): Promise<GroupRole[]> {
  const { rows } = await db.query<GroupRole>(
    `select r.id, r.code, r.name from role r left join organization o on o.id = r.organization_id
      where r.organization_id is null or o.path like $1 || '%' or $1 like o.path || '%'
      order by r.code nulls last, lower(r.name), r.id`,
    [scope],
  );
  return rows;
}

/** Counts how many of the organisations exist within the scope. */
export async function countOrganizations(db: Db, scope: string, ids: readonly number[]): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from organization where id = any ($2) and path like $1 || '%'`,
    [scope, ids],
  );
  return rows[0]?.count ?? 0;
}

/** Returns whether a draft or a scheduled announcement is for the group. */
export async function isGroupUsed(db: Db, id: number): Promise<boolean> {
  const { rows } = await db.query(
    `select from announcement where group_id = $1 and state in ('draft', 'scheduled') limit 1`,
    [id],
  );
  return rows.length > 0;
}

export interface GroupFields extends AnnouncementGroupInput {
  changedBy: string;
  changedAt: Date;
}

const valuesOf = (fields: GroupFields) => [
  fields.organizationId,
  fields.name,
  fields.organizationIds,
  fields.roleIds,
  fields.changedBy,
  fields.changedAt,
];

export async function insertGroup(tx: Tx, fields: GroupFields): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into announcement_group (organization_id, name, organization_ids, role_ids, changed_by, changed_at)
     values ($1, $2, $3, $4, $5, $6) returning id`,
    valuesOf(fields),
  );
  return (rows[0] as { id: number }).id;
}

export async function updateGroup(tx: Tx, id: number, fields: GroupFields): Promise<void> {
  await tx.query(
    `update announcement_group set organization_id = $1, name = $2, organization_ids = $3, role_ids = $4, changed_by = $5,
            changed_at = $6
      where id = $7`,
    [...valuesOf(fields), id],
  );
}

export async function deleteGroup(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from announcement_group where id = $1', [id]);
}
