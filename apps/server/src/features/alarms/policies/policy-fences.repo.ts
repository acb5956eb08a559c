import type { PolicyFence } from '@isotherm/contracts/alarm-policies';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

const FOUND = 50;

/**
 * SQL for the geofences that policies of an organisation may name: its own, those of organisations below, and those that organisations
 * above share. `path` is an SQL expression for its path.
 */
const usableAt = (path: string): string => `
  from geofence g join organization o on o.id = g.organization_id
  join geofence_version v on v.geofence_id = g.id and v.valid_until = 'infinity'
 where g.deleted_at is null and (o.path like ${path} || '%' or (v.shared and ${path} like o.path || '%'))`;

/**
 * Lists geofences that policies of the organisation at `path` may name: those with the given ids or, if no ids are given, the first ones
 * that match the search.
 */
export async function listPolicyFences(
  db: Db,
  path: string,
  asked: { search: string } | { ids: readonly number[] },
): Promise<PolicyFence[]> {
  const { rows } = await db.query<PolicyFence>(
    `select g.id::float8 as id, g.name, o.name as "organizationName" ${usableAt('$1')}
        and ($2::bigint[] is null or g.id = any($2)) and ($3 = '' or lower(g.name || ' ' || g.note) like $3)
      order by lower(g.name), g.id limit case when $2::bigint[] is null then $4::int end`,
    [
      path,
      'ids' in asked ? asked.ids : null,
      containing('search' in asked ? asked.search.trim().toLowerCase() : ''),
      FOUND,
    ],
  );
  return rows;
}

/** Keeps these geofences from being deleted or changed until the transaction ends. */
export async function keepFences(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.query('select from geofence where id = any($1::bigint[]) order by id for share', [ids]);
}

/** Names of geofences, also of deleted ones. */
export async function namesOfFences(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await db.query<{ id: number; name: string }>(
    'select id::float8 as id, name from geofence where id = any($1::bigint[])',
    [ids],
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Policies that name a geofence: whether there are any, and the names of the first ones within the scope. */
export async function findPoliciesAtFence(
  db: Db,
  scope: string,
  fenceId: number,
): Promise<{ isNamed: boolean; names: string[] }> {
  const { rows } = await db.query<{ name: string; visible: boolean }>(
    `select p.name, o.path like $1 || '%' as visible
       from alarm_policy p join organization o on o.id = p.organization_id
      where p.deleted_at is null
        and p.definition -> 'conditions' @> jsonb_build_array(jsonb_build_object('fence', jsonb_build_object('fenceId', $2::bigint)))
      order by visible desc, lower(p.name) limit 5`,
    [scope, fenceId],
  );
  return { isNamed: rows.length > 0, names: rows.filter(({ visible }) => visible).map(({ name }) => name) };
}
