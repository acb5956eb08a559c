import { setImmediate } from 'node:timers/promises';
import { listDailyReviews, reviewDays, type SeenDay } from '@isotherm/contracts/daily-reviews';
import { AppError } from '@isotherm/contracts/errors';
import { MAX_REPORT_DAYS } from '@isotherm/contracts/reports';
import type { ResponseOf } from '@isotherm/contracts/route';
import { hasSameNumbers } from '@isotherm/domain/reports/daily-review';
import type { DayRecord } from '@isotherm/domain/reports/day-records';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit, AuditEvent } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { transaction } from '../../../platform/db/pool.ts';
import type { Gate } from '../../../platform/gate.ts';
import { type Caller, ownerOf } from '../../../platform/http/caller.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import {
  type ReportedChannel,
  type ReportRange,
  reportAssets,
  reportChannels,
  reportRange,
  summarize,
  withLimits,
} from '../record-report.ts';
import { findTemperatureChannels, type ReportChannel } from '../reports.repo.ts';
import { insertReviews, listReviews, type ReviewRow } from './daily-reviews.repo.ts';

const DAY_MS = 86_400_000;
/** The days of a report reach beyond its range by less than a day on each side. */
const LONGEST_MS = (MAX_REPORT_DAYS + 2) * DAY_MS;

type Listed = ResponseOf<typeof listDailyReviews>;
type Asked = z.output<(typeof reviewDays)['body']>;

/** Returns the reviews of the days of these channels in a range, by channel and day, the newest first. */
export async function reviewsOf(
  pool: pg.Pool,
  channels: readonly Pick<ReportedChannel, 'id'>[],
  { from, to }: ReportRange,
): Promise<ReviewRow[]> {
  // Local days begin up to a day before and end up to a day after days in UTC.
  const [first, last] = [from - DAY_MS, to + DAY_MS].map((at) => new Date(at).toISOString().slice(0, 10));
  return listReviews(
    pool,
    channels.map(({ id }) => id),
    first as string,
    last as string,
  );
}

/** Mounts the daily review of lowest and highest temperatures (docs/reports.md). */
export function mountDailyReviews(
  mount: Mount,
  parts: { pool: pg.Pool; clock: Clock; audit: Pick<Audit, 'record'>; showing: Gate },
): void {
  const { pool, clock, audit, showing } = parts;

  async function list(caller: Caller, query: z.output<(typeof listDailyReviews)['query']>): Promise<Listed> {
    const range = reportRange(query);
    const assets = await reportAssets(pool, caller, query.assets);
    const channels = await reportChannels(pool, assets, range);
    const reviews = await reviewsOf(pool, channels, range);
    return {
      reviews: reviews.map(({ from, to, at, ...review }) => ({
        ...review,
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
        at: at.toISOString(),
      })),
    };
  }

  async function review(caller: Caller, { days, initials, comment }: Asked): Promise<number> {
    const channels = await findTemperatureChannels(
      pool,
      caller.scope,
      days.map(({ channelId }) => channelId),
    );
    const byId = new Map(channels.map((channel) => [channel.id, channel]));
    if (days.some(({ channelId }) => !byId.has(channelId))) throw new AppError('channel.not_found');
    const now = clock.now();
    const records = await recordsOf(channels, days, now);
    for (const seen of days) {
      const record = records.get(keyOf(seen.channelId, seen.day));
      if (record !== undefined && now < record.to) throw new AppError('review.running', { day: seen.day });
      const numbers = { ...seen, from: Date.parse(seen.from), to: Date.parse(seen.to) };
      if (record === undefined || !hasSameNumbers(record, numbers))
        throw new AppError('review.changed', { day: seen.day });
    }
    const events = channels.map(
      ({ id, assetId, asset, name, organizationPath }): AuditEvent => ({
        action: 'review',
        objectKind: 'asset',
        objectId: assetId,
        objectName: asset,
        after: {
          channel: name,
          days: days.flatMap(({ channelId, day }) => (channelId === id ? [day] : [])).sort(),
          initials,
          comment,
        },
        organizationPath,
      }),
    );
    await transaction(pool, async (tx) => {
      const { username, realname } = caller;
      await insertReviews(tx, days, { initials, comment, username, reviewer: realname, at: new Date(now) });
      await audit.record(tx, caller, ...events);
    });
    return days.length;
  }

  /** Computes the days again: a person may only sign what is stored. */
  async function recordsOf(
    channels: readonly ReportChannel[],
    days: readonly SeenDay[],
    now: number,
  ): Promise<Map<string, DayRecord>> {
    const range = {
      from: Math.min(...days.map(({ from }) => Date.parse(from))),
      to: Math.max(...days.map(({ to }) => Date.parse(to))),
    };
    if (range.to - range.from > LONGEST_MS) throw new AppError('time.too_long', { days: MAX_REPORT_DAYS });
    const rows = await summarize(
      pool,
      await withLimits(pool, channels, range),
      range,
      now,
      async () => void (await setImmediate()),
      { days: true },
    );
    return new Map(
      rows.flatMap(({ channel, days: own }) => own.map((record) => [keyOf(channel.id, record.day), record])),
    );
  }

  mount(listDailyReviews, ({ caller, query }) => list(caller, query));
  mount(reviewDays, async ({ caller, body }) => ({
    reviewed: await showing.pass(() => review(caller, body), ownerOf(caller)),
  }));
}

const keyOf = (channelId: number, day: string) => `${channelId} ${day}`;
