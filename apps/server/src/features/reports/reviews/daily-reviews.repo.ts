import type { SeenDay } from '@isotherm/contracts/daily-reviews';
import type { Db, Tx } from '../../../platform/db/pool.ts';

/** A review of a day of a channel. Times are in epoch ms. */
export interface ReviewRow {
  channelId: number;
  /** As `2026-11-25`. */
  day: string;
  from: number;
  to: number;
  count: number;
  min: number | null;
  max: number | null;
  outsideMs: number | null;
  initials: string;
  comment: string;
  by: string;
  at: Date;
}

/** Returns the reviews of days of these channels between two dates (both included), the newest first. */
export async function listReviews(
  db: Db,
  channelIds: readonly number[],
  first: string,
  last: string,
): Promise<ReviewRow[]> {
  const { rows } = await db.query<ReviewRow>(
    `select r.channel_id as "channelId", to_char(r.day, 'YYYY-MM-DD') as day,
            (extract(epoch from r.from_at) * 1000)::float8 as from, (extract(epoch from r.to_at) * 1000)::float8 as to,
            r.count, r.min, r.max, r.outside_ms::float8 as "outsideMs", r.initials, r.comment,
            coalesce(nullif(r.reviewer, ''), r.username) as by, r.reviewed_at as at
       from daily_review r
      where r.channel_id = any($1::int4[]) and r.day between $2::date and $3::date
      order by r.id desc`,
    [channelIds, first, last],
  );
  return rows;
}

/** Appends the same review of several days. */
export async function insertReviews(
  tx: Tx,
  days: readonly SeenDay[],
  review: { initials: string; comment: string; username: string; reviewer: string; at: Date },
): Promise<void> {
  const { initials, comment, username, reviewer, at } = review;
  await tx.query(
    `insert into daily_review (channel_id, day, from_at, to_at, count, min, max, outside_ms, initials, comment, username, reviewer,
                               reviewed_at)
     select d.*, $9, $10, $11, $12, $13
       from unnest($1::int4[], $2::date[], $3::timestamptz[], $4::timestamptz[], $5::int4[], $6::float8[], $7::float8[],
                   $8::bigint[]) as d`,
    [
      days.map(({ channelId }) => channelId),
      days.map(({ day }) => day),
      days.map(({ from }) => from),
      days.map(({ to }) => to),
      days.map(({ count }) => count),
      days.map(({ min }) => min),
      days.map(({ max }) => max),
      days.map(({ outsideMs }) => outsideMs),
      initials,
      comment,
      username,
      reviewer,
      at,
    ],
  );
}

/** Returns the number of days with a review, of these channels between two moments, by channel. */
export async function countReviewedDays(
  db: Db,
  channelIds: readonly number[],
  from: Date,
  to: Date,
): Promise<Map<number, number>> {
  const { rows } = await db.query<{ channelId: number; days: number }>(
    `select channel_id as "channelId", count(distinct day)::int as days from daily_review
      where channel_id = any($1::int4[]) and from_at >= $2 and to_at <= $3
      group by channel_id`,
    [channelIds, from, to],
  );
  return new Map(rows.map(({ channelId, days }) => [channelId, days]));
}
