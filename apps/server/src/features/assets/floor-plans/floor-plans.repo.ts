import type { FloorPlan, Placeable, PlanPoint } from '@isotherm/contracts/floor-plans';
import { OUT_OF_SERVICE } from '@isotherm/domain/assets/asset-status';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

/** A floor plan as the API returns it, with the time as a `Date`. */
export interface PlanRow extends Omit<FloorPlan, 'changedAt'> {
  organizationPath: string;
  changedAt: Date;
}

export interface Picture {
  bytes: Buffer;
  mediaType: FloorPlan['mediaType'];
  width: number;
  height: number;
}

export type Place = Pick<PlanPoint, 'assetId' | 'channelId' | 'x' | 'y'>;

const COLUMNS = `f.id, f.organization_id as "organizationId", o.name as "organizationName", o.path as "organizationPath",
       f.name, f.floor, f.media_type as "mediaType", f.width, f.height, f.picture_number as picture, f.version,
       f.changed_by as "changedBy", f.changed_at as "changedAt"`;
const FROM = 'from floor_plan f join organization o on o.id = f.organization_id';

/**
 * Points that may be shown on a plan: assets in service of its organisation and below. A point whose asset
 * is no longer in service, or whose channel is retired, is hidden, and appears again when that is undone.
 */
const STANDING = `p.plan_id = $1 and exists (
    select 1 from asset a join organization ao on ao.id = a.organization_id
     where a.id = p.asset_id and a.deleted_at is null and a.status <> all($2) and ao.path like $3 || '%'
       and (p.channel_id is null or exists (
             select 1 from channel c where c.id = p.channel_id and c.asset_id = a.id and c.retired_at is null)))`;

export async function listPlanRows(
  db: Db,
  filter: { scope: string; search: string; assetId: number | null },
  page: { limit: number; offset: number },
): Promise<{ rows: PlanRow[]; total: number }> {
  const where = `where o.path like $1 || '%'
      and ($2 = '' or lower(f.name) like $2 or lower(o.name) like $2)
      and ($3::bigint is null
           or exists (select 1 from floor_plan_point p where p.plan_id = f.id and p.asset_id = $3))`;
  const search = containing(filter.search.toLowerCase());
  const values = [filter.scope, search, filter.assetId];
  const [rows, count] = await Promise.all([
    db.query<PlanRow>(
      `select ${COLUMNS} ${FROM} ${where} order by lower(o.name), o.id, f.floor, lower(f.name), f.id limit $4 offset $5`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ count: number }>(`select count(*) as count ${FROM} ${where}`, values),
  ]);
  return { rows: rows.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findPlan(db: Db, scope: string, id: number): Promise<PlanRow | null> {
  const { rows } = await db.query<PlanRow>(
    `select ${COLUMNS} ${FROM} where o.path like $1 || '%' and f.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

/** Locks the plan, so that two users who change it are serialised. */
export async function lockPlan(tx: Tx, id: number): Promise<void> {
  await tx.query('select 1 from floor_plan where id = $1 for update', [id]);
}

export async function readPicture(db: Db, id: number): Promise<Pick<Picture, 'bytes' | 'mediaType'> | null> {
  const { rows } = await db.query<Pick<Picture, 'bytes' | 'mediaType'>>(
    'select media_type as "mediaType", picture as bytes from floor_plan where id = $1',
    [id],
  );
  return rows[0] ?? null;
}

export async function insertPlan(
  tx: Tx,
  plan: { organizationId: number; name: string; floor: number; by: string; at: Date } & Picture,
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into floor_plan (organization_id, name, floor, media_type, picture, width, height, changed_by, changed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id`,
    [
      plan.organizationId,
      plan.name,
      plan.floor,
      plan.mediaType,
      plan.bytes,
      plan.width,
      plan.height,
      plan.by,
      plan.at,
    ],
  );
  return (rows[0] as { id: number }).id;
}

export async function updatePlan(tx: Tx, id: number, fields: { name: string; floor: number }): Promise<void> {
  await tx.query('update floor_plan set name = $2, floor = $3 where id = $1', [
    id,
    fields.name,
    fields.floor,
  ]);
}

export async function updatePicture(tx: Tx, id: number, picture: Picture): Promise<void> {
  await tx.query(
    `update floor_plan set media_type = $2, picture = $3, width = $4, height = $5,
            picture_number = picture_number + 1 where id = $1`,
    [id, picture.mediaType, picture.bytes, picture.width, picture.height],
  );
}

export async function markChanged(tx: Tx, id: number, by: string, at: Date): Promise<void> {
  await tx.query(
    'update floor_plan set version = version + 1, changed_by = $2, changed_at = $3 where id = $1',
    [id, by, at],
  );
}

export async function deletePlanRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from floor_plan_point where plan_id = $1', [id]);
  await tx.query('delete from floor_plan where id = $1', [id]);
}

export async function listPoints(
  db: Db,
  plan: { id: number; organizationPath: string },
): Promise<PlanPoint[]> {
  const { rows } = await db.query<PlanPoint>(
    `select p.asset_id as "assetId", p.channel_id as "channelId", p.x, p.y, a.name as "assetName",
            a.code as "assetCode", a.kind as "assetKind", c.name as "channelName"
       from floor_plan_point p join asset a on a.id = p.asset_id left join channel c on c.id = p.channel_id
      where ${STANDING} order by lower(a.name), a.id, p.channel_id nulls first`,
    [plan.id, OUT_OF_SERVICE, plan.organizationPath],
  );
  return rows;
}

/** Replaces the points; returns how many of them may be on the plan. */
export async function replacePoints(
  tx: Tx,
  plan: { id: number; organizationPath: string },
  points: readonly Place[],
): Promise<number> {
  const values = [plan.id, OUT_OF_SERVICE, plan.organizationPath];
  await tx.query(`delete from floor_plan_point p where ${STANDING}`, values);
  const { rowCount } = await tx.query(
    `insert into floor_plan_point (plan_id, asset_id, channel_id, x, y)
     select p.plan_id, p.asset_id, p.channel_id, p.x, p.y
       from (select $1::bigint as plan_id, given.* from unnest($4::bigint[], $5::integer[], $6::float8[], $7::float8[])
               as given (asset_id, channel_id, x, y)) p
      where ${STANDING} on conflict do nothing`,
    [
      ...values,
      points.map(({ assetId }) => assetId),
      points.map(({ channelId }) => channelId),
      points.map(({ x }) => x),
      points.map(({ y }) => y),
    ],
  );
  return rowCount ?? 0;
}

export async function listPlaceableRows(
  db: Db,
  path: string,
  search: string,
  limit: number,
): Promise<Placeable[]> {
  const { rows } = await db.query<Placeable>(
    `select a.id, a.name, a.code, a.kind,
            coalesce((select json_agg(json_build_object('id', c.id, 'name', c.name, 'indicator', c.indicator)
                                      order by s.index, c.id)
                        from channel c join sensor s on s.id = c.sensor_id
                       where c.asset_id = a.id and c.retired_at is null), '[]') as channels
       from asset a join organization o on o.id = a.organization_id
      where a.deleted_at is null and a.status <> all($1) and o.path like $2 || '%'
        and ($3 = '' or a.search_text like $3)
      order by lower(a.name), a.id limit $4`,
    [OUT_OF_SERVICE, path, containing(search.toLowerCase()), limit],
  );
  return rows;
}
