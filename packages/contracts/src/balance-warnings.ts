import { LEAST_WARNING_COUNT, WARNED_COMMODITIES } from '@isotherm/domain/billing/balance-warning';
import { z } from 'zod';
import { email, mobile, reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

const MOST_RECIPIENTS = 10;
/** Requirements §5: "SMS and voice early-warning counts at least 10". */
const count = z.number().int().min(LEAST_WARNING_COUNT).max(1_000_000);

/** Fields of a warning except its organisation. */
const warningFields = {
  smsBelow: count,
  voiceBelow: count,
  emails: z.array(email).min(1).max(MOST_RECIPIENTS),
  mobiles: z.array(mobile).max(MOST_RECIPIENTS).default([]),
  enabled: z.boolean(),
};

export const balanceWarning = z.object({
  id: z.number().int(),
  organizationId: z.number().int(),
  organizationName: z.string(),
  ...warningFields,
  /** Kinds of units whose balance is low and was warned of. */
  low: z.array(z.enum(WARNED_COMMODITIES)),
  warnedAt: moment.nullable(),
  changedBy: z.string(),
  changedAt: moment,
});
export type BalanceWarning = z.output<typeof balanceWarning>;

export const listBalanceWarnings = defineRoute({
  name: 'listBalanceWarnings',
  method: 'GET',
  path: '/balance-warning',
  access: 'recharge-reminders:view',
  summary: 'Who is warned of low prepaid balances of own and subordinate organisations',
  query: z.object({
    ...paging,
    search: z.string().max(100).default(''),
    sort: z.enum(['organizationName', 'changedAt']).default('organizationName'),
    order: z.enum(['asc', 'desc']).default('asc'),
  }),
  /** Notification channels that the installation can send by. */
  response: pageOf(balanceWarning).extend({ canEmail: z.boolean(), canSms: z.boolean() }),
});

/** Throws `organization.not_found`, `balance_warning.taken`. */
export const createBalanceWarning = defineRoute({
  name: 'createBalanceWarning',
  method: 'POST',
  path: '/balance-warning',
  access: 'recharge-reminders:edit',
  summary: 'Warn of a low balance that pays for an organisation',
  body: z.strictObject({ organizationId: id, ...warningFields }),
  response: balanceWarning,
});

/** Throws `balance_warning.not_found`. */
export const editBalanceWarning = defineRoute({
  name: 'editBalanceWarning',
  method: 'PUT',
  path: '/balance-warning/:id',
  access: 'recharge-reminders:edit',
  summary: 'Change a balance warning',
  params: z.object({ id }),
  body: z.strictObject(warningFields),
  response: balanceWarning,
});

/** Throws `balance_warning.not_found`. */
export const deleteBalanceWarning = defineRoute({
  name: 'deleteBalanceWarning',
  method: 'DELETE',
  path: '/balance-warning/:id',
  access: 'recharge-reminders:edit',
  summary: 'Delete a balance warning',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});
