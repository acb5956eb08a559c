import { ON_CALL_CHANGES, type OnCallChangeKind, type OnCallSchedule } from '@isotherm/domain/alarms/on-call';
import { personKey } from '@isotherm/domain/alarms/person';
import { z } from 'zod';
import { label, prose, reason } from './fields.ts';
import { namedPerson, person } from './recipient-groups.ts';
import { defineRoute, id, moment, timeZone } from './route.ts';

/** Largest number of people in a rota. */
const MAX_PEOPLE = 30;
const MAX_TURN_DAYS = 90;

export const onCallInput = z.strictObject({
  organizationId: id,
  /** Name of the schedule; unique within the organisation, ignoring case. */
  name: label(60),
  description: prose().default(''),
  /** The people of the rota in their order. */
  people: z.array(person).min(1).max(MAX_PEOPLE),
  /** Date on which a turn of the first person starts. It also sets the weekday of the handover. */
  startsOn: z.iso.date({ error: 'format' }),
  /** Local time of the handover, such as `08:00`. */
  handoverAt: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'format' }),
  timeZone,
  /** Length of a turn in calendar days. */
  turnDays: z.number().int().min(1).max(MAX_TURN_DAYS),
});
export type OnCallInput = z.output<typeof onCallInput>;

export const onCallChangeInput = z
  .strictObject({
    kind: z.enum(ON_CALL_CHANGES),
    person,
    from: moment,
    until: moment,
  })
  .refine(({ from, until }) => Date.parse(from) < Date.parse(until), {
    path: ['until'],
    error: 'above-other',
  });
export type OnCallChangeInput = z.output<typeof onCallChangeInput>;

export const onCallChange = z.object({
  id: z.number().int(),
  kind: z.enum(ON_CALL_CHANGES),
  person: namedPerson,
  from: moment,
  until: moment,
});
export type OnCallChange = z.output<typeof onCallChange>;

export const onCallSchedule = onCallInput.extend({
  id: z.number().int(),
  organizationName: z.string(),
  people: z.array(namedPerson),
  /** Overrides and leave that end in the future or ended in the last 35 days; later ones take precedence. */
  changes: z.array(onCallChange),
  /** Number of policies that use the schedule. */
  policies: z.number().int(),
  changedBy: z.string(),
  changedAt: moment,
});
export type OnCallScheduleView = z.output<typeof onCallSchedule>;

/** Returns the schedule that says who is on call at which time. */
export function scheduleOf(
  view: Pick<OnCallScheduleView, 'people' | 'startsOn' | 'handoverAt' | 'timeZone' | 'turnDays' | 'changes'>,
): OnCallSchedule {
  const { people, startsOn, handoverAt, timeZone: zone, turnDays, changes } = view;
  const spansOf = (kind: OnCallChangeKind) =>
    changes
      .filter((change) => change.kind === kind)
      .map((change) => ({
        person: change.person,
        from: Date.parse(change.from),
        until: Date.parse(change.until),
      }));
  const all = [...people, ...changes.map((change) => change.person)];
  return {
    rota: { people, startsOn, handoverAt, timeZone: zone, turnDays },
    overrides: spansOf('override'),
    leave: spansOf('leave'),
    unavailable: new Set(all.filter(({ isActive }) => !isActive).map(personKey)),
  };
}

export const listOnCall = defineRoute({
  name: 'listOnCall',
  method: 'GET',
  path: '/on-call',
  access: 'alarm-on-call:view',
  summary: 'On-call schedules of own and subordinate organisations, with overrides and leave',
  response: z.array(onCallSchedule),
});

/** Lists receivers and accounts that can be on call. It throws no errors of its own. */
export const listOnCallCandidates = defineRoute({
  name: 'listOnCallCandidates',
  method: 'GET',
  path: '/on-call/candidates',
  access: 'alarm-on-call:view',
  summary: 'Receivers and accounts of own and subordinate organisations that can be on call',
  query: z.object({ search: z.string().max(100).default('') }),
  response: z.array(namedPerson),
});

/**
 * Creates a schedule. Throws `organization.not_found`, `on_call.taken`, or `on_call.person` if a person does
 * not belong to the organisation of the schedule or one below it.
 */
export const createOnCall = defineRoute({
  name: 'createOnCall',
  method: 'POST',
  path: '/on-call',
  access: 'alarm-on-call:edit',
  summary: 'Create an on-call schedule',
  body: onCallInput,
  response: onCallSchedule,
});

/**
 * Edits a schedule. People who were in its rota before are accepted even if they are unavailable. Throws
 * `organization.not_found` and `on_call.not_found|taken|person`.
 */
export const editOnCall = defineRoute({
  name: 'editOnCall',
  method: 'PUT',
  path: '/on-call/:id',
  access: 'alarm-on-call:edit',
  summary: 'Change an on-call schedule',
  params: z.object({ id }),
  body: onCallInput,
  response: onCallSchedule,
});

/** Deletes a schedule. Throws `on_call.not_found`, or `on_call.used` if a policy uses it. */
export const deleteOnCall = defineRoute({
  name: 'deleteOnCall',
  method: 'DELETE',
  path: '/on-call/:id',
  access: 'alarm-on-call:edit',
  summary: 'Delete an on-call schedule that no policy uses',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});

/** Adds an override or leave. Throws `on_call.not_found`, `on_call.person`. */
export const addOnCallChange = defineRoute({
  name: 'addOnCallChange',
  method: 'POST',
  path: '/on-call/:id/change',
  access: 'alarm-on-call:edit',
  summary: 'Add an override or leave to an on-call schedule',
  params: z.object({ id }),
  body: onCallChangeInput,
  response: onCallSchedule,
});

/** Removes an override or leave. Throws `on_call.not_found`, `on_call.change_not_found`. */
export const removeOnCallChange = defineRoute({
  name: 'removeOnCallChange',
  method: 'DELETE',
  path: '/on-call/:id/change/:changeId',
  access: 'alarm-on-call:edit',
  summary: 'Remove an override or leave from an on-call schedule',
  params: z.object({ id, changeId: id }),
  response: onCallSchedule,
});
