import { AppError } from '@isotherm/contracts/errors';
import type { NamedPerson, RecipientGroup, RecipientGroupInput } from '@isotherm/contracts/recipient-groups';
import type { Person } from '@isotherm/domain/alarms/person';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import { PEOPLE } from '../people.repo.ts';
import { policyUses } from '../policies/policy-uses.repo.ts';

export interface GroupRow extends Omit<RecipientGroup, 'changedAt'> {
  organizationPath: string;
  changedAt: Date;
}

export interface GroupFilter {
  search: string;
  organizationId?: number | undefined;
}

export interface GroupPage {
  sort: 'name' | 'organization' | 'changedAt';
  order: 'asc' | 'desc';
  limit: number;
  offset: number;
}

const COLUMNS = `g.id::float8 as id, g.organization_id::float8 as "organizationId", o.name as "organizationName",
  o.path as "organizationPath", g.name, g.description, g.changed_by as "changedBy", g.changed_at as "changedAt",
  (select count(*)::int from alarm_policy p where ${policyUses('groups', 'g.id')}) as policies`;
const FROM = 'from alarm_recipient_group g join organization o on o.id = g.organization_id';
const SORT = { name: 'lower(g.name)', organization: 'lower(o.name)', changedAt: 'g.changed_at' } as const;

async function withMembers(
  db: Db,
  scope: string,
  groups: readonly Omit<GroupRow, 'members'>[],
): Promise<GroupRow[]> {
  if (groups.length === 0) return [];
  const { rows } = await db.query<NamedPerson & { groupId: number }>(
    `select m.group_id::float8 as "groupId", m.type, m.member_id::float8 as id,
            case when x.path like $1 || '%' then x.name else '' end as name,
            case when x.path like $1 || '%' then x.organization else '' end as "organizationName",
            coalesce(x.email, '') <> '' as "hasEmail",
            x.id is not null and not x.disabled and starts_with(x.path, o.path) as "isActive"
       from alarm_recipient_group_member m
       join alarm_recipient_group g on g.id = m.group_id
       join organization o on o.id = g.organization_id
       left join (${PEOPLE}) x on x.type = m.type and x.id = m.member_id
      where m.group_id = any($2::bigint[])
      order by lower(x.name), m.type, m.member_id`,
    [scope, groups.map(({ id }) => id)],
  );
  return groups.map((group) => ({
    ...group,
    members: rows.filter(({ groupId }) => groupId === group.id).map(({ groupId: _, ...member }) => member),
  }));
}

export async function listGroupRows(
  db: Db,
  scope: string,
  { search, organizationId }: GroupFilter,
  { sort, order, limit, offset }: GroupPage,
): Promise<{ rows: GroupRow[]; total: number }> {
  const where = `where o.path like $1 || '%' and ($2 = '' or lower(g.name) like $2)
      and ($3::bigint is null or g.organization_id = $3)`;
  const values = [scope, containing(search.trim().toLowerCase()), organizationId ?? null];
  const [found, count] = await Promise.all([
    db.query<Omit<GroupRow, 'members'>>(
      `select ${COLUMNS} ${FROM} ${where} order by ${SORT[sort]} ${order}, g.id ${order} limit $4 offset $5`,
      [...values, limit, offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, values),
  ]);
  return { rows: await withMembers(db, scope, found.rows), total: count.rows[0]?.count ?? 0 };
}

export async function findGroup(db: Db, scope: string, id: number): Promise<GroupRow | null> {
  const { rows } = await db.query<Omit<GroupRow, 'members'>>(
    `select ${COLUMNS} ${FROM} where o.path like $1 || '%' and g.id = $2`,
    [scope, id],
  );
  const [group] = await withMembers(db, scope, rows);
  return group ?? null;
}

/** Locks a group, so that it cannot be edited, deleted or chosen by a policy until the transaction ends. */
export async function lockGroup(tx: Tx, id: number): Promise<void> {
  await tx.query('select 1 from alarm_recipient_group where id = $1 for update', [id]);
}

/** Locks groups that a policy is going to name, so that they cannot be deleted before it is stored. */
export async function keepGroups(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.query('select 1 from alarm_recipient_group where id = any($1::bigint[]) order by id for share', [
    ids,
  ]);
}

export interface GroupFields extends RecipientGroupInput {
  changedBy: string;
  changedAt: Date;
}

const valuesOf = (fields: GroupFields) => [
  fields.organizationId,
  fields.name,
  fields.description,
  fields.changedBy,
  fields.changedAt,
];

export async function insertGroup(tx: Tx, fields: GroupFields): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into alarm_recipient_group (organization_id, name, description, changed_by, changed_at)
     values ($1, $2, $3, $4, $5) returning id::float8 as id`,
    valuesOf(fields),
  );
  const [created] = rows;
  if (!created) throw new AppError('recipient_group.not_found');
  await insertMembers(tx, created.id, fields.members);
  return created.id;
}

export async function updateGroup(tx: Tx, id: number, fields: GroupFields): Promise<void> {
  await tx.query(
    `update alarm_recipient_group
        set organization_id = $1, name = $2, description = $3, changed_by = $4, changed_at = $5 where id = $6`,
    [...valuesOf(fields), id],
  );
  await tx.query('delete from alarm_recipient_group_member where group_id = $1', [id]);
  await insertMembers(tx, id, fields.members);
}

async function insertMembers(tx: Tx, id: number, members: readonly Person[]): Promise<void> {
  await tx.query(
    `insert into alarm_recipient_group_member (group_id, type, member_id)
     select $1, type, member_id from unnest($2::text[], $3::bigint[]) as m(type, member_id) on conflict do nothing`,
    [id, members.map(({ type }) => type), members.map((member) => member.id)],
  );
}

/** Deletes a group and its members. */
export async function deleteGroupRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from alarm_recipient_group where id = $1', [id]);
}
