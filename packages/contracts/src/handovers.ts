import { ALARM_KINDS, ALARM_SUBJECTS } from '@isotherm/domain/alarms/catalogue';
import { SUPPRESSION_KINDS } from '@isotherm/domain/alarms/suppression';
import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import { z } from 'zod';
import { alarmLevel } from './alarms.ts';
import { prose } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

/** Longest period of a handover in days. */
export const MAX_HANDOVER_DAYS = 31;

/** An alarm as it was when it was handed over. */
export const handoverAlarm = z.object({
  id: z.number().int(),
  /** Current level; for an ended alarm the highest level that it reached. */
  level: alarmLevel,
  kind: z.enum(ALARM_KINDS),
  subject: z.enum(ALARM_SUBJECTS),
  indicator: z.enum(INDICATOR_NAMES),
  assetId: z.number().int(),
  assetName: z.string(),
  channelName: z.string(),
  organizationName: z.string(),
  since: moment,
  endedAt: moment.nullable(),
  peakValue: z.number().nullable(),
  acknowledgedBy: z.string().nullable(),
});
export type HandoverAlarm = z.output<typeof handoverAlarm>;

const ids = z.array(z.number().int());

/** What happened in the period, and what is to be watched. */
export const handoverContent = z.object({
  /** Every alarm of the sections, worst first. */
  alarms: z.array(handoverAlarm),
  sections: z.object({ open: ids, unacknowledged: ids, raised: ids, acknowledged: ids, ended: ids }),
  suppressions: z.array(
    z.object({
      id: z.number().int(),
      targetName: z.string(),
      kind: z.enum(SUPPRESSION_KINDS),
      reason: z.string(),
      until: moment,
      owner: z.string(),
    }),
  ),
  /** Times of the next 24 hours in which nobody is on call. */
  gaps: z.array(z.object({ schedule: z.string(), from: moment, until: moment })),
});
export type HandoverContent = z.output<typeof handoverContent>;

export const handover = z.object({
  id: z.number().int(),
  organizationId: z.number().int(),
  organizationName: z.string(),
  from: moment,
  until: moment,
  comment: z.string(),
  /** Who signed the handover, at `until`. */
  outgoing: z.object({ id: z.number().int(), name: z.string() }),
  /** Who took the shift over; null while nobody did. */
  incoming: z.object({ id: z.number().int(), name: z.string(), at: moment }).nullable(),
  counts: z.object({
    open: z.number().int(),
    unacknowledged: z.number().int(),
    raised: z.number().int(),
    acknowledged: z.number().int(),
    ended: z.number().int(),
  }),
});
export type Handover = z.output<typeof handover>;

export const listHandovers = defineRoute({
  name: 'listHandovers',
  method: 'GET',
  path: '/alarm/handover',
  access: 'alarm-handover:view',
  summary: 'Shift handovers of own and subordinate organisations',
  query: z.object({
    ...paging,
    /** Searched in names and comments. */
    search: z.string().max(100).default(''),
    organizationId: id.optional(),
    sort: z.enum(['until']).default('until'),
    order: z.enum(['asc', 'desc']).default('desc'),
  }),
  response: pageOf(handover),
});

/**
 * What would be handed over now: since `from`, by default since the last handover of the organisation, or for 24
 * hours. Throws `organization.not_found`, `handover.period`.
 */
export const previewHandover = defineRoute({
  name: 'previewHandover',
  method: 'GET',
  path: '/alarm/handover/now',
  access: 'alarm-handover:view',
  summary:
    'What happened with the alarms of an organisation since the last handover, and what is to be watched',
  query: z.object({ organizationId: id, from: moment.optional() }),
  response: z.object({
    from: moment,
    until: moment,
    /** The last handover of the organisation. */
    last: handover.nullable(),
    content: handoverContent,
  }),
});

/** Reads a handover with what was handed over. Throws `handover.not_found`. */
export const getHandover = defineRoute({
  name: 'getHandover',
  method: 'GET',
  path: '/alarm/handover/:id',
  access: 'alarm-handover:view',
  summary: 'One shift handover, as it was signed',
  params: z.object({ id }),
  response: handover.extend({ content: handoverContent }),
});

export const handoverInput = z.strictObject({
  organizationId: id,
  from: moment.optional(),
  comment: prose(2000).default(''),
});
export type HandoverInput = z.output<typeof handoverInput>;

/**
 * Signs a handover with the caller's name. Throws `organization.not_found`, `handover.period`, and
 * `permission.denied` for API keys.
 */
export const signHandover = defineRoute({
  name: 'signHandover',
  method: 'POST',
  path: '/alarm/handover',
  access: 'alarm-handover:sign',
  summary: 'Hand a shift over, signed with the name of the caller',
  body: handoverInput,
  response: handover,
});

/**
 * Takes a shift over, with the caller's name. Throws `handover.not_found`, `handover.taken` if somebody has, and
 * `handover.own` if the caller has signed it.
 */
export const takeHandover = defineRoute({
  name: 'takeHandover',
  method: 'POST',
  path: '/alarm/handover/:id/take',
  access: 'alarm-handover:sign',
  summary: 'Take a shift over, signed with the name of the caller',
  params: z.object({ id }),
  response: handover,
});
