import { decimalOf } from '@isotherm/domain/readings/decimal';
import { mergeSeries, type Series } from '@isotherm/domain/readings/series';
import {
  float4Array,
  int4Array,
  readFloat4Array,
  readTimestamptzArray,
  timestamptzArray,
} from '../../platform/db/binary-array.ts';
import type { Db, Tx } from '../../platform/db/pool.ts';
import type { ReadingWindow } from './history.repo.ts';

/** Readings of clocks that are wrong (decision 34), in PostgreSQL's binary format. Times are in epoch ms. */
export interface EstimatedColumns {
  channelId: ArrayLike<number>;
  measuredAt: ArrayLike<number>;
  /** Estimated time of measurement. */
  at: ArrayLike<number>;
  delayS: ArrayLike<number>;
  value: ArrayLike<number>;
}

/**
 * Tolerance between the estimated times of a reading and its resend, because the offset may have been
 * refined in between.
 */
const RESEND_WITHIN_S = 120;

/** Stores readings with estimated times, and returns which were new; a resend changes nothing. */
export async function insertEstimated(
  tx: Tx,
  columns: EstimatedColumns,
): Promise<{ channelId: number; at: number }[]> {
  const { rows } = await tx.query<{ channel_id: number; at: number }>({
    name: 'insert-estimated',
    text: `insert into estimated_reading (channel_id, measured_at, estimated_at, delay_s, value)
           select * from unnest($1::int4[], $2::timestamptz[], $3::timestamptz[], $4::int4[], $5::float4[])
             as n(channel_id, measured_at, estimated_at, delay_s, value)
            where not exists (select 1 from estimated_reading e
                               where e.channel_id = n.channel_id and e.measured_at = n.measured_at and e.value = n.value
                                 and abs(extract(epoch from e.estimated_at - n.estimated_at)) <= ${RESEND_WITHIN_S})
           on conflict do nothing
           returning channel_id, (extract(epoch from estimated_at) * 1000)::float8 as at`,
    values: [
      int4Array(columns.channelId),
      timestamptzArray(columns.measuredAt),
      timestamptzArray(columns.at),
      int4Array(columns.delayS),
      float4Array(columns.value),
    ],
  });
  return rows.map((row) => ({ channelId: row.channel_id, at: row.at }));
}

/** Deletes readings whose estimated times turned out to be wrong. */
export async function deleteEstimated(
  tx: Tx,
  columns: Pick<EstimatedColumns, 'channelId' | 'measuredAt' | 'at'>,
): Promise<void> {
  await tx.query(
    `delete from estimated_reading
      where (channel_id, measured_at, estimated_at) in
            (select * from unnest($1::int4[], $2::timestamptz[], $3::timestamptz[]))`,
    [int4Array(columns.channelId), timestamptzArray(columns.measuredAt), timestamptzArray(columns.at)],
  );
}

interface EstimatedRow {
  channel_id: number;
  at: Buffer;
  value: Buffer;
}

const COLUMNS = `array_send(array_agg(estimated_at order by estimated_at, measured_at)) as at,
                 array_send(array_agg(value order by estimated_at, measured_at)) as value`;

/** Adds readings of wrong clocks at their estimated times; few channels have any. */
function addTo(all: Map<number, Series>, rows: readonly EstimatedRow[]): Map<number, Series> {
  for (const row of rows) {
    const series = distinct({
      at: readTimestamptzArray(row.at),
      value: Float64Array.from(readFloat4Array(row.value), decimalOf),
    });
    const own = all.get(row.channel_id);
    all.set(row.channel_id, own ? mergeSeries(own, series) : series);
  }
  return all;
}

/** Removes duplicates: if two readings have the same estimated time, the first one is kept. */
function distinct({ at, value }: Series): Series {
  const kept = [...at.keys()].filter((i) => i === 0 || at[i] !== at[i - 1]);
  if (kept.length === at.length) return { at, value };
  return {
    at: Float64Array.from(kept, (i) => at[i] as number),
    value: Float64Array.from(kept, (i) => value[i] as number),
  };
}

/**
 * Adds to `all` the readings whose estimated time is in `from` (included) to `to` (not included). Times are
 * in epoch ms.
 */
export async function addEstimated(
  db: Db,
  all: Map<number, Series>,
  channelIds: readonly number[],
  from: number,
  to: number,
): Promise<Map<number, Series>> {
  const { rows } = await db.query<EstimatedRow>({
    name: 'list-estimated',
    text: `select channel_id, ${COLUMNS} from estimated_reading
            where channel_id = any($1::int4[]) and estimated_at >= $2 and estimated_at < $3
            group by channel_id`,
    values: [int4Array(channelIds), new Date(from), new Date(to)],
  });
  return addTo(all, rows);
}

/** Like `addEstimated`, with a separate window for each channel. */
export async function addEstimatedWindows(
  db: Db,
  all: Map<number, Series>,
  windows: readonly ReadingWindow[],
): Promise<Map<number, Series>> {
  const { rows } = await db.query<EstimatedRow>({
    name: 'list-estimated-windows',
    text: `select channel_id, ${COLUMNS}
             from unnest($1::int4[], $2::timestamptz[], $3::timestamptz[]) as asked(channel, asked_from, asked_to)
             join estimated_reading on channel_id = channel and estimated_at >= asked_from and estimated_at < asked_to
            group by channel_id`,
    values: [
      int4Array(windows.map((window) => window.channelId)),
      timestamptzArray(windows.map((window) => window.from)),
      timestamptzArray(windows.map((window) => window.to)),
    ],
  });
  return addTo(all, rows);
}

/**
 * Returns the device times of readings with estimated times in the window: device time by estimated time,
 * epoch ms.
 */
export async function listDeviceTimes(
  db: Db,
  channelId: number,
  from: number,
  to: number,
): Promise<Map<number, number>> {
  const { rows } = await db.query<[number, number]>({
    text: `select (extract(epoch from estimated_at) * 1000)::float8, (extract(epoch from measured_at) * 1000)::float8
             from estimated_reading where channel_id = $1 and estimated_at >= $2 and estimated_at < $3`,
    values: [channelId, new Date(from), new Date(to)],
    rowMode: 'array',
  } as never);
  return new Map(rows);
}

/** Deletes readings whose estimated time is before this moment; returns the number of deleted readings. */
export async function deleteEstimatedBefore(
  tx: Tx,
  channelIds: readonly number[],
  before: Date,
): Promise<number> {
  const { rowCount } = await tx.query(
    'delete from estimated_reading where channel_id = any($1::int4[]) and estimated_at < $2',
    [channelIds, before],
  );
  return rowCount ?? 0;
}
