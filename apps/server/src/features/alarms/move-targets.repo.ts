import type { Coordinates } from '@isotherm/domain/alarms/move-targets';
import type { Db } from '../../platform/db/pool.ts';

/** Coordinates of assets that have some, by asset id. */
export async function findCoordinates(
  db: Db,
  assetIds: readonly number[],
): Promise<Map<number, Coordinates>> {
  const { rows } = await db.query<Coordinates & { id: number }>(
    `select id::float8 as id, latitude, longitude from asset
      where id = any($1::bigint[]) and latitude is not null and longitude is not null`,
    [assetIds],
  );
  return new Map(rows.map(({ id, latitude, longitude }) => [id, { latitude, longitude }]));
}
