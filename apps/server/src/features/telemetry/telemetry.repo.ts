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

export async function deleteRejectedBefore(db: Db, days: number): Promise<void> {
  await db.query(`delete from rejected_message where received_at < now() - make_interval(days => $1)`, [
    days,
  ]);
}
