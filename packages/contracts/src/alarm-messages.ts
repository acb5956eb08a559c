import { ALARM_LEVELS } from '@isotherm/domain/alarms/alarm-level';
import { NOTIFICATION_CHANNELS } from '@isotherm/domain/alarms/graded-policy';
import { NOTIFICATION_KINDS } from '@isotherm/domain/alarms/notification';
import { MESSAGE_STATES } from '@isotherm/domain/notifications/message-state';
import { z } from 'zod';
import { messageReceipt } from './alarms.ts';
import { batchResult, severalIds, sheetExport } from './batches.ts';
import { job } from './jobs.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

/** Largest number of messages that the pages of one list show; `isLimited` is true if there are more. */
export const MAX_MESSAGES = 10_000;

/** A notification of an alarm to one recipient by one notification channel. */
export const listedMessage = z.object({
  id: z.number().int(),
  /** Time at which it was first due. */
  at: moment,
  alarmId: z.number().int(),
  assetName: z.string(),
  organizationName: z.string(),
  level: z.union(ALARM_LEVELS.map((each) => z.literal(each))),
  kind: z.enum(NOTIFICATION_KINDS),
  /** Name of the recipient, or the host of a URL push. Empty for a recipient who was removed. */
  recipient: z.string(),
  channel: z.enum(NOTIFICATION_CHANNELS),
  state: z.enum(MESSAGE_STATES),
  error: z.string(),
  /** Units that were charged or are reserved; null if the notification channel is free. */
  units: z.number().int().nullable(),
  attempts: z.number().int(),
  deliveredAt: moment.nullable(),
  /** The latest receipt of the provider; null if there is none. */
  receipt: messageReceipt.nullable(),
});
export type ListedMessage = z.output<typeof listedMessage>;

const filter = {
  /** Start of the period; by default 30 days before its end. */
  from: moment.optional(),
  /** End of the period, exclusive; by default now. */
  to: moment.optional(),
  state: z.enum(MESSAGE_STATES).optional(),
  channel: z.enum(NOTIFICATION_CHANNELS).optional(),
  level: z.coerce.number().int().min(1).max(5).optional(),
  /** Recipient, asset or device number. */
  search: z.string().max(100).default(''),
  sort: z.enum(['at']).default('at'),
  order: z.enum(['asc', 'desc']).default('desc'),
};

/** Throws `alarm.period`. */
export const listAlarmMessages = defineRoute({
  name: 'listAlarmMessages',
  method: 'GET',
  path: '/alarm/message',
  access: 'alarm-messages:view',
  summary: 'Notifications of alarms in a period',
  query: z.object({ ...paging, ...filter }),
  response: pageOf(listedMessage).extend({ isLimited: z.boolean() }),
});

/** Throws `alarm.period`. */
export const exportAlarmMessages = defineRoute({
  name: 'exportAlarmMessages',
  method: 'GET',
  path: '/alarm/message/export',
  access: 'alarm-messages:export',
  summary: 'The filtered notifications as a spreadsheet',
  query: z.object(filter),
  response: sheetExport,
});

/** Orders the same list as a job, with every message of the period. Throws `alarm.period`, `job.too_many`. */
export const orderAlarmMessages = defineRoute({
  name: 'orderAlarmMessages',
  method: 'POST',
  path: '/alarm/message/export/order',
  access: 'alarm-messages:export',
  machines: false,
  summary: 'Order the filtered notifications of a period as a spreadsheet',
  body: z.object(filter),
  response: job,
});

export const alarmMessageDetail = listedMessage.extend({
  /**
   * The text in the language of the recipient, without the links, which are secret. `subject` is empty if the notification
   * channel has none.
   */
  rendered: z.object({ subject: z.string(), text: z.string() }),
  /** Text of an SMS as it was sent, and its number without the middle digits; null if no attempt was made. */
  sms: z.object({ text: z.string(), number: z.string(), providerMessageId: z.string() }).nullable(),
  /** Attempts by providers, oldest first. */
  tries: z.array(z.object({ at: moment, provider: z.string(), outcome: z.string(), detail: z.string() })),
  /** Receipts in the order of their arrival. */
  receipts: z.array(messageReceipt.extend({ provider: z.string(), code: z.string() })),
  /** Entries of the ledger that it caused. */
  entries: z.array(
    z.object({
      id: z.number().int(),
      kind: z.enum(['reserve', 'capture', 'release']),
      units: z.number().int(),
      at: moment,
    }),
  ),
});
export type AlarmMessageDetail = z.output<typeof alarmMessageDetail>;

/** Throws `alarm_message.not_found`. */
export const getAlarmMessage = defineRoute({
  name: 'getAlarmMessage',
  method: 'GET',
  path: '/alarm/message/:id',
  access: 'alarm-messages:view',
  summary: 'One notification with its attempts and cost',
  params: z.object({ id }),
  response: alarmMessageDetail,
});

/** Sends the content again, as a new notification. Throws `alarm_message.not_found|waiting`. */
export const resendAlarmMessage = defineRoute({
  name: 'resendAlarmMessage',
  method: 'POST',
  path: '/alarm/message/:id/resend',
  access: 'alarm-messages:resend',
  summary: 'Send a notification again',
  params: z.object({ id }),
  response: z.object({ id: z.number().int() }),
});

/**
 * Sends several notifications again, independently of each other: the dead letters of a server that was away, for example.
 * Those that wait, or are not found, are reported.
 */
export const resendAlarmMessages = defineRoute({
  name: 'resendAlarmMessages',
  method: 'POST',
  path: '/alarm/message/resend',
  access: 'alarm-messages:resend',
  summary: 'Send several notifications again',
  body: z.strictObject({ ids: severalIds }),
  response: batchResult,
});
