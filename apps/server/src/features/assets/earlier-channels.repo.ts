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
 * Lists channels that measured an asset in the past, the latest first: channels of ended bindings (decision
 * 23) and of a deleted device that can be restored. Only channels with readings are listed; times are
 * clipped to these readings.
 */
export async function listEarlierChannelRows(
  db: Db,
  assetId: number,
  limit: number,
): Promise<EarlierChannelRow[]> {
  const { rows } = await db.query<
    Omit<EarlierChannelRow, 'first_at'> & { valid_from: Date | number; newest_at: Date }
  >(
    `select c.id as channel_id, c.name, c.indicator, d.number as device_number,
            coalesce(b.sensor_serial, s.serial) as sensor_serial, b.valid_from, l.measured_at as newest_at,
            least(l.measured_at, b.valid_until) as last_at
       from channel c join binding b on b.channel_id = c.id
       join device d on d.id = b.device_id join sensor s on s.id = b.sensor_id
       join channel_latest l on l.channel_id = c.id
      where c.asset_id = $1 and (b.valid_until < 'infinity' or d.deleted_at is not null) and l.measured_at >= b.valid_from
      order by last_at desc, c.id limit $2`,
    [assetId, limit],
  );
  const first = await listFirstTimes(
    db,
    rows.map((row) => row.channel_id),
  );
  return rows
    .map((row) => ({ ...row, first_at: later(row.valid_from, first.get(row.channel_id) ?? row.newest_at) }))
    .filter((row) => row.first_at <= row.last_at);
}

/** The start is `-Infinity` if it has no bound. */
function later(one: Date | number, other: Date): Date {
  return one instanceof Date && one > other ? one : other;
}

/** Returns the time of the oldest reading of each channel. */
async function listFirstTimes(db: Db, channelIds: readonly number[]): Promise<Map<number, Date>> {
  const { rows } = await db.query<{ channel_id: number; first_at: Date }>(
    `select channel_id, min(first_at) as first_at
       from (select channel_id, min(measured_at) as first_at from reading
              where channel_id = any($1::int4[]) group by channel_id
             union all
             select s.channel_id, s.first_at
               from sealed_day s
               join (select channel_id, min(day) as day from sealed_day
                      where channel_id = any($1::int4[]) group by channel_id) f
                 on f.channel_id = s.channel_id and f.day = s.day) t
      group by channel_id`,
    [channelIds],
  );
  return new Map(rows.map((row) => [row.channel_id, row.first_at]));
}
