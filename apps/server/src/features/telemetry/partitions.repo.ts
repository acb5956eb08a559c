import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import type { Db, Tx } from '../../platform/db/pool.ts';

/** Everybody who reads or writes waits behind a drop that waits: better to try again. */
const DROP_WITHIN_MS = 200;

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

/** Days before `before` that have a partition, oldest first; all in days since 1970. */
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

/** Readings of a channel on a day, in days since 1970, that has no partition. */
export interface BacklogDay {
  day: number;
  channelId: number;
  count: number;
}

/** Backlog of days before `before`, in order of day and channel, after the one given; all of it in one scan. */
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

/** Lets nobody write to a day's partition until the transaction ends; fails with 55P03 when somebody is writing for long. */
export async function closePartition(tx: Tx, day: number): Promise<void> {
  await tx.query(`set local lock_timeout = ${DROP_WITHIN_MS}`);
  await tx.query(`lock table ${partitionOf(day)} in share row exclusive mode`);
}

/** Drops a closed partition, or fails with 55P03 when somebody is reading it for long. */
export async function dropPartition(tx: Tx, day: number): Promise<void> {
  await tx.query(`drop table ${partitionOf(day)}`);
}

function partitionOf(day: number): string {
  return `reading_${new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')}`;
}
