import { DUE_KINDS } from '@isotherm/domain/reminders/reminder';
import { z } from 'zod';
import { email, reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

const MOST_RECIPIENTS = 10;

/** Fields of a reminder except its organisation. */
const reminderFields = {
  kinds: z
    .array(z.enum(DUE_KINDS))
    .min(1)
    .refine((kinds) => new Set(kinds).size === kinds.length, { error: 'format' }),
  /** Requirements §3: "Days before, repeat interval in days". */
  daysBefore: z.number().int().min(1).max(365),
  repeatDays: z.number().int().min(1).max(90),
  recipients: z.array(email).min(1).max(MOST_RECIPIENTS),
  enabled: z.boolean(),
};

export const expiryReminder = z.object({
  id: z.number().int(),
  organizationId: z.number().int(),
  organizationName: z.string(),
  ...reminderFields,
  /** Language of its e-mails, which is the language of its last editor. */
  language: z.string(),
  /** Date of the last e-mail; null if none was sent. */
  remindedOn: z.iso.date().nullable(),
  changedBy: z.string(),
  changedAt: moment,
});
export type ExpiryReminder = z.output<typeof expiryReminder>;

export const listReminders = defineRoute({
  name: 'listReminders',
  method: 'GET',
  path: '/expiry-reminder',
  access: 'recharge-reminders:view',
  summary: 'Expiry reminders of own and subordinate organisations',
  query: z.object({
    ...paging,
    search: z.string().max(100).default(''),
    sort: z.enum(['organizationName', 'changedAt']).default('organizationName'),
    order: z.enum(['asc', 'desc']).default('asc'),
  }),
  /** `canDeliver` is true if an e-mail transport is configured. */
  response: pageOf(expiryReminder).extend({ canDeliver: z.boolean() }),
});

/** Reads a reminder. Throws `reminder.not_found`. */
export const getReminder = defineRoute({
  name: 'getReminder',
  method: 'GET',
  path: '/expiry-reminder/:id',
  access: 'recharge-reminders:view',
  summary: 'One expiry reminder',
  params: z.object({ id }),
  response: expiryReminder,
});

/**
 * Creates a reminder. Requirements §5: "One expiry reminder per organisation structure". Throws
 * `organization.not_found`, `permission.denied`, `reminder.taken`.
 */
export const createReminder = defineRoute({
  name: 'createReminder',
  method: 'POST',
  path: '/expiry-reminder',
  access: 'recharge-reminders:edit',
  summary:
    'Remind of what falls due in an organisation and those below it that have no reminder of their own',
  body: z.strictObject({ organizationId: id, ...reminderFields }),
  response: expiryReminder,
});

/** Edits a reminder. Throws `permission.denied`, `reminder.not_found`. */
export const editReminder = defineRoute({
  name: 'editReminder',
  method: 'PUT',
  path: '/expiry-reminder/:id',
  access: 'recharge-reminders:edit',
  summary: 'Change an expiry reminder',
  params: z.object({ id }),
  body: z.strictObject(reminderFields),
  response: expiryReminder,
});

/** Deletes a reminder. Throws `reminder.not_found`. */
export const deleteReminder = defineRoute({
  name: 'deleteReminder',
  method: 'DELETE',
  path: '/expiry-reminder/:id',
  access: 'recharge-reminders:edit',
  summary: 'Delete an expiry reminder',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});

/** Time ranges of the list, in days. */
export const DUE_SPANS = { overdue: 0, month: 30, quarter: 90, year: 365 } as const;
export type DueSpan = keyof typeof DUE_SPANS;

export const dueItem = z.object({
  kind: z.enum(DUE_KINDS),
  /** Id of the device, certificate, study, maintenance record or document. */
  subjectId: z.number().int(),
  /** Number of a device or certificate, name of a study or document. */
  name: z.string(),
  /** Name of the device or asset to which the due item belongs. */
  of: z.string(),
  organizationName: z.string(),
  dueOn: z.iso.date(),
  /** Days until the due date; negative if overdue. */
  daysLeft: z.number().int(),
});
export type DueItem = z.output<typeof dueItem>;

/** Lists the items that fall due, limited to kinds whose page the user may see. */
export const listDue = defineRoute({
  name: 'listDue',
  method: 'GET',
  path: '/expiry-reminder/due',
  access: 'recharge-reminders:view',
  summary: 'What falls due in own and subordinate organisations, the most urgent first',
  query: z.object({
    ...paging,
    search: z.string().max(100).default(''),
    span: z.enum(['overdue', 'month', 'quarter', 'year']).default('quarter'),
    kind: z.enum(DUE_KINDS).optional(),
    organizationId: id.optional(),
    sort: z.enum(['dueOn']).default('dueOn'),
    order: z.enum(['asc', 'desc']).default('asc'),
  }),
  response: pageOf(dueItem),
});
