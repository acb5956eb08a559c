import type { Indicator } from '@isotherm/domain/readings/indicator';
import type { Db } from '../../platform/db/pool.ts';

export interface EarlierChannelRow {
  channel_id: number;
  name: string;
  indicator: Indicator;
  device_number: string;
  sensor_serial: string;
  first_at: Date;
  last_at: Date;
}

/**
 * Channels of an asset that measure no more and have spoken there, the latest first: retired ones (decision 9), and
 * those of a device that is deleted and may come back.
 */
export async function listEarlierChannelRows(
  db: Db,
  assetId: number,
  limit: number,
): Promise<EarlierChannelRow[]> {
  const { rows } = await db.query<EarlierChannelRow>(
    `with earlier as (
       select c.id, c.name, c.indicator, c.device_id, c.sensor_id, l.measured_at as last_at
         from channel c join device d on d.id = c.device_id join channel_latest l on l.channel_id = c.id
        where c.asset_id = $1 and (c.retired_at is not null or d.deleted_at is not null)
        order by l.measured_at desc, c.id limit $2
     )
     select e.id as channel_id, e.name, e.indicator, d.number as device_number, s.serial as sensor_serial, e.last_at,
            least((select first_at from sealed_day where channel_id = e.id order by day limit 1),
                  (select min(measured_at) from reading where channel_id = e.id), e.last_at) as first_at
       from earlier e join device d on d.id = e.device_id join sensor s on s.id = e.sensor_id
      order by e.last_at desc, e.id`,
    [assetId, limit],
  );
  return rows;
}
