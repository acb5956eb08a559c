import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import { z } from 'zod';
import { alarmKind, alarmLevel } from './alarms.ts';
import { job } from './jobs.ts';
import { defineRoute, download, idList, MAX_CHANNEL_ID, moment, timeZone } from './route.ts';

const DAY_MS = 86_400_000;

/** Longest time range of a chart: five years, as long as readings are kept (decision 10). */
export const MAX_CURVE_RANGE_MS = 1_827 * DAY_MS;

export const AGGREGATE_PERIODS = ['5-minutes', 'hour', 'day'] as const;

/** Longest time range of statistics for each period length; it contains about ten thousand periods. */
export const MAX_AGGREGATE_RANGE_MS: Readonly<Record<(typeof AGGREGATE_PERIODS)[number], number>> = {
  '5-minutes': 31 * DAY_MS,
  hour: 366 * DAY_MS,
  day: MAX_CURVE_RANGE_MS,
};

/**
 * A period in which the clock of a device was wrong. Times of readings that were received in it are
 * estimated (decision 34). `offsetMs` is device time minus real time.
 */
export const wrongClock = z.object({ from: moment, until: moment.nullable(), offsetMs: z.number().int() });
export type WrongClock = z.output<typeof wrongClock>;

/**
 * One channel over a time range. If `stepMs` is null, the points are raw readings, and `min`, `max` and
 * `mean` are equal. Otherwise each point is a time bucket of `stepMs` that starts at `at`, with the minimum
 * and maximum of all its readings. Buckets without readings are absent; `gaps` are the periods without data.
 */
export const curveSeries = z.object({
  channelId: z.number().int(),
  name: z.string(),
  indicator: z.enum(INDICATOR_NAMES),
  stepMs: z.number().int().nullable(),
  /** Time of each point in epoch milliseconds. */
  at: z.array(z.number()),
  min: z.array(z.number()),
  max: z.array(z.number()),
  mean: z.array(z.number()),
  gaps: z.array(z.object({ from: moment, to: moment })),
  low: z.number().nullable(),
  high: z.number().nullable(),
  /** True if certificates correct the readings of this channel. Stored readings are not changed. */
  corrected: z.boolean(),
  /**
   * Expiry of the device's subscription, if that was before the end of the range: later readings are hidden until it is
   * renewed (decision 33).
   */
  hiddenFrom: moment.nullable(),
  /** Time when the sensor's last certificate expired, if that was before the end of the range. */
  calibrationEndedAt: moment.nullable(),
  /** Devices and sensor serial numbers that measured in the range, in order; empty if there was only one. */
  sources: z.array(z.object({ device: z.string(), serial: z.string(), until: moment.nullable() })),
  /** Periods in which the times are estimated. */
  estimated: z.array(wrongClock),
  /**
   * Statistics of the range. Mean and time outside are weighted by time; `expected` is the number of
   * readings that the acquisition interval would give.
   */
  statistics: z
    .object({
      count: z.number().int(),
      expected: z.number().int(),
      min: z.number(),
      max: z.number(),
      mean: z.number(),
      outsideMs: z.number().int(),
    })
    .nullable(),
});
export type CurveSeries = z.output<typeof curveSeries>;

export const alarmSpan = z.object({
  alarmId: z.number().int(),
  channelId: z.number().int(),
  level: alarmLevel,
  kind: alarmKind,
  since: moment,
  raisedAt: moment,
  endedAt: moment.nullable(),
});

/** Number of channels that a curve may have. */
export const MOST_CURVE_CHANNELS = 20;

export const getCurve = defineRoute({
  name: 'getCurve',
  method: 'GET',
  path: '/telemetry/curve',
  access: 'asset:view',
  summary: `Curves of up to ${MOST_CURVE_CHANNELS} channels of the same scope, reduced to the points asked for`,
  query: z.object({
    channels: idList(MOST_CURVE_CHANNELS, MAX_CHANNEL_ID),
    from: moment,
    to: moment,
    /** Width of the plot in pixels. It limits the number of time buckets per channel. */
    points: z.coerce.number().int().min(10).max(4000).default(800),
    /**
     * `corrected` returns values that are corrected by certificates, `said` returns values as the sensors
     * sent them.
     */
    told: z.enum(['corrected', 'said']).default('corrected'),
  }),
  response: z.object({ from: moment, to: moment, series: z.array(curveSeries), alarms: z.array(alarmSpan) }),
});

/** Statistics per period. `mean` is weighted by time, and null without readings. */
export const aggregates = z.object({
  /** Start of each period in epoch milliseconds. A period ends at the start of the next one. */
  at: z.array(z.number()),
  /** End of the last period. */
  to: z.number(),
  series: z.array(
    z.object({
      channelId: z.number().int(),
      name: z.string(),
      indicator: z.enum(INDICATOR_NAMES),
      count: z.array(z.number().int()),
      min: z.array(z.number().nullable()),
      max: z.array(z.number().nullable()),
      mean: z.array(z.number().nullable()),
      /** Percentage of the period that readings cover; null for a future period. */
      coverage: z.array(z.number().nullable()),
      /** Periods in which the times are estimated. */
      estimated: z.array(wrongClock),
    }),
  ),
});
export type Aggregates = z.output<typeof aggregates>;

export const getAggregates = defineRoute({
  name: 'getAggregates',
  method: 'GET',
  path: '/telemetry/aggregates',
  access: 'monitor-records:view',
  summary: 'Least, greatest, mean, count and coverage of up to 20 channels by 5 minutes, hour or local day',
  query: z.object({
    channels: idList(20, MAX_CHANNEL_ID),
    from: moment,
    to: moment,
    period: z.enum(AGGREGATE_PERIODS),
    /** Time zone that determines local days: the user's, or that of the asset. */
    zone: timeZone,
  }),
  response: aggregates,
});

/** Longest time range of one export: downloads cover three months (requirements §9). */
export const MAX_EXPORT_RANGE_MS = 92 * DAY_MS;
export const EXPORT_FORMATS = ['csv', 'xlsx'] as const;

const readingsExport = z.object({
  channels: z.array(z.number().int().positive().max(MAX_CHANNEL_ID)).min(1).max(1_000),
  from: moment,
  to: moment,
  format: z.enum(EXPORT_FORMATS),
  /** Time zone of the times in the file. */
  zone: timeZone,
});

export const exportReadings = defineRoute({
  name: 'exportReadings',
  method: 'POST',
  path: '/telemetry/export',
  access: 'monitor-records:export',
  summary:
    'Every reading of up to 1,000 channels as a file: CSV in one list, XLSX with a sheet for each channel',
  body: readingsExport,
  response: download,
});

/** Orders the same file as a job. Throws `curve.range`, `channel.not_found`, `job.too_many`. */
export const orderReadingsExport = defineRoute({
  name: 'orderReadingsExport',
  method: 'POST',
  path: '/telemetry/export/order',
  access: 'monitor-records:export',
  machines: false,
  summary: 'Order every reading of up to 1,000 channels as a file',
  body: readingsExport,
  response: job,
});
