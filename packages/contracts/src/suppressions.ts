import {
  DEFAULT_HIGHEST_LEVEL,
  MAX_SUPPRESSION_MS,
  SUPPRESSION_KINDS,
  SUPPRESSION_STATES,
  SUPPRESSION_TARGETS,
} from '@isotherm/domain/alarms/suppression';
import { z } from 'zod';
import { alarmLevel } from './alarms.ts';
import { reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

export const suppressionInput = z
  .strictObject({
    /** Groups and organisations include everything below them. */
    targetKind: z.enum(SUPPRESSION_TARGETS),
    targetId: id,
    kind: z.enum(SUPPRESSION_KINDS),
    /** A start in the past becomes the time of the declaration. */
    from: moment,
    /** At most seven days after `from`. */
    until: moment,
    reason,
    /** Notifications of alarms above this level are sent at once. */
    highestLevel: alarmLevel.default(DEFAULT_HIGHEST_LEVEL),
  })
  .refine(({ from, until }) => Date.parse(from) < Date.parse(until), {
    path: ['until'],
    error: 'above-other',
  })
  .refine(({ from, until }) => Date.parse(until) - Date.parse(from) <= MAX_SUPPRESSION_MS, {
    path: ['until'],
    error: 'seven-days',
  });
export type SuppressionInput = z.output<typeof suppressionInput>;

/** What can be changed of a window that is not over. */
export const suppressionChange = z.strictObject({ until: moment, reason });
export type SuppressionChange = z.output<typeof suppressionChange>;

export const suppression = z.object({
  id: z.number().int(),
  organizationId: z.number().int(),
  organizationName: z.string(),
  targetKind: z.enum(SUPPRESSION_TARGETS),
  targetId: z.number().int(),
  targetName: z.string(),
  kind: z.enum(SUPPRESSION_KINDS),
  from: moment,
  until: moment,
  /** When a person ended the window early, or cancelled it before its start; null if nobody did. */
  endedAt: moment.nullable(),
  endedBy: z.string(),
  reason: z.string(),
  highestLevel: alarmLevel,
  /** Who declared the window. */
  owner: z.string(),
  declaredAt: moment,
  state: z.enum(SUPPRESSION_STATES),
  /** True if the window is not over and belongs to the caller’s organisation or one below it. */
  isEditable: z.boolean(),
  /** Number of notifications that the window holds back now. */
  held: z.number().int(),
  changedBy: z.string(),
  changedAt: moment,
});
export type Suppression = z.output<typeof suppression>;

/**
 * Lists windows. With `assetId`, those that reach the asset, also those of organisations above the caller’s
 * own. Throws no errors of its own.
 */
export const listSuppressions = defineRoute({
  name: 'listSuppressions',
  method: 'GET',
  path: '/suppression',
  access: 'alarm-suppressions:view',
  summary: 'Suppression windows of own and subordinate organisations, or those that reach an asset',
  query: z.object({
    ...paging,
    /** Searched in the names of targets and in reasons. */
    search: z.string().max(100).default(''),
    state: z.enum(SUPPRESSION_STATES).optional(),
    kind: z.enum(SUPPRESSION_KINDS).optional(),
    organizationId: id.optional(),
    assetId: id.optional(),
    sort: z.enum(['from', 'until', 'target']).default('from'),
    order: z.enum(['asc', 'desc']).default('desc'),
  }),
  response: pageOf(suppression),
});

/** Reads a window. Throws `suppression.not_found`. */
export const getSuppression = defineRoute({
  name: 'getSuppression',
  method: 'GET',
  path: '/suppression/:id',
  access: 'alarm-suppressions:view',
  summary: 'One suppression window',
  params: z.object({ id }),
  response: suppression,
});

/**
 * Declares a window; the caller is its owner. Throws `suppression.target` if there is no such target in the
 * caller’s scope, `suppression.past` if it would end in the past, `permission.denied` for API keys.
 */
export const createSuppression = defineRoute({
  name: 'createSuppression',
  method: 'POST',
  path: '/suppression',
  access: 'alarm-suppressions:edit',
  summary: 'Declare a suppression window, which holds back notifications of alarms',
  body: suppressionInput,
  response: suppression,
});

/**
 * Changes the end and the reason of a window. Throws `suppression.not_found`, `suppression.over` if it has
 * ended, `suppression.past` if the new end is in the past, `suppression.too_long` if it is more than seven
 * days after the start.
 */
export const editSuppression = defineRoute({
  name: 'editSuppression',
  method: 'PUT',
  path: '/suppression/:id',
  access: 'alarm-suppressions:edit',
  summary: 'Change the end and the reason of a suppression window that is not over',
  params: z.object({ id }),
  body: suppressionChange,
  response: suppression,
});

/**
 * Ends an active window now, or cancels a planned one; what it holds back is sent at once. Throws
 * `suppression.not_found`, `suppression.over`.
 */
export const endSuppression = defineRoute({
  name: 'endSuppression',
  method: 'PUT',
  path: '/suppression/:id/end',
  access: 'alarm-suppressions:edit',
  summary: 'End an active suppression window now, or cancel a planned one',
  params: z.object({ id }),
  response: suppression,
});
