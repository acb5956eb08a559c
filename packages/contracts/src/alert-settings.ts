import { POLICY_TARGETS } from '@isotherm/domain/alarms/policy';
import { ASSET_KINDS } from '@isotherm/domain/assets/asset-kind';
import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import { z } from 'zod';
import { ruleInForce } from './assets.ts';
import { batchResult } from './batches.ts';
import { reason } from './fields.ts';
import { defineRoute, id, pageOf, paging } from './route.ts';

/**
 * Where the limits of a channel come from: rules set at registration (`own`), a policy, or nowhere. Rules
 * about missing data are no limits.
 */
export const LIMIT_SOURCES = ['none', 'own', 'policy'] as const;

/** A channel of an asset with the rules that are in force for it. */
export const alertSetting = z.object({
  channelId: z.number().int(),
  channelName: z.string(),
  indicator: z.enum(INDICATOR_NAMES),
  /** Number of the sensor on its device. */
  sensor: z.number().int(),
  deviceNumber: z.string(),
  assetId: z.number().int(),
  assetName: z.string(),
  assetKind: z.enum(ASSET_KINDS),
  organizationId: z.number().int(),
  organizationName: z.string(),
  source: z.enum(LIMIT_SOURCES),
  rules: z.array(ruleInForce),
  /** The policies that the rules come from, each with the assignment that wins. */
  policies: z.array(
    z.object({
      id: z.number().int(),
      name: z.string(),
      target: z.object({ kind: z.enum(POLICY_TARGETS), name: z.string() }),
    }),
  ),
});
export type AlertSetting = z.output<typeof alertSetting>;

/** Lists the channels of assets with their rules in force. It throws no errors of its own. */
export const listAlertSettings = defineRoute({
  name: 'listAlertSettings',
  method: 'GET',
  path: '/alarm/alert-setting',
  access: 'alarm-policies:view',
  summary: 'Channels of the assets of own and subordinate organisations, with the alarm rules in force',
  query: z.object({
    ...paging,
    /** Searched in the names of assets and channels, codes of assets and numbers of devices. */
    search: z.string().max(100).default(''),
    /** With everything below it. */
    organizationId: id.optional(),
    /** With everything below it. */
    groupId: id.optional(),
    assetId: id.optional(),
    policyId: id.optional(),
    source: z.enum(LIMIT_SOURCES).optional(),
    quantity: z.enum(INDICATOR_NAMES).optional(),
    sort: z.enum(['asset', 'quantity', 'organization']).default('asset'),
    order: z.enum(['asc', 'desc']).default('asc'),
  }),
  /** The counts disregard the filter by source. */
  response: pageOf(alertSetting).extend({
    none: z.number().int(),
    own: z.number().int(),
    policy: z.number().int(),
  }),
});

/** Largest number of assets and channels in one request. */
export const MAX_SETTING_TARGETS = 200;

/**
 * Assigns a policy to several assets and channels, each independently. With `endOwn`, the rules that the
 * assets were registered with end where the policy replaces them. Throws `policy.not_found`.
 */
export const assignPolicyToMany = defineRoute({
  name: 'assignPolicyToMany',
  method: 'POST',
  path: '/alarm/alert-setting/assign',
  access: 'alarm-policies:edit',
  summary: 'Assign an alarm policy to several assets and channels',
  body: z.strictObject({
    policyId: id,
    targets: z
      .array(z.strictObject({ kind: z.enum(['asset', 'channel']), id }))
      .min(1)
      .max(MAX_SETTING_TARGETS),
    endOwn: z.boolean().default(false),
  }),
  response: batchResult,
});

/** Ends the direct rules of several assets where policies replace them. Throws nothing for single assets. */
export const endOwnRulesOfMany = defineRoute({
  name: 'endOwnRulesOfMany',
  method: 'POST',
  path: '/alarm/alert-setting/end-own',
  access: 'alarm-policies:edit',
  summary: 'End the rules that several assets were registered with, so that policies apply',
  body: z.strictObject({ assetIds: z.array(id).min(1).max(MAX_SETTING_TARGETS), reason }),
  response: batchResult,
});

/**
 * Copies the settings of an asset to others, sensor by sensor: assignments of policies and direct rules.
 * Channels without a counterpart keep their settings. Throws `asset.not_found`, `alert_settings.nothing` if
 * the asset has no rules.
 */
export const copyAlertSettings = defineRoute({
  name: 'copyAlertSettings',
  method: 'POST',
  path: '/alarm/alert-setting/of-asset/:id/copy',
  access: 'alarm-policies:edit',
  summary: 'Copy the alert settings of an asset to other assets of own and subordinate organisations',
  params: z.object({ id }),
  body: z.strictObject({ assetIds: z.array(id).min(1).max(MAX_SETTING_TARGETS), reason }),
  /** How many sensors and devices got settings (requirements §8). */
  response: batchResult.extend({ sensors: z.number().int(), devices: z.number().int() }),
});
