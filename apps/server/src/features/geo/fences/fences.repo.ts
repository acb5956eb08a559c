import type { Geofence, GeofenceInput } from '@isotherm/contracts/geofences';
import type { FenceShape } from '@isotherm/domain/geo/fence';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface FenceRow extends Omit<Geofence, 'changedAt'> {
  organizationPath: string;
  changedAt: Date;
}

export interface FenceFilter {
  search: string;
  organizationId?: number | undefined;
  kind?: string | undefined;
}

export interface FencePage {
  sort: 'name' | 'changedAt';
  order: 'asc' | 'desc';
  limit: number;
  offset: number;
}

/** Number of assets in the caller's scope that are in the current shape of a fence. */
const INSIDE = `(select count(*)::int from geofence_event e join asset a on a.id = e.asset_id and a.deleted_at is null
     join organization ao on ao.id = a.organization_id and ao.path like $1 || '%'
    where e.version_id = v.id and e.until_at is null and e.kind in ('enter', 'found'))`;
const COLUMNS = `g.id, g.organization_id as "organizationId", o.name as "organizationName", o.path as "organizationPath", g.name,
  v.shape, v.margin_m as "marginM", v.dwell_minutes as "dwellMinutes", v.shared, g.note, ${INSIDE} as inside,
  (select count(*)::int from geofence_version n where n.geofence_id = g.id) as version,
  o.path like $1 || '%' as editable, g.changed_by as "changedBy", g.changed_at as "changedAt"`;
const FROM = `from geofence g join organization o on o.id = g.organization_id
  join geofence_version v on v.geofence_id = g.id and v.valid_until = 'infinity'`;
/** Own and subordinate fences, and those that organisations above share. */
const VISIBLE = `g.deleted_at is null and (o.path like $1 || '%' or (v.shared and $1 like o.path || '%'))`;
const SORT = { name: 'lower(g.name)', changedAt: 'g.changed_at' } as const;

export async function listFenceRows(
  db: Db,
  scope: string,
  { search, organizationId, kind }: FenceFilter,
  { sort, order, limit, offset }: FencePage,
): Promise<{ rows: FenceRow[]; total: number }> {
  const where = `where ${VISIBLE} and ($2 = '' or lower(g.name || ' ' || g.note) like $2)
      and ($3::bigint is null or g.organization_id = $3) and ($4::text is null or v.shape->>'kind' = $4)`;
  const values = [scope, containing(search.trim().toLowerCase()), organizationId ?? null, kind ?? null];
  const [found, count] = await Promise.all([
    db.query<FenceRow>(
      `select ${COLUMNS} ${FROM} ${where} order by ${SORT[sort]} ${order}, lower(g.name), g.id limit $5 offset $6`,
      [...values, limit, offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}

/** Returns a fence that the caller can see. */
export async function findFence(db: Db, scope: string, id: number): Promise<FenceRow | null> {
  const { rows } = await db.query<FenceRow>(`select ${COLUMNS} ${FROM} where ${VISIBLE} and g.id = $2`, [
    scope,
    id,
  ]);
  return rows[0] ?? null;
}

export async function lockFence(tx: Tx, id: number): Promise<void> {
  await tx.query('select from geofence where id = $1 for update', [id]);
}

export interface FenceTrace {
  changedBy: string;
  changedAt: Date;
}

export async function insertFence(tx: Tx, form: GeofenceInput & FenceTrace): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into geofence (organization_id, name, note, changed_by, changed_at) values ($1, $2, $3, $4, $5) returning id`,
    [form.organizationId, form.name, form.note, form.changedBy, form.changedAt],
  );
  const { id } = rows[0] as { id: number };
  await insertVersion(tx, id, form);
  return id;
}

async function insertVersion(tx: Tx, id: number, form: GeofenceInput & FenceTrace): Promise<void> {
  await tx.query(
    `insert into geofence_version (geofence_id, valid_from, shape, margin_m, dwell_minutes, shared) values ($1, $2, $3, $4, $5, $6)`,
    [
      id,
      form.changedAt,
      JSON.stringify(form.shape satisfies FenceShape),
      form.marginM,
      form.dwellMinutes,
      form.shared,
    ],
  );
}

export async function updateFence(tx: Tx, id: number, form: GeofenceInput & FenceTrace): Promise<void> {
  await tx.query('update geofence set name = $2, note = $3, changed_by = $4, changed_at = $5 where id = $1', [
    id,
    form.name,
    form.note,
    form.changedBy,
    form.changedAt,
  ]);
}

/** Ends the current version and begins another one. */
export async function replaceVersion(tx: Tx, id: number, form: GeofenceInput & FenceTrace): Promise<void> {
  await endVersion(tx, id, form.changedAt);
  await insertVersion(tx, id, form);
}

async function endVersion(tx: Tx, id: number, at: Date): Promise<void> {
  await tx.query(
    `update geofence_version set valid_until = greatest(valid_from, $2) where geofence_id = $1 and valid_until = 'infinity'`,
    [id, at],
  );
}

/** Deletes a fence by its date; its versions and events stay. */
export async function endFence(tx: Tx, id: number, { changedBy, changedAt }: FenceTrace): Promise<void> {
  await endVersion(tx, id, changedAt);
  await tx.query('update geofence set deleted_at = $2, changed_by = $3, changed_at = $2 where id = $1', [
    id,
    changedAt,
    changedBy,
  ]);
}

/** Number of fences of an organisation. */
export async function countFences(db: Db, organizationId: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::int as count from geofence where organization_id = $1 and deleted_at is null',
    [organizationId],
  );
  return rows[0]?.count ?? 0;
}

/** Those of the names that fences of an organisation have, in lower case. */
export async function findTakenNames(
  db: Db,
  organizationId: number,
  names: readonly string[],
): Promise<Set<string>> {
  const { rows } = await db.query<{ name: string }>(
    `select lower(name) as name from geofence
      where organization_id = $1 and deleted_at is null and lower(name) = any($2::text[])`,
    [organizationId, names.map((name) => name.toLowerCase())],
  );
  return new Set(rows.map(({ name }) => name));
}
