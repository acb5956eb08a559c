import { KIND_OF } from '@isotherm/domain/alarms/catalogue';
import { LOCK_KEYS } from '../../../platform/db/lock-keys.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface GroupRow {
  id: number;
  parent_id: number | null;
  path: string;
  organization_id: number;
  organization_name: string;
  organization_path: string;
  name: string;
  description: string;
  assets: number;
}

const SELECT = `
  select g.id, g.parent_id, g.path, g.organization_id, o.name as organization_name, o.path as organization_path,
         g.name, g.description,
         (select count(*) from asset_group_member m join asset a on a.id = m.asset_id
           where m.group_id = g.id and a.deleted_at is null)::int as assets
    from asset_group g join organization o on o.id = g.organization_id`;

/** Lists groups, parents before children. */
export async function listGroupRows(db: Db, scope: string): Promise<GroupRow[]> {
  const { rows } = await db.query<GroupRow>(
    `${SELECT} where o.path like $1 || '%'
      order by length(g.path) - length(replace(g.path, '/', '')), lower(g.name), g.id`,
    [scope],
  );
  return rows;
}

export async function findGroup(db: Db, scope: string, id: number): Promise<GroupRow | null> {
  const { rows } = await db.query<GroupRow>(`${SELECT} where o.path like $1 || '%' and g.id = $2`, [
    scope,
    id,
  ]);
  return rows[0] ?? null;
}

/** Locks all groups, because two simultaneous moves could create a cycle. */
export async function lockGroups(tx: Tx): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1)', [LOCK_KEYS.assetGroups]);
}

export interface GroupFields {
  name: string;
  description: string;
}

export async function insertGroup(
  tx: Tx,
  organizationId: number,
  parent: { id: number; path: string } | null,
  fields: GroupFields,
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `with made as (select nextval(pg_get_serial_sequence('asset_group', 'id')) as id)
     insert into asset_group (id, organization_id, parent_id, path, name, description) overriding system value
     select made.id, $1, $2, $3 || made.id || '/', $4, $5 from made returning id`,
    [organizationId, parent?.id ?? null, parent?.path ?? '/', fields.name, fields.description],
  );
  return (rows[0] as { id: number }).id;
}

export async function updateGroup(tx: Tx, id: number, fields: GroupFields): Promise<void> {
  await tx.query('update asset_group set name = $2, description = $3 where id = $1', [
    id,
    fields.name,
    fields.description,
  ]);
}

/** Moves a group with its subgroups under another group, or to the top. */
export async function moveGroup(
  tx: Tx,
  group: { id: number; path: string },
  parent: { id: number; path: string } | null,
): Promise<void> {
  await tx.query('update asset_group set parent_id = $2 where id = $1', [group.id, parent?.id ?? null]);
  await tx.query(
    `update asset_group set path = $2 || $3 || '/' || substr(path, length($1) + 1) where path like $1 || '%'`,
    [group.path, parent?.path ?? '/', String(group.id)],
  );
}

export async function hasChildren(db: Db, id: number): Promise<boolean> {
  const { rowCount } = await db.query('select 1 from asset_group where parent_id = $1 limit 1', [id]);
  return (rowCount ?? 0) > 0;
}

export async function deleteGroupRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from asset_group_member where group_id = $1', [id]);
  await tx.query('delete from asset_group where id = $1', [id]);
}

/**
 * Adds those of the assets that are within the path; returns how many of the given assets are in the group
 * afterwards.
 */
export async function addMembers(
  tx: Tx,
  groupId: number,
  path: string,
  assetIds: readonly number[],
): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `with fitting as (
       select a.id from asset a join organization o on o.id = a.organization_id
        where a.id = any($3) and a.deleted_at is null and o.path like $2 || '%'
     ), put as (
       insert into asset_group_member (group_id, asset_id) select $1, id from fitting on conflict do nothing
     )
     select count(*) as count from fitting`,
    [groupId, path, assetIds],
  );
  return rows[0]?.count ?? 0;
}

export async function removeMembers(tx: Tx, groupId: number, assetIds: readonly number[]): Promise<number> {
  const { rowCount } = await tx.query(
    'delete from asset_group_member where group_id = $1 and asset_id = any($2)',
    [groupId, assetIds],
  );
  return rowCount ?? 0;
}

export interface TreeRow {
  id: number;
  parent_id: number | null;
  code: string;
  name: string;
  assets: number;
  level: number;
  silent: number;
}

/** Lists organisations, parents before children, each with its own assets and the worst state among them. */
export async function listTreeRows(db: Db, scope: string): Promise<TreeRow[]> {
  const { rows } = await db.query<TreeRow>(
    `with held as (
       select organization_id, count(*)::int as assets from asset where deleted_at is null group by organization_id
     ), worst as (
       select a.organization_id, coalesce(max(l.level) filter (where l.kind <> '${KIND_OF.silence}'), 0)::int as level,
              count(distinct a.id) filter (where l.kind = '${KIND_OF.silence}')::int as silent
         from alarm l join asset a on a.id = l.asset_id
        where l.ended_at is null and a.deleted_at is null
        group by a.organization_id
     )
     select o.id, o.parent_id, o.code, o.name, coalesce(held.assets, 0) as assets, coalesce(worst.level, 0) as level,
            coalesce(worst.silent, 0) as silent
       from organization o
       left join held on held.organization_id = o.id
       left join worst on worst.organization_id = o.id
      where o.path like $1 || '%'
      order by length(o.path) - length(replace(o.path, '/', '')), o.name, o.id`,
    [scope],
  );
  return rows;
}
