import { ALERTOR_KINDS, ALERTOR_SERIAL } from '@isotherm/domain/alarms/alertor';
import { z } from 'zod';
import { label, reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

/** Prefix of the user name of an alertor over MQTT; its serial number follows. */
export const ALERTOR_USERNAME = 'alertor:';

/** Topic on which an alertor gets what it has to show (`alertorMessage`), with QoS 1. */
export const alertorStateTopic = (serial: string): string => `alertors/${serial}/state`;
/** Topic on which an alertor confirms what it shows (`alertorReport`). */
export const alertorConfirmTopic = (serial: string): string => `alertors/${serial}/confirm`;
/** Topic on which an alertor reports that its acknowledge button was pressed (`alertorReport`). */
export const alertorAcknowledgeTopic = (serial: string): string => `alertors/${serial}/acknowledge`;
/** Topic on which an alertor gets what its button has done (`alertorResult`). */
export const alertorResultTopic = (serial: string): string => `alertors/${serial}/result`;

/** What an alertor has to show, until another message follows. A message with a lower or equal `id` is a repetition. */
export const alertorMessage = z.object({
  id: z.number().int(),
  /** The most severe level; 0 if there is no alarm. */
  level: z.number().int().min(0).max(5),
  light: z.enum(['off', 'steady', 'slow-flash', 'fast-flash']),
  colour: z.enum(['none', 'yellow', 'red']),
  sound: z.enum(['off', 'single', 'intermittent', 'continuous']),
  /** Number of alarms. */
  alarms: z.number().int(),
});
export type AlertorMessage = z.output<typeof alertorMessage>;

/** `id`: that of the message that the alertor shows. */
export const alertorReport = z.object({ id: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER) });

/** Numbers of alarms that the button has acknowledged, and that must be acknowledged in the console. */
export const alertorResult = z.object({
  id: z.number().int(),
  acknowledged: z.number().int(),
  refused: z.number().int(),
});
export type AlertorResult = z.output<typeof alertorResult>;

export const alertorInput = z.strictObject({
  organizationId: id,
  /** Name; unique within the organisation, ignoring case. */
  name: label(60),
  /** Serial number; unique, ignoring case. */
  serial: z.string().trim().regex(ALERTOR_SERIAL, { error: 'alertor-serial' }),
  kind: z.enum(ALERTOR_KINDS),
  /** Where it hangs. */
  place: label(120),
});
export type AlertorInput = z.output<typeof alertorInput>;

export const alertor = alertorInput.extend({
  id: z.number().int(),
  organizationName: z.string(),
  isOnline: z.boolean(),
  /** When it was last connected; null if never. */
  seenAt: moment.nullable(),
  /** The most severe level that it has to show; 0 if there is no alarm. */
  level: z.number().int(),
  /** Number of alarms that it has to show. */
  alarms: z.number().int(),
  /** True if it has confirmed what it has to show. */
  isConfirmed: z.boolean(),
  changedBy: z.string(),
  changedAt: moment,
});
export type Alertor = z.output<typeof alertor>;

/** An alertor with its key, which is returned only once. */
const alertorWithKey = z.object({ alertor, key: z.string() });

export const listAlertors = defineRoute({
  name: 'listAlertors',
  method: 'GET',
  path: '/alertor',
  access: 'device-alertors:view',
  summary: 'Alertors of own and subordinate organisations',
  query: z.object({
    ...paging,
    /** Searched in names, serial numbers and places. */
    search: z.string().max(100).default(''),
    sort: z.enum(['name', 'serial', 'place', 'organization', 'seenAt']).default('name'),
    order: z.enum(['asc', 'desc']).default('asc'),
  }),
  response: pageOf(alertor),
});

/** Reads an alertor. Throws `alertor.not_found`. */
export const getAlertor = defineRoute({
  name: 'getAlertor',
  method: 'GET',
  path: '/alertor/:id',
  access: 'device-alertors:view',
  summary: 'One alertor',
  params: z.object({ id }),
  response: alertor,
});

/** Registers an alertor. Throws `organization.not_found` and `alertor.taken|serial_taken`. */
export const createAlertor = defineRoute({
  name: 'createAlertor',
  method: 'POST',
  path: '/alertor',
  access: 'device-alertors:edit',
  summary: 'Register an alertor; returns its key',
  body: alertorInput.extend({
    /** A key that the alertor has already; without it, one is created. */
    key: z.string().min(32).max(128).optional(),
  }),
  response: alertorWithKey,
});

/** Edits an alertor. Throws `organization.not_found` and `alertor.not_found|taken|serial_taken`. */
export const editAlertor = defineRoute({
  name: 'editAlertor',
  method: 'PUT',
  path: '/alertor/:id',
  access: 'device-alertors:edit',
  summary: 'Change an alertor',
  params: z.object({ id }),
  body: alertorInput,
  response: alertor,
});

/** Creates a new key; connections with the previous one are closed. Throws `alertor.not_found`. */
export const renewAlertorKey = defineRoute({
  name: 'renewAlertorKey',
  method: 'POST',
  path: '/alertor/:id/key',
  access: 'device-alertors:edit',
  summary: 'Create a new key for an alertor',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: alertorWithKey,
});

/** Deletes an alertor. Throws `alertor.not_found`. */
export const deleteAlertor = defineRoute({
  name: 'deleteAlertor',
  method: 'DELETE',
  path: '/alertor/:id',
  access: 'device-alertors:edit',
  summary: 'Delete an alertor',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});
