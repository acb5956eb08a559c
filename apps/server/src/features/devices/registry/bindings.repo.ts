import type { Tx } from '../../../platform/db/pool.ts';

export interface Bond {
  deviceId: number;
  /** Null takes it off. */
  assetId: number | null;
}

/**
 * Binds devices anew. What a channel has measured stays with where it was measured (decision 9): a channel with
 * history is retired there, and its sensor goes on as a new measuring point with its calibrations. Answers the
 * retired channels.
 */
export async function rebind(tx: Tx, bonds: readonly Bond[], by: string, now: Date): Promise<number[]> {
  const values = [bonds.map(({ deviceId }) => deviceId), bonds.map(({ assetId }) => assetId)];
  await tx.query(
    `update device d set asset_id = b.asset_id, version = version + 1, changed_by = $3, changed_at = $4
       from unnest($1::bigint[], $2::bigint[]) as b(device_id, asset_id) where d.id = b.device_id`,
    [...values, by, now],
  );
  const { rows } = await tx.query<{ id: number }>(
    `update channel c set retired_at = $2
      where c.device_id = any($1) and c.retired_at is null
        and exists (select 1 from channel_latest l where l.channel_id = c.id)
     returning c.id`,
    [values[0], now],
  );
  const retired = rows.map(({ id }) => id);
  await tx.query(
    `update channel c set asset_id = b.asset_id
       from unnest($1::bigint[], $2::bigint[]) as b(device_id, asset_id)
      where c.device_id = b.device_id and c.retired_at is null`,
    values,
  );
  await tx.query(
    `with renewed as (
       insert into channel (sensor_id, device_id, asset_id, indicator, name)
       select c.sensor_id, c.device_id, d.asset_id, c.indicator, c.name
         from channel c join device d on d.id = c.device_id where c.id = any($1)
       returning id, sensor_id, indicator
     )
     insert into calibration_point (calibration_id, channel_id, position, reference, reading, uncertainty)
     select p.calibration_id, r.id, p.position, p.reference, p.reading, p.uncertainty
       from renewed r join channel c on c.sensor_id = r.sensor_id and c.indicator = r.indicator and c.id = any($1)
       join calibration_point p on p.channel_id = c.id
       join calibration k on k.id = p.calibration_id and k.ended_at is null`,
    [retired],
  );
  return retired;
}
