import { ALARM_LEVELS } from '@isotherm/domain/alarms/alarm-level';
import { ALARM_END_REASONS, ALARM_KINDS, ALARM_SUBJECTS } from '@isotherm/domain/alarms/catalogue';
import { ASSET_KINDS } from '@isotherm/domain/assets/asset-kind';
import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import { z } from 'zod';
import { batchResult, sheetExport } from './batches.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

/** Largest page size of the list. */
const MOST_AT_ONCE = 200;

export const alarmLevel = z.union(
  ALARM_LEVELS.map((level) => z.literal(level)) as [
    z.ZodLiteral<1>,
    z.ZodLiteral<2>,
    ...z.ZodLiteral<3 | 4 | 5>[],
  ],
);
export const alarmKind = z.enum(ALARM_KINDS);

/** An excursion of a channel above or below its limits. Values are in the indicator's canonical unit. */
export const alarm = z.object({
  id: z.number().int(),
  /** Current level; for an ended alarm the highest level that it reached. */
  level: alarmLevel,
  peakLevel: alarmLevel,
  kind: alarmKind,
  /** Subject of the alarm. An offline device causes one alarm, whose `channelId` is one of its channels. */
  subject: z.enum(ALARM_SUBJECTS),
  state: z.enum(['active', 'recovering', 'ended']),
  indicator: z.enum(INDICATOR_NAMES),
  assetId: z.number().int(),
  assetName: z.string(),
  assetKind: z.enum(ASSET_KINDS),
  place: z.string(),
  organizationName: z.string(),
  channelId: z.number().int(),
  channelName: z.string(),
  deviceNumber: z.string(),
  /** Device time of the first reading outside the limit, or of the last reading before data was missing. */
  since: moment,
  /** Time of the reading that raised the alarm. */
  raisedAt: moment,
  endedAt: moment.nullable(),
  endReason: z.enum(ALARM_END_REASONS).nullable(),
  /**
   * The limit when the alarm was raised; later changes do not affect it (decision 8). Null for a no-data
   * alarm.
   */
  limitValue: z.number().nullable(),
  recoveryMargin: z.number().nullable(),
  triggerAfterMs: z.number().int(),
  /** Value of the reading that raised the alarm; null for a no-data alarm. */
  value: z.number().nullable(),
  /** The value farthest from the limit so far. */
  peakValue: z.number().nullable(),
  peakAt: moment.nullable(),
  /** True if the readings of the alarm reached the server late. */
  late: z.boolean(),
  handling: z.object({ by: z.string(), at: moment, comment: z.string() }).nullable(),
});
export type Alarm = z.output<typeof alarm>;

/** Comment of an acknowledgement. It is kept for auditors. */
const comment = z.string().trim().min(1).max(1000);

const alarmFilter = {
  /**
   * open: not ended. unhandled: not acknowledged, open or ended. all: both of these. handled: acknowledged
   * in the last 7 days.
   */
  show: z.enum(['open', 'unhandled', 'all', 'handled']).default('all'),
  level: z.coerce.number().int().min(1).max(5).optional(),
  assetId: id.optional(),
  /** Organisation of the alarms, including the organisations below it. */
  organizationId: id.optional(),
  search: z.string().max(100).default(''),
  sort: z.enum(['level', 'since', 'asset']).default('level'),
  order: z.enum(['asc', 'desc']).default('desc'),
};

export const listAlarms = defineRoute({
  name: 'listAlarms',
  method: 'GET',
  path: '/alarm/current',
  access: 'alarm-current:view',
  summary: 'Alarms that are open, or ended and not yet handled',
  query: z.object({ ...paging, ...alarmFilter }),
  response: pageOf(alarm).extend({ open: z.number().int(), unhandled: z.number().int() }),
});

export const exportAlarms = defineRoute({
  name: 'exportAlarms',
  method: 'GET',
  path: '/alarm/export',
  access: 'alarm-current:export',
  summary: 'The filtered alarms as a spreadsheet',
  query: z.object(alarmFilter),
  response: sheetExport,
});

export const getAlarm = defineRoute({
  name: 'getAlarm',
  method: 'GET',
  path: '/alarm/:id',
  access: 'alarm-current:view',
  summary: 'One alarm',
  params: z.object({ id }),
  response: alarm,
});

export const handleAlarm = defineRoute({
  name: 'handleAlarm',
  method: 'PUT',
  path: '/alarm/:id/handle',
  access: 'alarm-current:handle',
  summary: 'Say that somebody has seen to the alarm, and what was done',
  params: z.object({ id }),
  body: z.object({ comment }),
  response: alarm,
});

/**
 * Acknowledges several alarms independently of each other. Alarms that someone else has acknowledged in the
 * meantime are reported.
 */
export const handleAlarms = defineRoute({
  name: 'handleAlarms',
  method: 'PUT',
  path: '/alarm/handle',
  access: 'alarm-current:handle',
  summary: 'Acknowledge several alarms with one comment',
  body: z.strictObject({ ids: z.array(id).min(1).max(MOST_AT_ONCE), comment }),
  response: batchResult,
});

/**
 * GET /alarm/since: alarms raised after a given server time. A console that was disconnected requests them
 * (decision 16).
 */
export const listAlarmsSince = defineRoute({
  name: 'listAlarmsSince',
  method: 'GET',
  path: '/alarm/since',
  access: 'alarm-current:view',
  summary: 'Alarms recorded by the server after a moment, newest first, 100 at most',
  query: z.object({ recordedAfter: moment }),
  response: z.array(alarm),
});
