import { LIMIT_KINDS } from '@isotherm/domain/alarms/catalogue';
import { POLICY_QUANTITIES } from '@isotherm/domain/alarms/policy';
import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import { z } from 'zod';
import { policyInput } from './alarm-policies.ts';
import { alarmLevel } from './alarms.ts';
import { defineRoute, id, moment } from './route.ts';

/** Largest number of channels of one back-test. */
export const MAX_BACK_TEST_CHANNELS = 200;
/** Longest period of a back-test, in days. */
export const MAX_BACK_TEST_DAYS = 90;
/** Largest number of alarms that are listed, of the draft and of the rules in force each. */
export const MAX_BACK_TEST_ALARMS = 200;

export const backTestChannel = z.object({
  id: z.number().int(),
  name: z.string(),
  indicator: z.enum(INDICATOR_NAMES),
  /** Null if the device is bound to no asset. */
  assetId: z.number().int().nullable(),
  /** Name of the asset, or number of a device without one. */
  assetName: z.string(),
});
export type BackTestChannel = z.output<typeof backTestChannel>;

/** What a draft can be tested on before it is assigned: an organisation or group with all that is below it. */
export const BACK_TEST_TARGETS = ['organization', 'asset-group'] as const;

/**
 * Lists channels on which a policy with these quantities can be tested: those to which the policy applies,
 * unless a nearer policy or direct rules take precedence; those of an organisation or group; or examples. It throws no
 * errors of its own.
 */
export const listBackTestChannels = defineRoute({
  name: 'listBackTestChannels',
  method: 'GET',
  path: '/alarm/policy/back-test',
  access: 'alarm-policies:view',
  summary: 'Channels that a policy is assigned to, or examples, for a back-test',
  query: z
    .object({
      /** Quantities of the draft, separated by commas. */
      quantities: z
        .string()
        .max(1_000)
        .transform((text) => text.split(','))
        .pipe(z.array(z.enum(POLICY_QUANTITIES))),
      /**
       * Lists the channels to which this policy applies; without it, examples from own and subordinate
       * organisations.
       */
      policyId: id.optional(),
      /** Lists the channels of this organisation or asset group instead, if the caller may see them. */
      targetKind: z.enum(BACK_TEST_TARGETS).optional(),
      targetId: id.optional(),
      limit: z.coerce.number().int().min(1).max(MAX_BACK_TEST_CHANNELS).default(MAX_BACK_TEST_CHANNELS),
    })
    .refine(({ targetKind, targetId }) => (targetKind === undefined) === (targetId === undefined), {
      path: ['targetId'],
      error: 'target',
    }),
  response: z.object({
    channels: z.array(backTestChannel),
    /**
     * Number of all channels that were found; `channels` contains the first ones, sorted by the name of the
     * asset.
     */
    total: z.number().int(),
  }),
});

export const backTestAlarm = z.object({
  channelId: z.number().int(),
  kind: z.enum(LIMIT_KINDS),
  /** Time of the first reading outside the limit. */
  since: moment,
  raisedAt: moment,
  /** End of the alarm; null if it was still open at the last reading. */
  endedAt: moment.nullable(),
  /** Time from `since` to the end of the alarm, or to the last reading. */
  durationMs: z.number(),
  /** Highest level. */
  level: alarmLevel,
  limit: z.number(),
  peak: z.number(),
  /** True if the other set of rules raises no alarm about this excursion. */
  isOnlyHere: z.boolean(),
});
export type BackTestAlarm = z.output<typeof backTestAlarm>;

export const backTestResult = z.object({
  total: z.number().int(),
  /** Number of alarms by highest level, from level 1 to 5. */
  byLevel: z.array(z.number().int()).length(5),
  longestMs: z.number(),
  /** Number of alarms about excursions for which the other set of rules raises none. */
  onlyHere: z.number().int(),
  /** Newest alarms first; alarms with `isOnlyHere` come before all others. */
  alarms: z.array(backTestAlarm),
});
export type BackTestResult = z.output<typeof backTestResult>;

/**
 * Returns which alarms the draft of a policy would have raised on stored readings, and which alarms the rules would have
 * raised that are in force now. Throws `channel.not_found`, `back_test.busy`.
 */
export const backTestPolicy = defineRoute({
  name: 'backTestPolicy',
  method: 'POST',
  path: '/alarm/policy/back-test',
  access: 'alarm-policies:view',
  summary: 'Alarms that the draft of a policy would have raised on stored readings',
  body: z.strictObject({
    definition: policyInput.shape.definition,
    channelIds: z.array(id).min(1).max(MAX_BACK_TEST_CHANNELS),
    days: z.number().int().min(1).max(MAX_BACK_TEST_DAYS).default(MAX_BACK_TEST_DAYS),
    /** End of the period; the default is the current time. */
    to: moment.optional(),
  }),
  response: z.object({
    from: moment,
    to: moment,
    /** `days` is the number of UTC days with readings. */
    channels: z.array(z.object({ id: z.number().int(), days: z.number().int() })),
    /** Quantities of the draft that are not tested: missing readings are not in the stored history. */
    leftOut: z.array(z.enum(POLICY_QUANTITIES)),
    draft: backTestResult,
    inForce: backTestResult,
  }),
});
