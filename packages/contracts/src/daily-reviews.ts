import { MAX_INITIALS } from '@isotherm/domain/reports/daily-review';
import { z } from 'zod';
import { label, prose } from './fields.ts';
import { MAX_REPORT_ASSETS, MAX_REPORT_DAYS, SHOWN_CHANNELS } from './reports.ts';
import { defineRoute, idList, MAX_CHANNEL_ID, moment } from './route.ts';

/** Largest number of days that one call reviews: those that a report shows. */
export const MAX_REVIEWED_DAYS = SHOWN_CHANNELS * (MAX_REPORT_DAYS + 2);

/** The numbers of a day as the person saw them. */
const seenDay = z.object({
  channelId: z.number().int().positive().max(MAX_CHANNEL_ID),
  day: z.iso.date(),
  from: moment,
  to: moment,
  count: z.number().int().nonnegative(),
  min: z.number().nullable(),
  max: z.number().nullable(),
  outsideMs: z.number().int().nonnegative().nullable(),
});
export type SeenDay = z.output<typeof seenDay>;

const dailyReview = seenDay.extend({
  initials: z.string(),
  comment: z.string(),
  /** Name of the person. */
  by: z.string(),
  at: moment,
});
export type DailyReview = z.output<typeof dailyReview>;

/**
 * Reviews of the daily extremes of assets, the newest first; a correction is another review of the same day. Throws the faults
 * of the range, and `asset.not_found` if any asset is outside the caller's scope.
 */
export const listDailyReviews = defineRoute({
  name: 'listDailyReviews',
  method: 'GET',
  path: '/report/records/reviews',
  access: 'report-records:view',
  summary: 'Reviews of the daily lowest and highest values of assets, with initials',
  query: z.object({
    from: z.string().max(40).optional(),
    to: z.string().max(40).optional(),
    assets: idList(MAX_REPORT_ASSETS),
  }),
  response: z.object({ reviews: z.array(dailyReview) }),
});

export const reviewFields = z.object({
  initials: label(MAX_INITIALS),
  comment: prose(500).default(''),
});

/**
 * Signs days off with initials, all or none. Throws `channel.not_found` if any channel is outside the caller's scope or is no
 * temperature, `review.running` if a day is not over yet, and `review.changed` if a day has other numbers than the caller saw.
 */
export const reviewDays = defineRoute({
  name: 'reviewDays',
  method: 'POST',
  path: '/report/records/reviews',
  access: 'report-records:review',
  machines: false,
  summary: 'Review daily lowest and highest values with initials',
  body: reviewFields.extend({ days: z.array(seenDay).min(1).max(MAX_REVIEWED_DAYS) }),
  response: z.object({ reviewed: z.number().int() }),
});
