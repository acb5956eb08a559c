import { ACKNOWLEDGEMENT_FIELDS } from '@isotherm/domain/alarms/acknowledgement';
import {
  definitionFault,
  NOTIFICATION_CHANNELS,
  type PolicyDefinition,
  RECIPIENT_TYPES,
} from '@isotherm/domain/alarms/graded-policy';
import { POLICY_QUANTITIES, POLICY_TARGETS } from '@isotherm/domain/alarms/policy';
import { ASSET_KINDS } from '@isotherm/domain/assets/asset-kind';
import { z } from 'zod';
import { alarmLevel } from './alarms.ts';
import { label, prose, reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

const MAX_DELAY_MS = 7 * 86_400_000;
/** Of one step. */
export const MAX_RECIPIENTS = 100;

const limits = {
  quantity: z.enum(POLICY_QUANTITIES),
  /** In the canonical unit; null: no limit on this side. */
  low: z.number().nullable(),
  high: z.number().nullable(),
};
const delayMs = z.number().int().min(0).max(MAX_DELAY_MS);

/** Conditions and steps; what they mean: packages/domain/src/alarms/graded-policy.ts. */
const definitionFields = z.strictObject({
  conditions: z
    .array(
      z.strictObject({
        ...limits,
        recoveryMargin: z.number().min(0),
        recoverAfterMs: delayMs.max(86_400_000),
      }),
    )
    .max(POLICY_QUANTITIES.length),
  steps: z
    .array(
      z.strictObject({
        level: alarmLevel,
        triggerAfterMs: delayMs,
        limits: z.array(z.strictObject(limits)).max(POLICY_QUANTITIES.length).default([]),
        /** Ids of receivers or accounts. */
        recipients: z.array(id).max(MAX_RECIPIENTS).optional(),
        channels: z.array(z.enum(NOTIFICATION_CHANNELS)).optional(),
        repeatMs: delayMs.nullable().optional(),
        url: z.string().trim().max(2_000).optional(),
      }),
    )
    .max(5),
  recipientType: z.enum(RECIPIENT_TYPES).optional(),
  limitIsOutside: z.boolean().default(false),
  acknowledgement: z
    .strictObject({ required: z.array(z.enum(ACKNOWLEDGEMENT_FIELDS)), fromLevel: alarmLevel })
    .optional(),
});

/** Faults of the definition are reported at their condition or step, as `policy-<code>`. */
const definition = definitionFields.superRefine((value, context) => {
  const fault = definitionFault(value as PolicyDefinition);
  if (!fault) return;
  const path =
    'condition' in fault
      ? ['conditions', fault.condition]
      : 'step' in fault
        ? ['steps', fault.step]
        : [fault.code === 'no-steps' ? 'steps' : 'conditions'];
  context.addIssue({ code: 'custom', path, message: `policy-${fault.code}` });
});

export const policyInput = z.strictObject({
  organizationId: id,
  /** Unique within the organisation, ignoring case. */
  name: label(80),
  description: prose().default(''),
  enabled: z.boolean().default(true),
  definition,
});
export type PolicyInput = z.output<typeof policyInput>;

export const alarmPolicy = policyInput.extend({
  id: z.number().int(),
  organizationName: z.string(),
  /** To name in an edit, so that nobody overwrites a change that they have not seen. */
  version: z.number().int(),
  changedBy: z.string(),
  changedAt: moment,
  /** What it is assigned to. */
  targets: z.number().int(),
  /** Assets, devices and channels that have rules of it now. */
  assets: z.number().int(),
  devices: z.number().int(),
  channels: z.number().int(),
});
export type AlarmPolicy = z.output<typeof alarmPolicy>;

export const listPolicies = defineRoute({
  name: 'listPolicies',
  method: 'GET',
  path: '/alarm/policy',
  access: 'alarm-policies:view',
  summary: 'Alarm policies of own and subordinate organisations',
  query: z.object({
    ...paging,
    search: z.string().max(100).default(''),
    organizationId: id.optional(),
    enabled: z.enum(['true', 'false']).optional(),
    sort: z.enum(['name', 'organization', 'changedAt']).default('name'),
    order: z.enum(['asc', 'desc']).default('asc'),
  }),
  response: pageOf(alarmPolicy),
});

const one = z.object({ id });

/** Throws `policy.not_found`. */
export const getPolicy = defineRoute({
  name: 'getPolicy',
  method: 'GET',
  path: '/alarm/policy/:id',
  access: 'alarm-policies:view',
  summary: 'One alarm policy',
  params: one,
  response: alarmPolicy,
});

export const policyRecipient = z.object({
  id: z.number().int(),
  name: z.string(),
  organizationName: z.string(),
  /** Whether e-mail can reach them. */
  hasEmail: z.boolean(),
});
export type PolicyRecipient = z.output<typeof policyRecipient>;

/** Throws nothing. */
export const listPolicyRecipients = defineRoute({
  name: 'listPolicyRecipients',
  method: 'GET',
  path: '/alarm/policy/recipients',
  access: 'alarm-policies:view',
  summary: 'Receivers or accounts of own and subordinate organisations that a policy may tell',
  query: z.object({
    type: z.enum(RECIPIENT_TYPES),
    search: z.string().max(100).default(''),
    /** These ones, separated by commas, in place of a search. */
    ids: z
      .string()
      .max(4_000)
      .regex(/^\d{1,15}(,\d{1,15})*$/, { error: 'format' })
      .optional(),
  }),
  response: z.array(policyRecipient),
});

/** Throws `policy.not_found`. */
export const getPushKey = defineRoute({
  name: 'getPushKey',
  method: 'GET',
  path: '/alarm/policy/:id/push-key',
  access: 'alarm-policies:edit',
  summary: 'Key with which the URL pushes of an alarm policy are signed (HMAC-SHA-256)',
  params: one,
  response: z.object({ key: z.string() }),
});

/** Throws `organization.not_found`, `policy.taken`, `policy.recipient`. */
export const createPolicy = defineRoute({
  name: 'createPolicy',
  method: 'POST',
  path: '/alarm/policy',
  access: 'alarm-policies:edit',
  summary: 'Create an alarm policy',
  body: policyInput,
  response: alarmPolicy,
});

/**
 * In force for all channels concerned when it answers. Throws `policy.not_found`, `policy.taken`,
 * `policy.recipient`, `policy.changed` if `version` is not the stored one.
 */
export const editPolicy = defineRoute({
  name: 'editPolicy',
  method: 'PUT',
  path: '/alarm/policy/:id',
  access: 'alarm-policies:edit',
  summary: 'Change, enable or disable an alarm policy',
  params: one,
  body: z.strictObject({
    version: z.number().int(),
    policy: policyInput.omit({ organizationId: true }),
  }),
  response: alarmPolicy,
});

/** Its rules end, and the alarms that they hold. Throws `policy.not_found`. */
export const deletePolicy = defineRoute({
  name: 'deletePolicy',
  method: 'DELETE',
  path: '/alarm/policy/:id',
  access: 'alarm-policies:edit',
  summary: 'Delete an alarm policy',
  params: one,
  body: z.strictObject({ reason }),
  response: z.null(),
});

/** To own and subordinate organisations only (requirements §5). Throws `policy.not_found`, `organization.not_found`, `policy.taken`. */
export const copyPolicy = defineRoute({
  name: 'copyPolicy',
  method: 'POST',
  path: '/alarm/policy/:id/copy',
  access: 'alarm-policies:edit',
  summary: 'Copy an alarm policy, without its assignments, to another organisation or under another name',
  params: one,
  body: z.strictObject({ organizationId: id, name: label(80) }),
  response: alarmPolicy,
});

const target = z.strictObject({
  kind: z.enum(POLICY_TARGETS),
  id,
  /** Only to assets of this kind. */
  assetKind: z.enum(ASSET_KINDS).nullable().default(null),
});
export type AssignmentTarget = z.output<typeof target>;

export const policyAssignment = z.object({
  id: z.number().int(),
  kind: z.enum(POLICY_TARGETS),
  targetId: z.number().int(),
  /** Name of the organisation, group, asset or channel; number of the device. */
  name: z.string(),
  assetKind: z.enum(ASSET_KINDS).nullable(),
  assignedBy: z.string(),
  since: moment,
});
export type PolicyAssignment = z.output<typeof policyAssignment>;

/** Throws `policy.not_found`. */
export const listAssignments = defineRoute({
  name: 'listAssignments',
  method: 'GET',
  path: '/alarm/policy/:id/assignment',
  access: 'alarm-policies:view',
  summary: 'What an alarm policy is assigned to',
  params: one,
  response: z.array(policyAssignment),
});

/**
 * The target belongs to the policy's organisation or one below it. In force when it answers. Throws
 * `policy.not_found`, `policy.target`.
 */
export const assignPolicy = defineRoute({
  name: 'assignPolicy',
  method: 'POST',
  path: '/alarm/policy/:id/assignment',
  access: 'alarm-policies:edit',
  summary: 'Assign an alarm policy to an organisation, a group, an asset, a device or a channel',
  params: one,
  body: target,
  response: z.array(policyAssignment),
});

/** Throws `policy.not_found`, `policy.assignment`. */
export const unassignPolicy = defineRoute({
  name: 'unassignPolicy',
  method: 'DELETE',
  path: '/alarm/policy/:id/assignment/:assignmentId',
  access: 'alarm-policies:edit',
  summary: 'End an assignment of an alarm policy',
  params: z.object({ id, assignmentId: id }),
  response: z.array(policyAssignment),
});

/** A policy that reaches a channel. */
export const channelPolicy = z.object({
  channelId: z.number().int(),
  channelName: z.string(),
  /** The quantity of the policy: the channel's indicator, or `contact`. */
  quantity: z.enum(POLICY_QUANTITIES),
  policyId: z.number().int(),
  policyName: z.string(),
  target: z.object({ kind: z.enum(POLICY_TARGETS), name: z.string() }),
  /** Why it applies or not: an assignment or a direct rule that is nearer takes its place, or it is disabled. */
  state: z.enum(['applies', 'overridden', 'own-rules', 'disabled']),
});
export type ChannelPolicy = z.output<typeof channelPolicy>;

/** Throws `asset.not_found`. */
export const endOwnRules = defineRoute({
  name: 'endOwnRules',
  method: 'DELETE',
  path: '/alarm/policy/of-asset/:id/own-rules',
  access: 'alarm-policies:edit',
  summary: "End the rules that an asset's channels were registered with, so that policies apply",
  params: one,
  body: z.strictObject({ reason }),
  response: z.array(channelPolicy),
});

/** Throws `asset.not_found`. */
export const explainAssetPolicies = defineRoute({
  name: 'explainAssetPolicies',
  method: 'GET',
  path: '/alarm/policy/of-asset/:id',
  access: 'alarm-policies:view',
  summary: 'Which policies reach the channels of an asset, and which of them apply',
  params: one,
  response: z.array(channelPolicy),
});
