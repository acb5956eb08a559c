import { ASSET_KINDS } from '@isotherm/domain/assets/asset-kind';
import { ASSET_STATUSES, longestMinutes, STATUS_DEEDS } from '@isotherm/domain/assets/asset-status';
import { z } from 'zod';
import { reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

/** One change of an asset's status. */
export const statusChange = z.object({
  id: z.number().int(),
  assetId: z.number().int(),
  assetName: z.string(),
  assetCode: z.string(),
  assetKind: z.enum(ASSET_KINDS),
  organizationName: z.string(),
  from: z.enum(ASSET_STATUSES),
  to: z.enum(ASSET_STATUSES),
  deed: z.enum(STATUS_DEEDS),
  reason: z.string(),
  /** Name of the user; empty if the status ended automatically. */
  changedBy: z.string(),
  changedAt: moment,
  /** Time at which the status ends, or ended, automatically; null if it has no duration. */
  untilAt: moment.nullable(),
  /** Time of the next status change; null while this status lasts. */
  endedAt: moment.nullable(),
});
export type StatusChange = z.output<typeof statusChange>;

export const listStatusChanges = defineRoute({
  name: 'listStatusChanges',
  method: 'GET',
  path: '/asset/status-change',
  access: 'asset:view',
  summary:
    'Repairs, verifications, scrappings and other changes of status of own and subordinate organisations',
  query: z.object({
    ...paging,
    /** Search text for name or code of the asset, or the reason. */
    search: z.string().max(100).default(''),
    assetId: id.optional(),
    kind: z.enum(ASSET_KINDS).optional(),
    deed: z.enum(STATUS_DEEDS).optional(),
    from: moment.optional(),
    to: moment.optional(),
    sort: z.enum(['changedAt']).default('changedAt'),
    order: z.enum(['asc', 'desc']).default('desc'),
  }),
  response: pageOf(statusChange),
});

/**
 * Changes the status of an asset. Throws `asset.not_found`, `asset.changed` if the status is not `from`,
 * `asset.status` if the transition is not allowed.
 */
export const changeAssetStatus = defineRoute({
  name: 'changeAssetStatus',
  method: 'POST',
  path: '/asset/:id/status',
  access: 'asset:status',
  summary: 'Put an asset into another status, for a while where the status is for a while',
  params: z.object({ id }),
  body: z
    .strictObject({
      /** The status that the user saw before the change. */
      from: z.enum(ASSET_STATUSES),
      to: z.enum(ASSET_STATUSES),
      /** Duration of a temporary status in minutes; null without an end. */
      minutes: z.number().int().min(1).nullable().default(null),
      reason,
    })
    .superRefine(({ to, minutes }, context) => {
      const longest = longestMinutes(to);
      if (longest === null) {
        if (minutes !== null)
          context.addIssue({ code: 'custom', message: 'unknown-field', path: ['minutes'] });
      } else if (minutes === null)
        context.addIssue({ code: 'custom', message: 'required', path: ['minutes'] });
      else if (minutes > longest)
        context.addIssue({
          code: 'too_big',
          maximum: longest,
          origin: 'number',
          inclusive: true,
          input: minutes,
          path: ['minutes'],
        });
    }),
  response: statusChange,
});
