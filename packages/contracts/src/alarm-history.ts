import { ALARM_REASONS } from '@isotherm/domain/alarms/acknowledgement';
import { ALARM_LEVELS } from '@isotherm/domain/alarms/alarm-level';
import { ALARM_KINDS } from '@isotherm/domain/alarms/catalogue';
import { ASSET_KINDS } from '@isotherm/domain/assets/asset-kind';
import { z } from 'zod';
import { alarm } from './alarms.ts';
import { sheetExport } from './batches.ts';
import { job } from './jobs.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

/** Largest number of alarms that the pages of one history list show; `isLimited` is true if there are more. */
export const MAX_HISTORY = 10_000;

/** Longest period of the history and its analysis, in days. */
export const MAX_HISTORY_DAYS = 366;

/** Filter value for alarms without a recorded reason. */
export const NO_REASON = 'none';

/** Filter of past and present alarms by the time at which they were raised. */
const historyFilter = {
  /** Start of the period; by default 90 days before its end. */
  from: moment.optional(),
  /** End of the period, exclusive; by default now. */
  to: moment.optional(),
  /** Highest level that the alarm reached. */
  level: z.coerce.number().int().min(1).max(5).optional(),
  kind: z.enum(ALARM_KINDS).optional(),
  /** Reason given in the acknowledgement. */
  reason: z.enum([...ALARM_REASONS, NO_REASON]).optional(),
  acknowledged: z.enum(['true', 'false']).optional(),
  assetId: id.optional(),
  /** Organisation of the alarms, including the organisations below it. */
  organizationId: id.optional(),
};

/** Filters of the list that the analysis does not have. */
const listFilter = {
  ...historyFilter,
  /** ISO weekday (1: Monday) at which the alarm was raised, in the time zone of the asset. */
  weekday: z.coerce.number().int().min(1).max(7).optional(),
  /** Hour of the day at which the alarm was raised, in the time zone of the asset. */
  hour: z.coerce.number().int().min(0).max(23).optional(),
  search: z.string().max(100).default(''),
  sort: z.enum(['raised', 'level']).default('raised'),
  order: z.enum(['asc', 'desc']).default('desc'),
};

/** Lists alarms that were raised in a period. Throws `alarm.period`, `organization.not_found`. */
export const listAlarmHistory = defineRoute({
  name: 'listAlarmHistory',
  method: 'GET',
  path: '/alarm/history',
  access: 'alarm-graded:view',
  summary: 'Alarms raised in a period, open or ended',
  query: z.object({ ...paging, ...listFilter }),
  response: pageOf(alarm).extend({ isLimited: z.boolean() }),
});

/** Exports the alarms of a period. Throws `alarm.period`, `organization.not_found`. */
export const exportAlarmHistory = defineRoute({
  name: 'exportAlarmHistory',
  method: 'GET',
  path: '/alarm/history/export',
  access: 'alarm-graded:export',
  summary: 'The filtered alarms of a period as a spreadsheet',
  query: z.object(listFilter),
  response: sheetExport,
});

/**
 * Orders the same list as a job, with every alarm of the period. Throws `alarm.period`, `organization.not_found`,
 * `job.too_many`.
 */
export const orderAlarmHistory = defineRoute({
  name: 'orderAlarmHistory',
  method: 'POST',
  path: '/alarm/history/export/order',
  access: 'alarm-graded:export',
  machines: false,
  summary: 'Order the filtered alarms of a period as a spreadsheet',
  body: z.object(listFilter),
  response: job,
});

const count = z.number().int();
const level = z.union(ALARM_LEVELS.map((each) => z.literal(each)));
/** Number of alarms by level, for levels 1 to 5. */
const byLevel = z.tuple([count, count, count, count, count]);

export const alarmAnalysis = z.object({
  from: moment,
  to: moment,
  total: count,
  /** Number of alarms in the period of the same length before this one. */
  totalBefore: count,
  levels: byLevel,
  /**
   * The fewest assets that raised at least half of the alarms of levels 3 to 5; null if there were none of
   * these levels.
   */
  concentration: z.object({ alarms: count, severe: count, assets: count }).nullable(),
  /** Number of alarms by ISO weekday (7 rows from Monday) and hour (24 columns), local time of the asset. */
  hours: z.array(z.array(count)),
  /** Time from the alarm to its acknowledgement, by level. */
  acknowledgement: z.array(
    z.object({
      level,
      acknowledged: count,
      /** Number of alarms that nobody has acknowledged. */
      open: count,
      /** Seconds, accurate to 1 %; null if none was acknowledged. */
      medianS: z.number().nullable(),
      /** Times in ascending order: all of them, or as many evenly spaced quantiles as are drawn. */
      quantilesS: z.array(z.number()),
    }),
  ),
  /** Assets with the most alarms, the one with the most first. */
  assets: z.array(
    z.object({
      id: count,
      name: z.string(),
      kind: z.enum(ASSET_KINDS),
      place: z.string(),
      levels: byLevel,
      total: count,
    }),
  ),
  /** Number of assets with alarms. */
  assetCount: count,
  reasons: z.array(
    z.object({
      /** Null for alarms whose reason was not recorded. */
      reason: z.enum(ALARM_REASONS).nullable(),
      levels: byLevel,
      total: count,
    }),
  ),
  /** Consecutive parts of the period, oldest first; the last one may be shorter. */
  steps: z.array(z.object({ from: moment, levels: byLevel })),
  /** Length of a part in days. */
  stepDays: count,
});
export type AlarmAnalysis = z.output<typeof alarmAnalysis>;

/** Counts the alarms of a period. Throws `alarm.period`, `organization.not_found`. */
export const analyzeAlarms = defineRoute({
  name: 'analyzeAlarms',
  method: 'GET',
  path: '/alarm/analysis',
  access: 'alarm-graded:view',
  summary: 'Alarms of a period by hour, asset, reason and level, with the time until they were acknowledged',
  query: z.object(historyFilter),
  response: alarmAnalysis,
});
