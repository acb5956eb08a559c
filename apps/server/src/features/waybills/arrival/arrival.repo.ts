import type { FenceShape } from '@isotherm/domain/geo/fence';
import type { Db } from '../../../platform/db/pool.ts';

/** Returns the arrival fences of waybills as they are now. */
export async function listArrivalFences(
  db: Db,
  waybillIds: readonly number[],
): Promise<{ waybillId: number; shape: FenceShape }[]> {
  const { rows } = await db.query<{ waybillId: number; shape: FenceShape }>(
    `select f.waybill_id as "waybillId", v.shape from waybill_geofence f
       join geofence_version v on v.geofence_id = f.geofence_id and v.valid_until = 'infinity'
      where f.waybill_id = any($1::bigint[]) and f.role = 'arrival' order by f.waybill_id, f.geofence_id`,
    [waybillIds],
  );
  return rows;
}
