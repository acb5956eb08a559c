import { float4Array, int4Array, timestamptzArray } from '../../platform/db/binary-array.ts';
import type { Db, Tx } from '../../platform/db/pool.ts';

/** Columns of readings, in PostgreSQL's binary format. Times in epoch ms. */
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

/** Stores readings; those that stand already are left alone, so that a resend is harmless. */
export async function insertReadings(tx: Tx, columns: ReadingColumns): Promise<void> {
  await tx.query({
    name: 'insert-readings',
    text: `insert into reading (channel_id, delay_s, measured_at, value)
           select * from unnest($1::int4[], $2::int4[], $3::timestamptz[], $4::float4[])
           on conflict do nothing`,
    values: encode(columns),
  });
}

/** As `insertReadings`, and tells which were new. */
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

/** Newest reading's time per channel, epoch ms. */
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

export interface PositionRow {
  device_id: number;
  at: number;
  latitude: number;
  longitude: number;
  speed_kmh: number | null;
}

export async function insertPositions(tx: Tx, rows: readonly PositionRow[]): Promise<void> {
  await tx.query(
    `insert into position (device_id, measured_at, latitude, longitude, speed_kmh)
     select distinct on (device_id, at) device_id, to_timestamp(at / 1000), latitude, longitude, speed_kmh
       from jsonb_to_recordset($1::jsonb)
         as p(device_id bigint, at float8, latitude float8, longitude float8, speed_kmh real)
     on conflict do nothing`,
    [JSON.stringify(rows)],
  );
}

export async function deleteRejectedBefore(db: Db, days: number): Promise<void> {
  await db.query(`delete from rejected_message where received_at < now() - make_interval(days => $1)`, [
    days,
  ]);
}

/**
 * Makes the partitions of the days around now, one by one. A day whose readings already stand in the
 * default partition is left to it: making it would have to move them.
 */
export async function ensurePartitions(db: Db, daysBack: number, daysAhead: number): Promise<number> {
  const { rows } = await db.query<{ day: string; next: string; name: string }>(
    `select to_char(d, 'YYYY-MM-DD') as day, to_char(d + interval '1 day', 'YYYY-MM-DD') as next,
            'reading_' || to_char(d, 'YYYYMMDD') as name
       from generate_series((now() at time zone 'UTC')::date - $1::int, (now() at time zone 'UTC')::date + $2::int,
                            interval '1 day') as d
      where to_regclass('reading_' || to_char(d, 'YYYYMMDD')) is null
        and not exists (select 1 from reading_default r
                         where r.measured_at >= d::timestamp at time zone 'UTC'
                           and r.measured_at < (d + interval '1 day')::timestamp at time zone 'UTC')`,
    [daysBack, daysAhead],
  );
  for (const { day, next, name } of rows)
    await db.query(
      `create table if not exists ${name} partition of reading
         for values from ('${day} 00:00:00+00') to ('${next} 00:00:00+00')`,
    );
  return rows.length;
}
