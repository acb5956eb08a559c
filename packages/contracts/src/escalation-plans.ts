import { MAX_PLAN_STEPS, planFault } from '@isotherm/domain/alarms/escalation-plan';
import { NOTIFICATION_CHANNELS, RECIPIENT_TYPES } from '@isotherm/domain/alarms/graded-policy';
import { z } from 'zod';
import { MAX_RECIPIENTS } from './alarm-policies.ts';
import { alarmLevel } from './alarms.ts';
import { label, prose, reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

const MAX_MINUTES = 7 * 24 * 60;

const steps = z
  .array(
    z.strictObject({
      /** Minutes since the alarm was raised. */
      afterMinutes: z.number().int().min(1).max(MAX_MINUTES),
      recipientType: z.enum(RECIPIENT_TYPES),
      recipients: z.array(id).max(MAX_RECIPIENTS),
      channels: z.array(z.enum(NOTIFICATION_CHANNELS)),
      url: z.string().trim().max(2_000).default(''),
      alertors: z.array(id).max(MAX_RECIPIENTS).optional(),
    }),
  )
  .min(1)
  .max(MAX_PLAN_STEPS);

const fields = z.strictObject({
  organizationId: id,
  /** Name of the plan; unique within the organisation, ignoring case. */
  name: label(80),
  description: prose().default(''),
  enabled: z.boolean().default(true),
  /** The plan applies to alarms of this level and above. */
  lowestLevel: alarmLevel,
  steps,
});

/** Errors of the steps are reported as `plan-<code>`. */
export const escalationPlanInput = fields.extend({
  steps: steps.superRefine((value, context) => {
    const fault = planFault(value);
    if (fault) context.addIssue({ code: 'custom', path: [fault.step], message: `plan-${fault.code}` });
  }),
});
export type EscalationPlanInput = z.output<typeof escalationPlanInput>;

export const escalationPlan = fields.extend({
  id: z.number().int(),
  organizationName: z.string(),
  changedBy: z.string(),
  changedAt: moment,
});
export type EscalationPlan = z.output<typeof escalationPlan>;

export const listEscalationPlans = defineRoute({
  name: 'listEscalationPlans',
  method: 'GET',
  path: '/escalation-plan',
  access: 'management-advanced-alarms:view',
  summary: 'Escalation plans of own and subordinate organisations',
  query: z.object({
    ...paging,
    /** Searched in the names of plans. */
    search: z.string().max(100).default(''),
    organizationId: id.optional(),
    sort: z.enum(['name', 'organization', 'changedAt']).default('name'),
    order: z.enum(['asc', 'desc']).default('asc'),
  }),
  response: pageOf(escalationPlan),
});

/** Reads a plan. Throws `escalation_plan.not_found`. */
export const getEscalationPlan = defineRoute({
  name: 'getEscalationPlan',
  method: 'GET',
  path: '/escalation-plan/:id',
  access: 'management-advanced-alarms:view',
  summary: 'One escalation plan',
  params: z.object({ id }),
  response: escalationPlan,
});

/** Reads the key with which URL pushes are signed. Throws `escalation_plan.not_found`. */
export const getEscalationPushKey = defineRoute({
  name: 'getEscalationPushKey',
  method: 'GET',
  path: '/escalation-plan/:id/push-key',
  access: 'management-advanced-alarms:edit',
  summary: 'Key with which the URL pushes of an escalation plan are signed (HMAC-SHA-256)',
  params: z.object({ id }),
  response: z.object({ key: z.string() }),
});

/** Creates a plan. Throws `organization.not_found`, `escalation_plan.taken`, `escalation_plan.recipient`. */
export const createEscalationPlan = defineRoute({
  name: 'createEscalationPlan',
  method: 'POST',
  path: '/escalation-plan',
  access: 'management-advanced-alarms:edit',
  summary: 'Create an escalation plan',
  body: escalationPlanInput,
  response: escalationPlan,
});

/**
 * Edits a plan. Recipients that the plan has had before are accepted. Throws `organization.not_found` and
 * `escalation_plan.not_found|taken|recipient`.
 */
export const editEscalationPlan = defineRoute({
  name: 'editEscalationPlan',
  method: 'PUT',
  path: '/escalation-plan/:id',
  access: 'management-advanced-alarms:edit',
  summary: 'Change, enable or disable an escalation plan',
  params: z.object({ id }),
  body: escalationPlanInput,
  response: escalationPlan,
});

/** Deletes a plan; its notifications that are not due yet are cancelled. Throws `escalation_plan.not_found`. */
export const deleteEscalationPlan = defineRoute({
  name: 'deleteEscalationPlan',
  method: 'DELETE',
  path: '/escalation-plan/:id',
  access: 'management-advanced-alarms:edit',
  summary: 'Delete an escalation plan',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});
