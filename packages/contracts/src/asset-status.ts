import { ASSET_KINDS } from '@isotherm/domain/assets/asset-kind';
import { ASSET_STATUSES, longestMinutes, STATUS_DEEDS } from '@isotherm/domain/assets/asset-status';
import { z } from 'zod';
import { reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

/** One change of the status of an asset. */
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
  /** Empty if it ended by itself. */
  changedBy: z.string(),
  changedAt: moment,
  /** When it ends, or ended, by itself. */
  untilAt: moment.nullable(),
  /** When the next change was made; null while it lasts. */
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
    /** Name or code of the asset, or the reason. */
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
 * Throws `asset.not_found`, `asset.changed` if the status is not `from`, `asset.status` if the transition is
 * not allowed.
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
      /** The status that the user saw. */
      from: z.enum(ASSET_STATUSES),
      to: z.enum(ASSET_STATUSES),
      /** Duration of a temporary status. */
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
