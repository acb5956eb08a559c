import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import type pg from 'pg';
import { LOCK_KEYS } from '../../platform/db/lock-keys.ts';
import { type Db, type Tx, transaction } from '../../platform/db/pool.ts';

/**
 * Lock timeout of a drop: a waiting drop blocks all readers and writers queued after it, so retrying is
 * better.
 */
const DROP_WITHIN_MS = 200;

/**
 * Lock timeout of the creation of a partition: while it waits for its lock, all readers and writers queued
 * after it wait as well. A backup locks the table for longer than this, but partitions are created a week in
 * advance.
 */
const CREATE_WITHIN_MS = 2_000;

/** Lock that is held while partitions are created, so that several processes can do it at once. */

/**
 * Creates missing partitions around today. If the default partition already has readings of a day, that day
 * gets no partition, since creating it would require moving them.
 */
export async function ensurePartitions(pool: pg.Pool, daysBack: number, daysAhead: number): Promise<number> {
  if ((await listMissingDays(pool, daysBack, daysAhead)).length === 0) return 0;
  return transaction(pool, async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [LOCK_KEYS.partitions]);
    // The timeout starts only here, because waiting for other processes that create partitions may take
    // longer.
    await tx.query(`set local lock_timeout = ${CREATE_WITHIN_MS}`);
    const missing = await listMissingDays(tx, daysBack, daysAhead);
    if (missing.length === 0) return 0;
    const occupied = await listDefaultDays(tx, missing);
    const created = missing.filter((day) => !occupied.has(day));
    for (const day of created)
      await tx.query(
        `create table ${partitionOf(day)} partition of reading
           for values from ('${isoDay(day)} 00:00:00+00') to ('${isoDay(day + 1)} 00:00:00+00')`,
      );
    return created.length;
  });
}

/**
 * Lists days around today without a partition, oldest first; in days since 1970. It queries `pg_class`,
 * because inside a transaction `to_regclass` may use a stale cache.
 */
async function listMissingDays(db: Db, daysBack: number, daysAhead: number): Promise<number[]> {
  const { rows } = await db.query<{ day: number }>(
    `select d as day
       from generate_series((now() at time zone 'UTC')::date - date '1970-01-01' - $1::int,
                            (now() at time zone 'UTC')::date - date '1970-01-01' + $2::int) as d
      where not exists (select 1 from pg_class
                         where relname = 'reading_' || to_char(date '1970-01-01' + d, 'YYYYMMDD')
                           and relnamespace = current_schema()::regnamespace)
      order by d`,
    [daysBack, daysAhead],
  );
  return rows.map((row) => row.day);
}

/** Returns which of these days have readings in the default partition. */
async function listDefaultDays(db: Db, days: readonly number[]): Promise<Set<number>> {
  const { rows } = await db.query<{ day: number }>(
    `select distinct (measured_at at time zone 'UTC')::date - date '1970-01-01' as day
       from reading_default where measured_at >= $1 and measured_at < $2`,
    [new Date(Math.min(...days) * DAY_MS), new Date((Math.max(...days) + 1) * DAY_MS)],
  );
  return new Set(rows.map((row) => row.day));
}

/** Lists days before `before` that have a partition, oldest first; all in days since 1970. */
export async function listPartitionDays(db: Db, before: number): Promise<number[]> {
  const { rows } = await db.query<{ day: number }>(
    `select day from (select to_date(substring(relname from '^reading_(\\d{8})$'), 'YYYYMMDD') - date '1970-01-01' as day
                        from pg_inherits join pg_class on pg_class.oid = inhrelid
                       where inhparent = 'reading'::regclass and relname ~ '^reading_\\d{8}$') p
      where day < $1 order by day`,
    [before],
  );
  return rows.map((row) => row.day);
}

/** A channel and a day (in days since 1970) without a partition that has readings. */
export interface BacklogDay {
  day: number;
  channelId: number;
  count: number;
}

/**
 * Lists days without a partition that have readings and are before `before`, in a single scan, ordered by day
 * and channel, starting after the given one.
 */
export async function listBacklog(
  db: Db,
  before: number,
  after: Pick<BacklogDay, 'day' | 'channelId'>,
  limit: number,
): Promise<BacklogDay[]> {
  const { rows } = await db.query<[day: number, channelId: number, count: number]>({
    text: `select day, channel_id, count(*)::int
             from (select (measured_at at time zone 'UTC')::date - date '1970-01-01' as day, channel_id
                     from reading_default where measured_at < $1) r
            where (day, channel_id) > ($2::int, $3::int)
            group by day, channel_id order by day, channel_id limit $4`,
    values: [new Date(before * DAY_MS), after.day, after.channelId, limit],
    rowMode: 'array',
  } as never);
  return rows.map(([day, channelId, count]) => ({ day, channelId, count }));
}

/**
 * Prevents all writes to a day's partition until the transaction ends; fails with 55P03 if a long write is
 * in progress.
 */
export async function closePartition(tx: Tx, day: number): Promise<void> {
  await tx.query(`set local lock_timeout = ${DROP_WITHIN_MS}`);
  await tx.query(`lock table ${partitionOf(day)} in share row exclusive mode`);
}

/** Drops a closed partition, or fails with 55P03 if a long read is in progress. */
export async function dropPartition(tx: Tx, day: number): Promise<void> {
  await tx.query(`drop table ${partitionOf(day)}`);
}

function partitionOf(day: number): string {
  return `reading_${isoDay(day).replaceAll('-', '')}`;
}

/** Formats a day such as `2026-11-22`. */
function isoDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
