import { ACKNOWLEDGEMENT_FIELDS } from '@isotherm/domain/alarms/acknowledgement';
import { NOTIFICATION_CHANNELS } from '@isotherm/domain/alarms/graded-policy';
import { z } from 'zod';
import { acknowledgementOf, alarmLevel } from './alarms.ts';
import { linkToken as token } from './public-links.ts';
import { defineRoute, id, moment } from './route.ts';

const linkedAlarm = z.object({
  level: alarmLevel,
  title: z.string(),
  message: z.string(),
  organizationName: z.string(),
  place: z.string(),
  raisedAt: moment,
  endedAt: moment.nullable(),
  /** The recipient of the link, who acknowledges. */
  recipient: z.string(),
  acknowledgedBy: z.string().nullable(),
  /** Why the alarm cannot be acknowledged by this link; null if it can. */
  fault: z.enum(['used', 'acknowledged', 'must-sign', 'level', 'locked']).nullable(),
  /** True if the recipient has a PIN, which must be entered. */
  needsPin: z.boolean(),
  required: z.array(z.enum(ACKNOWLEDGEMENT_FIELDS)),
});
export type LinkedAlarmView = z.output<typeof linkedAlarm>;

/** Shows the alarm of a link in a message. It changes nothing. Throws `link.not_found`. */
export const lookAtAlarmLink = defineRoute({
  name: 'lookAtAlarmLink',
  method: 'POST',
  path: '/link/alarm',
  access: 'public',
  summary: 'The alarm of an acknowledge link that a message contained',
  body: z.strictObject({ token }),
  response: linkedAlarm,
});

/**
 * Acknowledges the alarm of a link in the name of its recipient; the link works once. Throws `link.not_found`,
 * `link.refused` if the alarm cannot be acknowledged by the link, `link.wrong_pin`, `request.invalid` if a required field is
 * missing.
 */
export const acknowledgeByLink = defineRoute({
  name: 'acknowledgeByLink',
  method: 'POST',
  path: '/link/alarm/acknowledge',
  access: 'public',
  summary: 'Acknowledge the alarm of a link that a message contained',
  body: acknowledgementOf([]).extend({
    token,
    /** PIN of the recipient; empty if he has none. */
    pin: z.string().trim().max(8).default(''),
    /** The highest level of the alarm that the recipient has seen. */
    level: alarmLevel,
  }),
  response: linkedAlarm,
});

const openLink = z.object({
  id: z.number().int(),
  /** The recipient; empty if the receiver or account was removed. */
  recipient: z.string(),
  /** The notification channel of the message that contained the link; null for links of earlier releases. */
  sentBy: z.enum(NOTIFICATION_CHANNELS).nullable(),
  createdAt: moment,
  expiresAt: moment,
  /** True if too many wrong PINs were entered. */
  isLocked: z.boolean(),
});
export type OpenAlarmLink = z.output<typeof openLink>;

/** Lists the acknowledge links of an alarm that can still be used. Throws `alarm.not_found`. */
export const listAlarmLinks = defineRoute({
  name: 'listAlarmLinks',
  method: 'GET',
  path: '/alarm/:id/link',
  access: 'alarm-current:acknowledge',
  summary: 'Acknowledge links of an alarm that can still be used',
  params: z.object({ id }),
  response: z.array(openLink),
});

/** Revokes an acknowledge link. Throws `alarm.not_found`, or `link.not_found` if it cannot be used any more. */
export const revokeAlarmLink = defineRoute({
  name: 'revokeAlarmLink',
  method: 'DELETE',
  path: '/alarm/:id/link/:linkId',
  access: 'alarm-current:acknowledge',
  summary: 'Revoke an acknowledge link of an alarm',
  params: z.object({ id, linkId: id }),
  response: z.array(openLink),
});
