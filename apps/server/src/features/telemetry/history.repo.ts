import { decimalOf } from '@isotherm/domain/readings/decimal';
import {
  DAY_MS,
  LATE_AFTER_S,
  type SealedDay,
  type SealedReadings,
} from '@isotherm/domain/readings/sealed-day';
import type { Series } from '@isotherm/domain/readings/series';
import {
  byteaArray,
  float4Array,
  float8Array,
  int4Array,
  readFloat4Array,
  readInt4Array,
  readTimestamptzArray,
  timestamptzArray,
} from '../../platform/db/binary-array.ts';
import type { Db, Tx } from '../../platform/db/pool.ts';

/** Readings are fetched as binary column arrays, which is several times cheaper for both sides than rows. */
const HOT_COLUMNS = `array_send(array_agg(measured_at order by measured_at)) as at,
                     array_send(array_agg(value order by measured_at)) as value`;

interface HotRow {
  channel_id: number;
  at: Buffer;
  value: Buffer;
}

function seriesOf(row: HotRow): Series {
  return {
    at: readTimestamptzArray(row.at),
    value: Float64Array.from(readFloat4Array(row.value), decimalOf),
  };
}

/**
 * Returns unsealed readings from `from` (inclusive) to `to` (exclusive), by channel. Times are in epoch ms.
 */
export async function listHot(
  db: Db,
  channelIds: readonly number[],
  from: number,
  to: number,
): Promise<Map<number, Series>> {
  const { rows } = await db.query<HotRow>({
    name: 'list-hot',
    text: `select channel_id, ${HOT_COLUMNS} from reading
            where channel_id = any($1::int4[]) and measured_at >= $2 and measured_at < $3
            group by channel_id`,
    values: [int4Array(channelIds), new Date(from), new Date(to)],
  });
  return new Map(rows.map((row) => [row.channel_id, seriesOf(row)]));
}

/**
 * A channel and the window of its readings, from `from` (inclusive) to `to` (exclusive). Times are in epoch
 * ms.
 */
export interface ReadingWindow {
  channelId: number;
  from: number;
  to: number;
}

/** Returns the unsealed readings of one window per channel. */
export async function listHotWindows(
  db: Db,
  windows: readonly ReadingWindow[],
): Promise<Map<number, Series>> {
  const { rows } = await db.query<HotRow>({
    name: 'list-hot-windows',
    // The outer bounds allow the planner to prune partitions.
    text: `select channel_id, ${HOT_COLUMNS}
             from unnest($1::int4[], $2::timestamptz[], $3::timestamptz[]) as asked(channel, asked_from, asked_to)
             join reading on channel_id = channel and measured_at >= asked_from and measured_at < asked_to
            where measured_at >= $4 and measured_at < $5
            group by channel_id`,
    values: [
      int4Array(windows.map((window) => window.channelId)),
      timestamptzArray(windows.map((window) => window.from)),
      timestamptzArray(windows.map((window) => window.to)),
      new Date(windows.reduce((first, { from }) => Math.min(first, from), Number.POSITIVE_INFINITY)),
      new Date(windows.reduce((last, { to }) => Math.max(last, to), Number.NEGATIVE_INFINITY)),
    ],
  });
  return new Map(rows.map((row) => [row.channel_id, seriesOf(row)]));
}

/** An unsealed day of a channel for the sealer, with sums that the database computed independently. */
export interface HotDay {
  channelId: number;
  series: Series;
  delayS: Int32Array;
  count: number;
  valueSum: number;
  /** Sum of the time differences from midnight, in seconds. */
  timeSum: number;
}

export async function listHotDays(tx: Tx, channelIds: readonly number[], day: number): Promise<HotDay[]> {
  const { rows } = await tx.query<
    HotRow & { delay_s: Buffer | null; count: number; value_sum: number; time_sum: number }
  >({
    name: 'list-hot-days',
    text: `select channel_id, ${HOT_COLUMNS},
                  case when max(delay_s) > $4 then array_send(array_agg(delay_s order by measured_at)) end as delay_s,
                  count(*)::int as count, sum(value::float8) as value_sum,
                  sum(date_part('epoch', measured_at - $2::timestamptz)) as time_sum
             from reading
            where channel_id = any($1::int4[]) and measured_at >= $2 and measured_at < $3
            group by channel_id`,
    values: [int4Array(channelIds), new Date(day * DAY_MS), new Date((day + 1) * DAY_MS), LATE_AFTER_S],
  });
  return rows.map((row) => ({
    channelId: row.channel_id,
    series: seriesOf(row),
    delayS: row.delay_s === null ? new Int32Array(row.count) : readInt4Array(row.delay_s),
    count: row.count,
    valueSum: row.value_sum,
    timeSum: row.time_sum,
  }));
}

/** Returns the number of unsealed readings of a UTC day, by channel. */
export async function countHot(db: Db, day: number): Promise<Map<number, number>> {
  const { rows } = await db.query<[number, number]>({
    text: `select channel_id, count(*)::int from reading
            where measured_at >= $1 and measured_at < $2 group by channel_id order by channel_id`,
    values: [new Date(day * DAY_MS), new Date((day + 1) * DAY_MS)],
    rowMode: 'array',
  } as never);
  return new Map(rows);
}

export async function deleteHot(tx: Tx, channelIds: readonly number[], day: number): Promise<number> {
  const { rowCount } = await tx.query(
    'delete from reading where channel_id = any($1::int4[]) and measured_at >= $2 and measured_at < $3',
    [int4Array(channelIds), new Date(day * DAY_MS), new Date((day + 1) * DAY_MS)],
  );
  return rowCount ?? 0;
}

/** A sealed day of a channel; `day` is in days since 1970. */
export interface SealedRow extends SealedDay {
  channelId: number;
  day: number;
}

export async function upsertSealed(
  tx: Tx,
  day: number,
  rows: readonly (SealedRow & { facts: Uint8Array })[],
): Promise<void> {
  await tx.query({
    name: 'upsert-sealed',
    text: `insert into sealed_day (channel_id, day, first_at, last_at, sum, count, scale, first_value, last_value,
                                   min, max, unit_ms, gaps, value_deltas, hours, late, facts, facts_count)
           select channel_id, date '1970-01-01' + $1::int, first_at, last_at, sum, count, scale, first_value,
                  last_value, min, max, unit_ms, gaps, value_deltas, hours, nullif(late, ''), facts, count
             from unnest($2::int4[], $3::timestamptz[], $4::timestamptz[], $5::float8[], $6::int4[], $7::int4[],
                         $8::float4[], $9::float4[], $10::float4[], $11::float4[], $12::int4[], $13::bytea[],
                         $14::bytea[], $15::bytea[], $16::bytea[], $17::bytea[])
               as s(channel_id, first_at, last_at, sum, count, scale, first_value, last_value, min, max, unit_ms,
                    gaps, value_deltas, hours, late, facts)
           on conflict (channel_id, day) do update
             set first_at = excluded.first_at, last_at = excluded.last_at, sum = excluded.sum,
                 count = excluded.count, scale = excluded.scale, first_value = excluded.first_value,
                 last_value = excluded.last_value, min = excluded.min, max = excluded.max,
                 unit_ms = excluded.unit_ms, gaps = excluded.gaps, value_deltas = excluded.value_deltas,
                 hours = excluded.hours, late = excluded.late, facts = excluded.facts,
                 facts_count = excluded.facts_count`,
    values: [
      day,
      int4Array(rows.map((row) => row.channelId)),
      timestamptzArray(rows.map((row) => row.firstAt)),
      timestamptzArray(rows.map((row) => row.lastAt)),
      float8Array(rows.map((row) => row.sum)),
      int4Array(rows.map((row) => row.count)),
      int4Array(rows.map((row) => row.scale)),
      float4Array(rows.map((row) => row.firstValue)),
      float4Array(rows.map((row) => row.lastValue)),
      float4Array(rows.map((row) => row.min)),
      float4Array(rows.map((row) => row.max)),
      int4Array(rows.map((row) => row.unitMs)),
      byteaArray(rows.map((row) => row.gaps)),
      byteaArray(rows.map((row) => row.values)),
      byteaArray(rows.map((row) => row.hours)),
      byteaArray(rows.map((row) => row.late ?? new Uint8Array(0))),
      byteaArray(rows.map((row) => row.facts)),
    ],
  });
}

const READINGS = `channel_id as "channelId", day - date '1970-01-01' as day, count, scale, unit_ms as "unitMs",
                  (extract(epoch from first_at) * 1000)::float8 as "firstAt", first_value as "firstValue",
                  gaps, value_deltas as values`;
const SUMMARY = `channel_id as "channelId", day - date '1970-01-01' as day, count, scale,
                 (extract(epoch from first_at) * 1000)::float8 as "firstAt",
                 (extract(epoch from last_at) * 1000)::float8 as "lastAt",
                 last_value as "lastValue", min, max, hours`;

export type SealedReadingsRow = SealedReadings & Pick<SealedRow, 'channelId' | 'day'>;
export type SealedSummaryRow = Pick<
  SealedRow,
  'channelId' | 'day' | 'count' | 'scale' | 'firstAt' | 'lastAt' | 'lastValue' | 'min' | 'max' | 'hours'
>;

/** Returns the sealed days `from` to `to` (both inclusive), ordered by channel and day. */
async function listDays<Row extends object>(
  db: Db,
  query: { name: string; columns: string },
  channelIds: readonly number[],
  from: number,
  to: number,
): Promise<Row[]> {
  const { rows } = await db.query<Row>({
    name: query.name,
    text: `select ${query.columns} from sealed_day
            where channel_id = any($1::int4[])
              and day between date '1970-01-01' + $2::int and date '1970-01-01' + $3::int
            order by channel_id, sealed_day.day`,
    values: [int4Array(channelIds), from, to],
  });
  return rows;
}

export const listSealed = (
  db: Db,
  channelIds: readonly number[],
  from: number,
  to: number,
): Promise<SealedReadingsRow[]> =>
  listDays(db, { name: 'list-sealed', columns: READINGS }, channelIds, from, to);

/** Like `listSealed`, with hourly summaries instead of readings. */
export const listSealedSummaries = (
  db: Db,
  channelIds: readonly number[],
  from: number,
  to: number,
): Promise<SealedSummaryRow[]> =>
  listDays(db, { name: 'list-sealed-summaries', columns: SUMMARY }, channelIds, from, to);

/** Returns the extremes of the sealed days `from` to `to` (both inclusive) of a channel, in order of time. */
export const listSealedExtremes = (
  db: Db,
  channelId: number,
  from: number,
  to: number,
): Promise<Pick<SealedRow, 'day' | 'min' | 'max'>[]> =>
  listDays(
    db,
    { name: 'list-sealed-extremes', columns: `day - date '1970-01-01' as day, min, max` },
    [channelId],
    from,
    to,
  );

/** Returns the sealed days among these pairs of channel and day, each pair once. */
export async function findSealed(
  db: Db,
  channelIds: readonly number[],
  days: readonly number[],
): Promise<(SealedReadingsRow & Pick<SealedRow, 'late'>)[]> {
  if (channelIds.length === 0) return [];
  const { rows } = await db.query<SealedReadingsRow & Pick<SealedRow, 'late'>>({
    name: 'find-sealed',
    text: `select ${READINGS}, late
             from unnest($1::int4[], $2::int4[]) as asked(channel, since_1970)
             join sealed_day on channel_id = channel and day = date '1970-01-01' + since_1970
            order by channel_id, sealed_day.day`,
    values: [int4Array(channelIds), int4Array(days)],
  });
  return rows;
}

export type SealedWholeRow = SealedReadingsRow &
  Pick<SealedRow, 'lastAt' | 'lastValue' | 'min' | 'max' | 'late'>;

/** Yields all sealed days, in portions and without order, from one snapshot. */
export async function* scanSealed(tx: Tx, atOnce: number): AsyncGenerator<SealedWholeRow[]> {
  await tx.query(
    `declare sealed no scroll cursor for
     select ${READINGS}, (extract(epoch from last_at) * 1000)::float8 as "lastAt", last_value as "lastValue", min, max,
            late
       from sealed_day`,
  );
  for (;;) {
    const { rows } = await tx.query<SealedWholeRow>(`fetch ${atOnce} from sealed`);
    if (rows.length === 0) break;
    yield rows;
  }
  await tx.query('close sealed');
}

/**
 * Counts readings from `from` (inclusive) to `to` (exclusive); epoch ms. Sealed days count with all their
 * readings, even if the range covers only part of them; unsealed readings are counted up to `most`.
 */
export async function countReadings(
  db: Db,
  channelIds: readonly number[],
  from: number,
  to: number,
  most: number,
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select (select count(*) from (select 1 from reading where channel_id = any($1::int4[])
                                      and measured_at >= $2 and measured_at < $3 limit $4) hot)
          + (select coalesce(sum(count), 0) from sealed_day where channel_id = any($1::int4[])
                and day between ($2 at time zone 'UTC')::date and ($3 at time zone 'UTC')::date)::float8 as count`,
    [int4Array(channelIds), new Date(from), new Date(to), most],
  );
  return (rows[0] as { count: number }).count;
}

/** Returns acquisition intervals in ms, from which the allowed gap is derived. */
export async function listIntervals(db: Db, channelIds: readonly number[]): Promise<Map<number, number>> {
  const { rows } = await db.query<[number, number]>({
    text: `select c.id, d.acquisition_interval_ms from channel c join device d on d.id = c.device_id
            where c.id = any($1::int4[])`,
    values: [int4Array(channelIds)],
    rowMode: 'array',
  } as never);
  return new Map(rows);
}

export interface SealedHash {
  channelId: number;
  /** As `2026-11-25`. */
  day: string;
  readings: number;
  /** SHA-256 of the stored bytes of the readings, in hexadecimal. */
  sha256: string;
}

/** Returns the hashes of sealed days from one day to another (days since 1970, both included). */
export async function listSealedHashes(
  db: Db,
  channelIds: readonly number[],
  fromDay: number,
  toDay: number,
): Promise<SealedHash[]> {
  const { rows } = await db.query<SealedHash>(
    `select channel_id as "channelId", to_char(day, 'YYYY-MM-DD') as day, count as readings,
            encode(sha256(gaps || value_deltas || coalesce(late, '')), 'hex') as sha256
       from sealed_day
      where channel_id = any($1::int4[]) and day between date '1970-01-01' + $2::int and date '1970-01-01' + $3::int
      order by channel_id, day`,
    [channelIds, fromDay, toDay],
  );
  return rows;
}
