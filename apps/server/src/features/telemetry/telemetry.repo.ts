import { float4Array, int4Array, timestamptzArray } from '../../platform/db/binary-array.ts';
import type { Db, Tx } from '../../platform/db/pool.ts';

/** Columns of readings, in PostgreSQL's binary format. Times are in epoch ms. */
export interface ReadingColumns {
  channelId: ArrayLike<number>;
  delayS: ArrayLike<number>;
  at: ArrayLike<number>;
  value: ArrayLike<number>;
}

function encode(columns: ReadingColumns): Buffer[] {
  return [
    int4Array(columns.channelId),
    int4Array(columns.delayS),
    timestamptzArray(columns.at),
    float4Array(columns.value),
  ];
}

/** Stores readings; existing ones are not changed, so that a resend has no effect. */
export async function insertReadings(tx: Tx, columns: ReadingColumns): Promise<void> {
  await tx.query({
    name: 'insert-readings',
    text: `insert into reading (channel_id, delay_s, measured_at, value)
           select * from unnest($1::int4[], $2::int4[], $3::timestamptz[], $4::float4[])
           on conflict do nothing`,
    values: encode(columns),
  });
}

/** Like `insertReadings`, but returns which readings were new. */
export async function insertReadingsReturning(
  tx: Tx,
  columns: ReadingColumns,
): Promise<{ channelId: number; at: number }[]> {
  const { rows } = await tx.query<{ channel_id: number; at: number }>({
    name: 'insert-readings-returning',
    text: `insert into reading (channel_id, delay_s, measured_at, value)
           select * from unnest($1::int4[], $2::int4[], $3::timestamptz[], $4::float4[])
           on conflict do nothing
           returning channel_id, (extract(epoch from measured_at) * 1000)::float8 as at`,
    values: encode(columns),
  });
  return rows.map((row) => ({ channelId: row.channel_id, at: row.at }));
}

/** Deletes readings that turned out to come from a wrong clock; only those with this delay. */
export async function deleteReadings(
  tx: Tx,
  columns: Pick<ReadingColumns, 'channelId' | 'at' | 'delayS'>,
): Promise<void> {
  await tx.query(
    `delete from reading
      where (channel_id, measured_at, delay_s) in (select * from unnest($1::int4[], $2::timestamptz[], $3::int4[]))`,
    [int4Array(columns.channelId), timestamptzArray(columns.at), int4Array(columns.delayS)],
  );
}

/** Returns the time of the newest reading per channel, epoch ms. */
export async function readLatestTimes(tx: Tx, channelIds: ArrayLike<number>): Promise<Map<number, number>> {
  const { rows } = await tx.query<[number, number]>({
    name: 'latest-times',
    text: `select channel_id, (extract(epoch from measured_at) * 1000)::float8
             from channel_latest where channel_id = any($1::int4[])`,
    values: [int4Array(channelIds)],
    rowMode: 'array',
  } as never);
  return new Map(rows);
}

export interface LatestColumns {
  channelId: number[];
  at: number[];
  receivedAt: number[];
  value: number[];
}

export async function upsertLatest(tx: Tx, columns: LatestColumns): Promise<void> {
  await tx.query({
    name: 'upsert-latest',
    text: `insert into channel_latest (channel_id, measured_at, received_at, value)
           select * from unnest($1::int4[], $2::timestamptz[], $3::timestamptz[], $4::float4[])
           on conflict (channel_id) do update
             set measured_at = excluded.measured_at, received_at = excluded.received_at, value = excluded.value
           where excluded.measured_at > channel_latest.measured_at`,
    values: [
      int4Array(columns.channelId),
      timestamptzArray(columns.at),
      timestamptzArray(columns.receivedAt),
      float4Array(columns.value),
    ],
  });
}

/** Distance, about 50 m, below which a vehicle has no direction of travel. */
const MOVED_DEG = 0.0005;

export interface PositionRow {
  device_id: number;
  at: number;
  latitude: number;
  longitude: number;
  speed_kmh: number | null;
  heading_deg: number | null;
}

/**
 * Stores positions, and the newest as the place of the asset that the device is bound to since before it. The statement
 * takes its row locks in the order of the assets, as every other batch does.
 */
export async function insertPositions(tx: Tx, rows: readonly PositionRow[]): Promise<void> {
  await tx.query({
    name: 'insert-positions',
    text: `with sent as materialized (
             select distinct on (device_id, at) device_id, to_timestamp(at / 1000) as measured_at, latitude, longitude, speed_kmh, heading_deg
               from jsonb_to_recordset($1::jsonb)
                 as p(device_id bigint, at float8, latitude float8, longitude float8, speed_kmh real, heading_deg smallint)
           ), stored as (
             insert into position (device_id, measured_at, latitude, longitude, speed_kmh, heading_deg)
             select device_id, measured_at, latitude, longitude, speed_kmh, heading_deg from sent
             on conflict do nothing
           ), newest as (
             select distinct on (d.asset_id) d.asset_id, s.*
               from (select distinct on (device_id) * from sent
                      where latitude <> 0 or longitude <> 0 order by device_id, measured_at desc) s
               join device d on d.id = s.device_id and d.asset_id is not null and s.measured_at < coalesce(d.expires_at, 'infinity')
              where not exists (select 1 from binding b join channel c on c.id = b.channel_id
                                 where b.device_id = d.id and c.asset_id = d.asset_id and b.valid_until = 'infinity'
                                   and b.valid_from > s.measured_at)
              order by d.asset_id, s.measured_at desc
           )
           insert into asset_position as known (asset_id, device_id, measured_at, latitude, longitude, speed_kmh, heading_deg)
           select asset_id, device_id, measured_at, latitude, longitude, speed_kmh, heading_deg from newest
           on conflict (asset_id) do update
              set device_id = excluded.device_id, measured_at = excluded.measured_at, latitude = excluded.latitude,
                  longitude = excluded.longitude, speed_kmh = excluded.speed_kmh, heading_deg = excluded.heading_deg,
                  moved_from = case when abs(excluded.latitude - known.latitude) + abs(excluded.longitude - known.longitude) > ${MOVED_DEG}
                                    then point(known.longitude, known.latitude) else known.moved_from end
            where excluded.measured_at > known.measured_at`,
    values: [JSON.stringify(rows)],
  });
}

export async function deleteRejectedBefore(db: Db, days: number): Promise<void> {
  await db.query(`delete from rejected_message where received_at < now() - make_interval(days => $1)`, [
    days,
  ]);
}
