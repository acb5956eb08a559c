import { z } from 'zod';
import { currency, label, orNone } from './fields.ts';
import { defineRoute, moment } from './route.ts';

/**
 * GET /renewalnotice/web (requirements §3, §7): returns whether the console should remind the user of
 * expiring devices.
 */
export const getRenewalNotice = defineRoute({
  name: 'getRenewalNotice',
  method: 'GET',
  path: '/renewalnotice/web',
  access: 'signed-in',
  summary: 'Whether to show the renewal notice, and how many devices it is about',
  response: z.object({ IsShow: z.boolean(), DeviceExpiredNum: z.number().int() }),
});

/** Marks the notice as read. It appears again only when more devices expire than when it was marked. */
export const readRenewalNotice = defineRoute({
  name: 'readRenewalNotice',
  method: 'PUT',
  path: '/renewalnotice/read',
  access: 'signed-in',
  summary: 'Mark the renewal notice read',
  response: z.null(),
});

/** Requirements §9: "Renewal policy (effective 15 June 2023) …". */
export const renewalPolicyForm = z.strictObject({
  effectiveOn: z.iso.date({ error: 'format' }),
  /** Number of months before the end of its subscription in which a device counts as expiring soon. */
  expiringMonths: z.number().int().min(1).max(12),
  /** Number of months after the last day until the SIM card is cancelled. */
  lapsedMonths: z.number().int().min(1).max(24),
  /** Fee for a new SIM card, per device that must be sent in. */
  fee: z.number().min(0).max(999_999).multipleOf(0.01),
  currency,
  /** Phone number or address for questions. */
  hotline: orNone(label(40)),
});

const renewalPolicy = renewalPolicyForm.extend({ changedBy: z.string(), changedAt: moment.nullable() });
export type RenewalPolicy = z.output<typeof renewalPolicy>;

export const getRenewalPolicy = defineRoute({
  name: 'getRenewalPolicy',
  method: 'GET',
  path: '/renewalnotice/policy',
  access: 'signed-in',
  summary: 'What holds for the renewal of devices',
  response: renewalPolicy,
});

export const editRenewalPolicy = defineRoute({
  name: 'editRenewalPolicy',
  method: 'PUT',
  path: '/renewalnotice/policy',
  access: 'recharge-reminders:policy',
  summary: 'Change what holds for the renewal of devices',
  body: renewalPolicyForm,
  response: renewalPolicy,
});
