import {
  ACKNOWLEDGEMENT_FIELDS,
  type AcknowledgementField,
  ALARM_REASONS,
} from '@isotherm/domain/alarms/acknowledgement';
import { ALARM_LEVELS } from '@isotherm/domain/alarms/alarm-level';
import { ALARM_END_REASONS, ALARM_KINDS, ALARM_SUBJECTS } from '@isotherm/domain/alarms/catalogue';
import { ALARM_EVENTS } from '@isotherm/domain/alarms/episode';
import { NOTIFICATION_CHANNELS } from '@isotherm/domain/alarms/graded-policy';
import { NOTIFICATION_KINDS } from '@isotherm/domain/alarms/notification';
import { FENCE_SIDES, LEG_CONDITIONS } from '@isotherm/domain/alarms/policy';
import { ALARM_CAUSES } from '@isotherm/domain/alarms/storm';
import { SUPPRESSION_KINDS } from '@isotherm/domain/alarms/suppression';
import { ASSET_KINDS } from '@isotherm/domain/assets/asset-kind';
import { RECEIPT_STATES } from '@isotherm/domain/notifications/receipt';
import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import { TRIP_STAGES } from '@isotherm/domain/waybills/trip-stage';
import { z } from 'zod';
import { batchResult, severalIds, sheetExport } from './batches.ts';
import { prose, reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';
import { signature, signatureInput } from './signatures.ts';

export const alarmLevel = z.union(
  ALARM_LEVELS.map((level) => z.literal(level)) as [
    z.ZodLiteral<1>,
    z.ZodLiteral<2>,
    ...z.ZodLiteral<3 | 4 | 5>[],
  ],
);
export const alarmKind = z.enum(ALARM_KINDS);

/** A suppression window as it is shown with an alarm. */
const alarmSuppression = z.object({
  id: z.number().int(),
  kind: z.enum(SUPPRESSION_KINDS),
  reason: z.string(),
  /** When the window ends, or ended. */
  until: moment,
});

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
  /** By how much a detected defrost delayed the alarm; null if it did not. */
  defrostDelayMs: z.number().int().nullable(),
  /** Value of the reading that raised the alarm; null for a no-data alarm. */
  value: z.number().nullable(),
  /** The value farthest from the limit so far. */
  peakValue: z.number().nullable(),
  peakAt: moment.nullable(),
  /** True if the readings of the alarm reached the server late. */
  late: z.boolean(),
  /** Shipments that the asset carried when the alarm was raised; absent: none. */
  trips: z
    .array(
      z.object({
        waybillId: z.number().int(),
        number: z.string(),
        stage: z.enum(TRIP_STAGES),
        leg: z.number().int(),
      }),
    )
    .optional(),
  /**
   * The acknowledgement; null if there is none, or if the alarm has since risen above the level at which it
   * was acknowledged.
   */
  acknowledgement: z
    .object({
      by: z.string(),
      /** True if it came by the link in a message. */
      byLink: z.boolean().optional(),
      at: moment,
      /** Null if the person selected no reason. */
      reason: z.enum(ALARM_REASONS).nullable(),
      cause: z.string(),
      correctiveAction: z.string(),
    })
    .nullable(),
  /** Fields that the policy requires in an acknowledgement. */
  required: z.array(z.enum(ACKNOWLEDGEMENT_FIELDS)),
  /** True if acknowledging, fixing and ending the alarm must be signed (contracts/signatures.ts). */
  mustSign: z.boolean(),
  /** Who confirmed that the cause is fixed, and when. It is independent of the acknowledgement. */
  fixed: z.object({ by: z.string(), at: moment }).nullable(),
  assignee: z.object({ id: z.number().int(), name: z.string() }).nullable(),
  /** The suppression window that holds back notifications of the alarm now; null if there is none. */
  suppression: alarmSuppression.nullable(),
});
export type Alarm = z.output<typeof alarm>;

const LONGEST_TEXT = 1000;

/** Schema of an acknowledgement with the required fields, used by the form and by the server. */
export function acknowledgementOf(required: readonly AcknowledgementField[]) {
  const text = (field: AcknowledgementField) =>
    required.includes(field) ? prose(LONGEST_TEXT).min(1) : prose(LONGEST_TEXT).default('');
  return z.strictObject({
    reason: required.includes('reason') ? z.enum(ALARM_REASONS) : z.enum(ALARM_REASONS).optional(),
    cause: text('cause'),
    correctiveAction: text('correctiveAction'),
  });
}
/** The requirements of the policy are checked later, once the alarm is loaded. */
const acknowledgementInput = acknowledgementOf([]);
export type AcknowledgementInput = z.output<typeof acknowledgementInput>;

const alarmFilter = {
  /**
   * open: not ended. unacknowledged: not acknowledged, open or ended. all: both. acknowledged: acknowledged in the last
   * 7 days.
   */
  show: z.enum(['open', 'unacknowledged', 'all', 'acknowledged']).default('all'),
  level: z.coerce.number().int().min(1).max(5).optional(),
  /** Only alarms whose cause is confirmed as fixed (true) or not (false). */
  fixed: z.enum(['true', 'false']).optional(),
  /** Only alarms that are assigned to the caller. */
  mine: z.enum(['true']).optional(),
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
  summary: 'Alarms that are open, or ended and not yet acknowledged',
  query: z.object({ ...paging, ...alarmFilter }),
  response: pageOf(alarm).extend({ open: z.number().int(), unacknowledged: z.number().int() }),
});

/** Alarms with a common cause (packages/domain/src/alarms/storm.ts). */
const alarmGroup = z.object({
  cause: z.enum(ALARM_CAUSES),
  /** Number of the device or gateway; empty for a power failure and a site. */
  source: z.string(),
  site: z.string(),
  siteId: z.number().int(),
  highestLevel: alarmLevel,
  firstAt: moment,
  /** Ids of all alarms of the group, worst first. */
  ids: z.array(z.number().int()),
  /** Ids of those that nobody has acknowledged. */
  unacknowledged: z.array(z.number().int()),
  /** Fields that the policy of any of the alarms requires in an acknowledgement. */
  required: z.array(z.enum(ACKNOWLEDGEMENT_FIELDS)),
  /** The worst alarms. */
  worst: z.array(alarm),
});
export type AlarmGroupView = z.output<typeof alarmGroup>;

/** Groups the alarms of the list by their common cause; groups of several alarms first, then the worst first. */
export const listAlarmGroups = defineRoute({
  name: 'listAlarmGroups',
  method: 'GET',
  path: '/alarm/group',
  access: 'alarm-current:view',
  summary: 'Alarms of the list, grouped by common cause: power failure, gateway, device or site',
  query: z.object(alarmFilter),
  response: z.object({
    groups: z.array(alarmGroup),
    /** True if there are more alarms than are grouped; the worst ones are. */
    limited: z.boolean(),
  }),
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

const one = z.object({ id });
/** Signature under the action; `signing.required` is thrown if it is missing where the alarm must be signed. */
const signing = { signature: signatureInput.optional() };

/**
 * Acknowledges an alarm. Throws `alarm.not_found`, `alarm.already_acknowledged` with the name of that
 * person, `alarm.climbed` if the alarm has risen above the level that the caller has seen, `request.invalid`
 * if a field that the policy requires is missing, `signing.required|wrong`.
 */
export const acknowledgeAlarm = defineRoute({
  name: 'acknowledgeAlarm',
  method: 'PUT',
  path: '/alarm/:id/acknowledge',
  access: 'alarm-current:acknowledge',
  summary: 'Acknowledge the alarm, with reason, cause and corrective action',
  params: one,
  body: acknowledgementInput.extend({
    /** The highest level of the alarm that the caller has seen. */
    level: alarmLevel.optional(),
    ...signing,
  }),
  response: alarm,
});

/**
 * Acknowledges several alarms independently of each other. Alarms that someone else has acknowledged in the meantime, and
 * those whose policy requires more, are reported. Throws `signing.required` before anything is done if one of the alarms
 * must be signed.
 */
export const acknowledgeAlarms = defineRoute({
  name: 'acknowledgeAlarms',
  method: 'PUT',
  path: '/alarm/acknowledge',
  access: 'alarm-current:acknowledge',
  summary: 'Acknowledge several alarms with one reason, cause and corrective action',
  body: acknowledgementInput.extend({ ids: severalIds, ...signing }),
  response: batchResult,
});

/**
 * Confirms that the cause of an alarm is fixed. Throws `alarm.not_found`, `alarm.already_fixed` with the
 * name of the person who confirmed it.
 */
export const fixAlarm = defineRoute({
  name: 'fixAlarm',
  method: 'PUT',
  path: '/alarm/:id/fix',
  access: 'alarm-current:acknowledge',
  summary: 'Confirm that the cause of the alarm is fixed',
  params: one,
  body: z.strictObject(signing),
  response: alarm,
});

/**
 * Ends an open alarm. Throws `alarm.not_found`, `alarm.already_ended`, `alarm.not_endable` for an alarm
 * about a wrong clock.
 */
export const endAlarm = defineRoute({
  name: 'endAlarm',
  method: 'PUT',
  path: '/alarm/:id/end',
  access: 'alarm-current:end',
  summary: 'End an open alarm, although its values have not recovered',
  params: one,
  body: z.strictObject({ reason, ...signing }),
  response: alarm,
});

/** Ends several alarms independently of each other. Those that cannot be ended are reported. */
export const endAlarms = defineRoute({
  name: 'endAlarms',
  method: 'PUT',
  path: '/alarm/end',
  access: 'alarm-current:end',
  summary: 'End several open alarms for one reason',
  body: z.strictObject({ ids: severalIds, reason, ...signing }),
  response: batchResult,
});

/**
 * Assigns an alarm to a person, or to nobody. Throws `alarm.not_found`, `alarm.assignee` if the person has
 * no permission to see the alarm.
 */
export const assignAlarm = defineRoute({
  name: 'assignAlarm',
  method: 'PUT',
  path: '/alarm/:id/assign',
  access: 'alarm-current:acknowledge',
  summary: 'Assign the alarm to a person, or to nobody',
  params: one,
  body: z.strictObject({ accountId: id.nullable() }),
  response: alarm,
});

/** Lists the people to whom an alarm can be assigned. Throws `alarm.not_found`. */
export const listAssignees = defineRoute({
  name: 'listAssignees',
  method: 'GET',
  path: '/alarm/:id/assignees',
  access: 'alarm-current:acknowledge',
  summary: 'People in scope who may see the alarm, 50 at most',
  params: one,
  query: z.object({ search: z.string().max(100).default('') }),
  response: z.array(z.object({ id: z.number().int(), name: z.string(), organizationName: z.string() })),
});

/** Adds a comment to an alarm. Throws `alarm.not_found`. */
export const commentAlarm = defineRoute({
  name: 'commentAlarm',
  method: 'POST',
  path: '/alarm/:id/comment',
  access: 'alarm-current:acknowledge',
  summary: 'Add a comment to the alarm; it cannot be changed afterwards',
  params: one,
  body: z.strictObject({ text: prose(LONGEST_TEXT).min(1) }),
  response: alarm,
});

/** An event of an alarm or an action of a person on it. */
const alarmStep = z.discriminatedUnion('type', [
  z.object({
    type: z.enum(ALARM_EVENTS),
    at: moment,
    level: alarmLevel,
    limitValue: z.number().nullable(),
    value: z.number().nullable(),
  }),
  z.object({
    type: z.literal('acknowledged'),
    at: moment,
    by: z.string(),
    byLink: z.boolean().optional(),
    level: alarmLevel.nullable(),
    reason: z.enum(ALARM_REASONS).nullable(),
    cause: z.string(),
    correctiveAction: z.string(),
  }),
  z.object({ type: z.literal('fixed'), at: moment, by: z.string() }),
  z.object({ type: z.literal('assigned'), at: moment, by: z.string(), to: z.string().nullable() }),
  z.object({ type: z.literal('commented'), at: moment, by: z.string(), text: z.string() }),
  z.object({ type: z.literal('ended-by'), at: moment, by: z.string(), text: z.string() }),
]);
export type AlarmStep = z.output<typeof alarmStep>;

/** What a provider reports about a message after it has accepted it. */
export const messageReceipt = z.object({ state: z.enum(RECEIPT_STATES), at: moment });

const alarmMessage = z.object({
  id: z.number().int(),
  kind: z.enum(NOTIFICATION_KINDS),
  stepLevel: alarmLevel,
  channel: z.enum(NOTIFICATION_CHANNELS),
  /** Name of the recipient, or the host of a URL push. Empty for a recipient who was removed. */
  to: z.string(),
  /** pending: due in the future, being sent, or waiting for a retry. */
  state: z.enum(['pending', 'sending', 'sent', 'failed', 'cancelled']),
  error: z.string(),
  late: z.boolean(),
  attempts: z.number().int(),
  dueAt: moment,
  deliveredAt: moment.nullable(),
  /** The latest receipt of the provider; null if there is none. */
  receipt: messageReceipt.nullable(),
  /** True while a suppression window holds back the notification. */
  held: z.boolean(),
  /** The last suppression window that has held it back; null if none has. */
  suppression: alarmSuppression.nullable(),
  /** Why it waits: for the next message about its site, the end of the quiet hours of its recipient, or a recharge. */
  waits: z.enum(['group', 'quiet', 'balance']).nullable(),
  /** The message about several alarms as part of which it was sent; null if it was sent alone. */
  group: z
    .object({
      cause: z.enum(ALARM_CAUSES),
      /** Number of the device or gateway. */
      source: z.string(),
      site: z.string(),
      alarms: z.number().int(),
    })
    .nullable(),
});
export type AlarmMessage = z.output<typeof alarmMessage>;

/**
 * Reads the timeline of an alarm: its events, actions of people and notifications. Throws `alarm.not_found`.
 */
export const getAlarmCourse = defineRoute({
  name: 'getAlarmCourse',
  method: 'GET',
  path: '/alarm/:id/course',
  access: 'alarm-current:view',
  summary: 'What happened in the course of an alarm, and who was notified',
  params: one,
  response: z.object({
    /** The policy whose rule raised the alarm, and where that rule applies. */
    policy: z
      .object({
        id: z.number().int(),
        name: z.string(),
        leg: z.enum(LEG_CONDITIONS).nullable(),
        /** The name is empty if the caller cannot see the geofence. */
        fence: z.object({ side: z.enum(FENCE_SIDES), name: z.string() }).nullable(),
      })
      .nullable(),
    /** What the policy says people are to do at the current level; empty if it says nothing. */
    instruction: z.string(),
    /** Ordered by time. */
    steps: z.array(alarmStep),
    messages: z.array(alarmMessage),
    /** Electronic signatures, in the order of signing. */
    signatures: z.array(signature),
  }),
});

const alarmMoveTarget = z.object({
  /** Asset. */
  id: z.number().int(),
  name: z.string(),
  place: z.string(),
  organizationName: z.string(),
  temperatureC: z.number().nullable(),
  /** Distance in metres; null if the coordinates of one of the assets are unknown. */
  distanceM: z.number().nullable(),
});
export type AlarmMoveTarget = z.output<typeof alarmMoveTarget>;

/** Lists healthy assets with the limits of the alarm's asset, the nearest first. Throws `alarm.not_found`. */
export const listMoveTargets = defineRoute({
  name: 'listMoveTargets',
  method: 'GET',
  path: '/alarm/:id/move-targets',
  access: 'alarm-current:view',
  summary: 'Assets within the same temperature limits to which the goods of the alarm can be moved',
  params: one,
  response: z.array(alarmMoveTarget),
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
