import type { TripRoute } from '@isotherm/contracts/waybills';
import type { Db } from '../../../platform/db/pool.ts';

/** A geofence of a waybill, as it is now. */
export interface TripFence extends Pick<TripRoute['fences'][number], 'id' | 'name' | 'role' | 'shape'> {
  waybillId: number;
}

/** Returns the geofences of departure and arrival of waybills. */
export async function listTripFences(db: Db, waybillIds: readonly number[]): Promise<TripFence[]> {
  const { rows } = await db.query<TripFence>(
    `select f.waybill_id as "waybillId", g.id, g.name, f.role, v.shape from waybill_geofence f
       join geofence g on g.id = f.geofence_id
       join geofence_version v on v.geofence_id = g.id and v.valid_until = 'infinity'
      where f.waybill_id = any($1::bigint[]) order by f.waybill_id, f.role desc, g.id`,
    [waybillIds],
  );
  return rows;
}
