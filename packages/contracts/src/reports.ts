import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import { z } from 'zod';
import { job } from './jobs.ts';
import { defineRoute, id, idList, moment, timeZone } from './route.ts';

/** Longest range of a report of records, in days (requirements §9). */
export const MAX_REPORT_DAYS = 31;
/** Largest number of assets of one report. */
export const MAX_REPORT_ASSETS = 500;
/** Number of channels that the page shows. The files contain all of them. */
export const SHOWN_CHANNELS = 100;
export const REPORT_FORMATS = ['xlsx', 'csv', 'pdf'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/**
 * The range as it was entered. It is checked as requirements §5 demands, each fault with its own error:
 * `time.selInput`, `time.no_maximum`, `time.format`, `time.order`, `time.too_long`.
 */
const range = {
  from: z.string().max(40).optional(),
  to: z.string().max(40).optional(),
};

/**
 * A local day of a channel, in the time zone of the organisation of its asset. It is stated in full, also where the range cuts
 * it; without readings, extremes are null.
 */
const dayRecord = z.object({
  /** As `2026-11-25`. */
  day: z.string(),
  from: moment,
  to: moment,
  count: z.number().int(),
  min: z.number().nullable(),
  minAt: moment.nullable(),
  max: z.number().nullable(),
  maxAt: moment.nullable(),
  /** Share of the day, up to now, that readings cover, 0 to 1. */
  coverage: z.number(),
  /** Time outside the limits; null if no limit was in force. */
  outsideMs: z.number().int().nullable(),
  /** Share of the covered time within the limits, 0 to 1; null if no limit was in force, or nothing is covered. */
  inside: z.number().nullable(),
});
export type RecordDay = z.output<typeof dayRecord>;

/** Statistics of one channel. Means are weighted by time; values are null without readings. */
const recordRow = z.object({
  channelId: z.number().int(),
  assetId: z.number().int(),
  asset: z.string(),
  code: z.string(),
  channel: z.string(),
  indicator: z.enum(INDICATOR_NAMES),
  count: z.number().int(),
  min: z.number().nullable(),
  minAt: moment.nullable(),
  max: z.number().nullable(),
  maxAt: moment.nullable(),
  mean: z.number().nullable(),
  /** Mean kinetic temperature; null for other quantities. */
  meanKinetic: z.number().nullable(),
  /** Share of the time that readings cover, 0 to 1; null for a range in the future. */
  coverage: z.number().nullable(),
  /** Time outside the limits; null if no limit was in force. */
  outsideMs: z.number().int().nullable(),
  /** Share of the covered time within the limits, 0 to 1; null if no limit was in force, or nothing is covered. */
  inside: z.number().nullable(),
  /** Limits at the end of the range. */
  low: z.number().nullable(),
  high: z.number().nullable(),
  /** Time zone of `days`. */
  zone: z.string(),
  /** The days of the range, for temperatures only. */
  days: z.array(dayRecord),
});
export type RecordRow = z.output<typeof recordRow>;

/**
 * Statistics of the quantities of assets in a range. Throws the faults of the range, and `asset.not_found` if any asset
 * is outside the caller's scope.
 */
export const getRecordReport = defineRoute({
  name: 'getRecordReport',
  method: 'GET',
  path: '/report/records',
  access: 'report-records:view',
  summary: 'Minimum, maximum, means, completeness and time outside limits of the channels of assets',
  query: z.object({ ...range, assets: idList(MAX_REPORT_ASSETS) }),
  response: z.object({
    from: moment,
    to: moment,
    /** Number of channels; only the first `SHOWN_CHANNELS` are in `rows`. */
    total: z.number().int(),
    rows: z.array(recordRow),
  }),
});

/** Orders the report as a file. Throws what `getRecordReport` throws, and `job.too_many`. */
export const orderRecordReport = defineRoute({
  name: 'orderRecordReport',
  method: 'POST',
  path: '/report/records/order',
  access: 'report-records:export',
  machines: false,
  summary: 'Order a report of records as a file: every reading as XLSX or CSV, or a summary as PDF',
  body: z.object({
    ...range,
    assets: z.array(id).min(1).max(MAX_REPORT_ASSETS),
    format: z.enum(REPORT_FORMATS),
    /** Time zone of the times in the file. */
    zone: timeZone,
    /** Beginning of an earlier range of the same length, with which the report is compared. */
    earlierFrom: moment.optional(),
  }),
  response: job,
});
