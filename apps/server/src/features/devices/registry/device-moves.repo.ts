import type { Tx } from '../../../platform/db/pool.ts';

export interface MovableDevice {
  id: number;
  number: string;
  name: string;
  organizationId: number;
  organizationPath: string;
  isDeleted: boolean;
  assetId: number | null;
  assetCode: string | null;
}

export interface MovableAsset {
  id: number;
  name: string;
  organizationId: number;
}

/** Locks devices until the end of the transaction, and returns them as they are then. */
export async function holdMovableDevices(
  tx: Tx,
  ids: readonly number[],
): Promise<Map<number, MovableDevice>> {
  // The lock is taken in a query of its own, because a query that waits for a lock would still see the joined rows as they were.
  await tx.query('select 1 from device where id = any($1::bigint[]) order by id for update', [ids]);
  const { rows } = await tx.query<MovableDevice>(
    `select d.id, d.number, d.name, d.organization_id as "organizationId", o.path as "organizationPath",
            d.deleted_at is not null as "isDeleted", d.asset_id as "assetId", a.code as "assetCode"
       from device d join organization o on o.id = d.organization_id left join asset a on a.id = d.asset_id
      where d.id = any($1::bigint[]) order by d.id`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Locks assets that were not deleted until the end of the transaction, so that no other one deletes or moves them. */
export async function holdMovableAssets(tx: Tx, ids: readonly number[]): Promise<Map<number, MovableAsset>> {
  const { rows } = await tx.query<MovableAsset>(
    `select id, name, organization_id as "organizationId" from asset
      where id = any($1::bigint[]) and deleted_at is null order by id for share`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}
