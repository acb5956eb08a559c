import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface BindableAsset {
  id: number;
  name: string;
  code: string;
  organization_id: number;
  organization_name: string;
}

const ASSET = `select a.id, a.name, a.code, a.organization_id, o.name as organization_name
       from asset a join organization o on o.id = a.organization_id where o.path like $1 || '%' and a.deleted_at is null`;

export async function searchAssets(
  db: Db,
  scope: string,
  search: string,
  organizationId: number | null,
  limit: number,
): Promise<BindableAsset[]> {
  const { rows } = await db.query<BindableAsset>(
    `${ASSET} and ($2 = '' or lower(a.name || ' ' || a.code) like $2) and ($3::bigint is null or a.organization_id = $3)
      order by a.name, a.id limit $4`,
    [scope, containing(search.toLowerCase()), organizationId, limit],
  );
  return rows;
}

/** Locks assets until the end of the transaction, so that no other transaction deletes or moves them. */
export async function holdAssets(
  tx: Tx,
  scope: string,
  ids: readonly number[],
): Promise<Map<number, BindableAsset>> {
  const { rows } = await tx.query<BindableAsset>(`${ASSET} and a.id = any($2) order by a.id for share of a`, [
    scope,
    ids,
  ]);
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Returns the asset for each device in the list, by its code in the device's own organisation. Devices or
 * assets outside the scope are omitted.
 */
export async function findAssetsByCode(
  db: Db,
  scope: string,
  numbers: readonly string[],
  codes: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await db.query<{ number: string; id: number }>(
    `select w.number, a.id from unnest($2::text[], $3::text[]) as w(number, code)
       join device d on d.number = w.number and d.deleted_at is null
       join organization o on o.id = d.organization_id and o.path like $1 || '%'
       join asset a on a.organization_id = d.organization_id and a.code = w.code and a.deleted_at is null`,
    [scope, numbers, codes],
  );
  return new Map(rows.map(({ number, id }) => [number, id]));
}
