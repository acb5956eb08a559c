import { SIGNATURE_LEVELS } from '@isotherm/domain/access/signature';
import { LINK_LEVELS } from '@isotherm/domain/alarms/acknowledge-link';
import { ACKNOWLEDGEMENT_FIELDS } from '@isotherm/domain/alarms/acknowledgement';
import {
  definitionFault,
  LATE_NOTIFICATIONS,
  NOTIFICATION_CHANNELS,
  type PolicyDefinition,
  RECIPIENT_TYPES,
} from '@isotherm/domain/alarms/graded-policy';
import {
  FENCE_SIDES,
  LEG_CONDITIONS,
  POLICY_QUANTITIES,
  POLICY_TARGETS,
} from '@isotherm/domain/alarms/policy';
import { MAX_AND, OTHER_MAX_AGE_MS } from '@isotherm/domain/alarms/policy-signal';
import { HOLIDAY_TREATMENTS, MAX_SPANS, WEEKDAYS } from '@isotherm/domain/alarms/schedule';
import { ASSET_KINDS } from '@isotherm/domain/assets/asset-kind';
import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import { z } from 'zod';
import { alarmLevel } from './alarms.ts';
import { label, prose, reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';
import type { ValidationRule } from './validation.ts';

const MAX_DELAY_MS = 7 * 86_400_000;
/** Largest number of conditions of a policy. */
export const MAX_CONDITIONS = 30;
/** Longest instruction of one step. */
export const MAX_INSTRUCTION = 500;
/** Largest number of recipients of one step. */
export const MAX_RECIPIENTS = 100;

const limits = {
  quantity: z.enum(POLICY_QUANTITIES),
  /** Lower limit in the canonical unit; null if there is none. */
  low: z.number().nullable(),
  high: z.number().nullable(),
};
const delayMs = z.number().int().min(0).max(MAX_DELAY_MS);

const bounds = { low: z.number().nullable(), high: z.number().nullable() };
const windowMs = z.number().int();
const otherSensor = {
  otherQuantity: z.enum(INDICATOR_NAMES),
  otherSensor: z.number().int(),
  maxAgeMs: z.literal(OTHER_MAX_AGE_MS).default(OTHER_MAX_AGE_MS),
};
/** Further conditions about other channels of the device, which must be met as well. */
const further = {
  and: z
    .array(z.strictObject({ ...otherSensor, ...bounds }))
    .max(MAX_AND)
    .readonly()
    .optional(),
};
/**
 * A value derived from the readings that is compared with the limits instead of the measured value
 * (packages/domain/src/alarms/policy-signal.ts).
 */
const signal = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('rate'), windowMs, ...further }),
  z.strictObject({ type: z.literal('outside-time'), windowMs, ...bounds, ...further }),
  z.strictObject({ type: z.literal('outside-count'), windowMs, ...bounds, ...further }),
  z.strictObject({ type: z.literal('forecast'), windowMs, horizonMs: z.number().int(), ...further }),
  z.strictObject({ type: z.literal('difference'), ...otherSensor, ...further }),
  z.strictObject({ type: z.literal('while'), ...otherSensor, ...bounds, ...further }),
]);

/** When a condition may raise an alarm (packages/domain/src/alarms/schedule.ts). */
const schedule = z.strictObject({
  spans: z
    .array(
      z.strictObject({
        days: z.array(z.literal(WEEKDAYS)).max(7).readonly(),
        from: z.string().trim().max(5),
        until: z.string().trim().max(5),
      }),
    )
    .max(MAX_SPANS)
    .readonly(),
  /** Empty in a request: the time zone of the policy's organisation. */
  timeZone: z.string().max(64),
  holidays: z.enum(HOLIDAY_TREATMENTS),
});

/** Conditions and steps of a policy. packages/domain/src/alarms/graded-policy.ts explains them. */
const definitionFields = z.strictObject({
  conditions: z
    .array(
      z.strictObject({
        ...limits,
        signal: signal.nullable().optional(),
        schedule: schedule.nullable().optional(),
        recoveryMargin: z.number().min(0),
        recoverAfterMs: delayMs.max(86_400_000),
        defrostDelayMs: z.number().int().optional(),
        leg: z.enum(LEG_CONDITIONS).nullable().optional(),
        /** The side of a geofence on which the condition applies; without it, everywhere. */
        fence: z
          .strictObject({ fenceId: z.number().int(), side: z.enum(FENCE_SIDES) })
          .nullable()
          .optional(),
      }),
    )
    .max(MAX_CONDITIONS),
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
        /** Ids of alertors. */
        alertors: z.array(id).max(MAX_RECIPIENTS).optional(),
        escalation: z.strictObject({ afterMs: delayMs, toLevel: alarmLevel }).nullable().optional(),
        /** What people are to do at this level. */
        instruction: prose(MAX_INSTRUCTION).optional(),
      }),
    )
    .max(5),
  recipientType: z.enum(RECIPIENT_TYPES).optional(),
  limitIsOutside: z.boolean().default(false),
  lateNotifications: z.enum(LATE_NOTIFICATIONS).optional(),
  acknowledgement: z
    .strictObject({ required: z.array(z.enum(ACKNOWLEDGEMENT_FIELDS)), fromLevel: alarmLevel })
    .optional(),
  signatureFromLevel: z.literal(SIGNATURE_LEVELS).optional(),
  linkLevel: z.literal(LINK_LEVELS).optional(),
  linkInSms: z.boolean().optional(),
});

/** Errors of the definition are reported at their condition or step, as `policy-<code>`. */
const definition = definitionFields.superRefine((value, context) => {
  const fault = definitionFault(value as PolicyDefinition);
  if (!fault) return;
  const path =
    'condition' in fault
      ? ['conditions', fault.condition]
      : 'step' in fault
        ? ['steps', fault.step]
        : [fault.code === 'no-steps' ? 'steps' : 'conditions'];
  const message = `policy-${fault.code}` as const satisfies ValidationRule;
  context.addIssue({ code: 'custom', path, message });
});

export const policyInput = z.strictObject({
  organizationId: id,
  /** Name of the policy; unique within the organisation, ignoring case. */
  name: label(80),
  description: prose().default(''),
  enabled: z.boolean().default(true),
  definition,
});
export type PolicyInput = z.output<typeof policyInput>;

export const alarmPolicy = policyInput.extend({
  id: z.number().int(),
  organizationName: z.string(),
  /** The geofences that its conditions name. */
  fences: z.array(z.object({ id: z.number().int(), name: z.string() })),
  /**
   * Version of the policy. An edit sends the version on which it is based, so that it cannot overwrite a
   * change that the user has not seen.
   */
  version: z.number().int(),
  changedBy: z.string(),
  changedAt: moment,
  /** Number of assignments of the policy. */
  targets: z.number().int(),
  /** Number of assets, devices and channels that currently have rules from this policy. */
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

/** Reads a policy. Throws `policy.not_found`. */
export const getPolicy = defineRoute({
  name: 'getPolicy',
  method: 'GET',
  path: '/alarm/policy/:id',
  access: 'alarm-policies:view',
  summary: 'One alarm policy',
  params: one,
  response: alarmPolicy,
});

/** Ids of records to return instead of search results, separated by commas. */
const idList = z
  .string()
  .max(4_000)
  .regex(/^\d{1,15}(,\d{1,15})*$/, { error: 'format' });

export const policyRecipient = z.object({
  id: z.number().int(),
  name: z.string(),
  organizationName: z.string(),
  /** True if the recipient has an e-mail address. */
  hasEmail: z.boolean(),
});
export type PolicyRecipient = z.output<typeof policyRecipient>;

/** Lists the receivers or accounts to which a policy can send. It throws no errors of its own. */
export const listPolicyRecipients = defineRoute({
  name: 'listPolicyRecipients',
  method: 'GET',
  path: '/alarm/policy/recipients',
  access: 'alarm-policies:view',
  summary: 'Recipients and alertors of own and subordinate organisations that a policy may notify',
  query: z.object({
    type: z.enum([...RECIPIENT_TYPES, 'alertors']),
    search: z.string().max(100).default(''),
    ids: idList.optional(),
  }),
  response: z.array(policyRecipient),
});

export const policyFence = z.object({
  id: z.number().int(),
  name: z.string(),
  organizationName: z.string(),
});
export type PolicyFence = z.output<typeof policyFence>;

/**
 * Lists the geofences that policies of an organisation may name: its own, those of organisations below, and those that organisations
 * above share. Throws `organization.not_found`.
 */
export const listPolicyFences = defineRoute({
  name: 'listPolicyFences',
  method: 'GET',
  path: '/alarm/policy/fences',
  access: 'alarm-policies:view',
  summary: 'Geofences that conditions of an alarm policy may name',
  query: z.object({
    /** The organisation of the policy; by default the caller's own. */
    organizationId: id.optional(),
    search: z.string().max(100).default(''),
    ids: idList.optional(),
  }),
  response: z.array(policyFence),
});

/** Reads the key with which URL pushes are signed. Throws `policy.not_found`. */
export const getPushKey = defineRoute({
  name: 'getPushKey',
  method: 'GET',
  path: '/alarm/policy/:id/push-key',
  access: 'alarm-policies:edit',
  summary: 'Key with which the URL pushes of an alarm policy are signed (HMAC-SHA-256)',
  params: one,
  response: z.object({ key: z.string() }),
});

/** Creates a policy. Throws `organization.not_found`, `policy.taken`, `policy.recipient`. */
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
 * Edits a policy. When the response arrives, the change applies to all affected channels. Throws
 * `policy.not_found`, `policy.taken`, `policy.recipient`, `policy.fence`, or `policy.changed` if `version` is not the stored
 * one.
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

/** Deletes a policy; its rules and their alarms end. Throws `policy.not_found`. */
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

/**
 * Copies a policy, only to the user's own and subordinate organisations (requirements §5). Throws
 * `policy.not_found`, `organization.not_found`, `policy.taken`, and `policy.fence` if a geofence cannot be used there.
 */
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
  /** Applies the policy only to assets of this kind; null for all kinds. */
  assetKind: z.enum(ASSET_KINDS).nullable().default(null),
});
export type AssignmentTarget = z.output<typeof target>;

export const policyAssignment = z.object({
  id: z.number().int(),
  kind: z.enum(POLICY_TARGETS),
  targetId: z.number().int(),
  /** Name of the organisation, group, asset or channel, or number of the device. */
  name: z.string(),
  assetKind: z.enum(ASSET_KINDS).nullable(),
  assignedBy: z.string(),
  since: moment,
  /** Number of the target's channels for which rules set at registration come before those of the policy. */
  ownRuleChannels: z.number().int(),
});
export type PolicyAssignment = z.output<typeof policyAssignment>;

export const policyReach = z.object({
  assets: z.number().int(),
  devices: z.number().int(),
  /** Channels that measure a quantity of the policy. */
  channels: z.number().int(),
  /** Those of them whose rules set at registration come before those of the policy. */
  ownRuleChannels: z.number().int(),
});
export type PolicyReach = z.output<typeof policyReach>;

/** Counts what an assignment would reach, before it is made. Throws `policy.not_found`, `policy.target`. */
export const countPolicyReach = defineRoute({
  name: 'countPolicyReach',
  method: 'GET',
  path: '/alarm/policy/:id/reach',
  access: 'alarm-policies:edit',
  summary: 'What an assignment of an alarm policy would reach',
  params: one,
  query: z.object({ kind: z.enum(POLICY_TARGETS), targetId: id, assetKind: z.enum(ASSET_KINDS).optional() }),
  response: policyReach,
});

/** Lists the assignments of a policy. Throws `policy.not_found`. */
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
 * Assigns a policy to a target, which must belong to the policy's organisation or one below it. When the
 * response arrives, the policy applies. Throws `policy.not_found`, `policy.target`.
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

/** Removes an assignment. Throws `policy.not_found`, `policy.assignment`. */
export const unassignPolicy = defineRoute({
  name: 'unassignPolicy',
  method: 'DELETE',
  path: '/alarm/policy/:id/assignment/:assignmentId',
  access: 'alarm-policies:edit',
  summary: 'End an assignment of an alarm policy',
  params: z.object({ id, assignmentId: id }),
  response: z.array(policyAssignment),
});

/** A policy that is assigned to a channel, directly or through its device, asset, group or organisation. */
export const channelPolicy = z.object({
  channelId: z.number().int(),
  channelName: z.string(),
  deviceNumber: z.string(),
  /** Number of the sensor on its device. */
  sensor: z.number().int(),
  /** The quantity of the policy that applies to the channel: its indicator, or `contact`. */
  quantity: z.enum(POLICY_QUANTITIES),
  policyId: z.number().int(),
  policyName: z.string(),
  target: z.object({ kind: z.enum(POLICY_TARGETS), name: z.string() }),
  /**
   * Whether the policy applies. It does not if a more specific assignment or a direct rule overrides it, if
   * the asset is not where its conditions say (`not-now`), or if it is disabled.
   */
  state: z.enum(['applies', 'not-now', 'overridden', 'own-rules', 'disabled']),
});
export type ChannelPolicy = z.output<typeof channelPolicy>;

/** Ends the direct rules of an asset, so that its policies apply. Throws `asset.not_found`. */
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

/** Lists the policies of an asset's channels and explains which of them apply. Throws `asset.not_found`. */
export const explainAssetPolicies = defineRoute({
  name: 'explainAssetPolicies',
  method: 'GET',
  path: '/alarm/policy/of-asset/:id',
  access: 'alarm-policies:view',
  summary: 'Which policies reach the channels of an asset, and which of them apply',
  params: one,
  response: z.array(channelPolicy),
});
