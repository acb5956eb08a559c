import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import { z } from 'zod';
import { alarmKind, alarmLevel } from './alarms.ts';
import { defineRoute, idList, MAX_CHANNEL_ID, moment } from './route.ts';

/** Longest range that one curve may cover: three months (requirements §5). */
export const MAX_CURVE_RANGE_MS = 92 * 86_400_000;

/**
 * One channel over a range. With `stepMs` null the points are raw readings and `min`, `max` and `mean` are
 * equal; otherwise each point is a bucket of `stepMs` starting at `at`, holding the true minimum and
 * maximum of its readings. Buckets without readings are absent; `gaps` names the silences.
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
  /** Over the readings of the window; mean and time outside are weighted by time. `expected` from the acquisition interval. */
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
    /** Pixels of the plot: no more buckets than this are sent per channel. */
    points: z.coerce.number().int().min(10).max(4000).default(800),
  }),
  response: z.object({ from: moment, to: moment, series: z.array(curveSeries), alarms: z.array(alarmSpan) }),
});
