import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import { z } from 'zod';
import { alarmKind, alarmLevel } from './alarms.ts';
import { defineRoute, download, idList, MAX_CHANNEL_ID, moment, timeZone } from './route.ts';

const DAY_MS = 86_400_000;

/** Longest range of a chart: as long as readings are kept (decision 10), five years. */
export const MAX_CURVE_RANGE_MS = 1_827 * DAY_MS;

export const AGGREGATE_PERIODS = ['5-minutes', 'hour', 'day'] as const;

/** Longest range of aggregates by period: about ten thousand of them. */
export const MAX_AGGREGATE_RANGE_MS: Readonly<Record<(typeof AGGREGATE_PERIODS)[number], number>> = {
  '5-minutes': 31 * DAY_MS,
  hour: 366 * DAY_MS,
  day: MAX_CURVE_RANGE_MS,
};

/**
 * A period in which the clock of a device was wrong: times of readings received in it are estimated (decision
 * 34). `offsetMs` is device time minus real time.
 */
export const wrongClock = z.object({ from: moment, until: moment.nullable(), offsetMs: z.number().int() });
export type WrongClock = z.output<typeof wrongClock>;

/**
 * One channel over a range. If `stepMs` is null the points are raw readings and `min`, `max` and `mean` are
 * equal; otherwise each point is a bucket of `stepMs` starting at `at`, with the true minimum and maximum of
 * its readings. Buckets without readings are absent; `gaps` are the periods without data.
 */
export const curveSeries = z.object({
  channelId: z.number().int(),
  name: z.string(),
  indicator: z.enum(INDICATOR_NAMES),
  stepMs: z.number().int().nullable(),
  /** Epoch milliseconds. */
  at: z.array(z.number()),
  min: z.array(z.number()),
  max: z.array(z.number()),
  mean: z.array(z.number()),
  gaps: z.array(z.object({ from: moment, to: moment })),
  low: z.number().nullable(),
  high: z.number().nullable(),
  /** True if certificates correct readings of this channel; stored readings are not changed. */
  corrected: z.boolean(),
  /** When the sensor's last certificate expired, if before the end of the range. */
  calibrationEndedAt: moment.nullable(),
  /** Devices and sensor serials that measured in the range, in order; empty if it was always the same. */
  sources: z.array(z.object({ device: z.string(), serial: z.string(), until: moment.nullable() })),
  /** Periods with estimated times. */
  estimated: z.array(wrongClock),
  /**
   * Statistics of the range; mean and time outside are weighted by time, `expected` follows from the
   * acquisition interval.
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

export const getCurve = defineRoute({
  name: 'getCurve',
  method: 'GET',
  path: '/telemetry/curve',
  access: 'asset:view',
  summary: 'Curves of up to 20 channels of the same scope, reduced to the points asked for',
  query: z.object({
    channels: idList(20, MAX_CHANNEL_ID),
    from: moment,
    to: moment,
    /** Width of the plot in pixels: the largest number of buckets per channel. */
    points: z.coerce.number().int().min(10).max(4000).default(800),
    /** Values as corrected by certificates, or as sent by sensors. */
    told: z.enum(['corrected', 'said']).default('corrected'),
  }),
  response: z.object({ from: moment, to: moment, series: z.array(curveSeries), alarms: z.array(alarmSpan) }),
});

/** Aggregates per period. `mean` is weighted by time, and null without readings. */
export const aggregates = z.object({
  /** Start of each period, epoch milliseconds; it ends at the start of the next one. */
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
      /** Share of the period's time covered by readings, percent; null for a future period. */
      coverage: z.array(z.number().nullable()),
      /** Periods with estimated times. */
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
    /** Zone for local days: the viewer's, or that of the asset. */
    zone: timeZone,
  }),
  response: aggregates,
});

/** Longest range of one export: downloads cover three months (requirements §9). */
export const MAX_EXPORT_RANGE_MS = 92 * DAY_MS;
export const EXPORT_FORMATS = ['csv', 'xlsx'] as const;

export const exportReadings = defineRoute({
  name: 'exportReadings',
  method: 'POST',
  path: '/telemetry/export',
  access: 'monitor-records:export',
  summary:
    'Every reading of up to 1,000 channels as a file: CSV in one list, XLSX with a sheet for each channel',
  body: z.object({
    channels: z.array(z.number().int().positive().max(MAX_CHANNEL_ID)).min(1).max(1_000),
    from: moment,
    to: moment,
    format: z.enum(EXPORT_FORMATS),
    /** Zone of the times in the file. */
    zone: timeZone,
  }),
  response: download,
});
