import { LANGUAGE_CODES } from '@isotherm/domain/access/languages';
import { z } from 'zod';
import { encodedFile, importBody, importReport, sheetExport } from './batches.ts';
import { code, email, label, mobile, orNone, prose, reason } from './fields.ts';
import { quietHours } from './quiet-hours.ts';
import { defineRoute, id, moment, pageOf, paging, timeZone } from './route.ts';

/**
 * A person or address to which alarms are sent. All given contact data is used: mobile number, e-mail and
 * WeChat.
 */
export const receiverInput = z.strictObject({
  organizationId: id,
  /** Name of the receiver; unique within the organisation, ignoring case. */
  name: label(60),
  /** Country code of the mobile number, such as `+86`. */
  countryCode: z
    .string()
    .trim()
    .regex(/^\+[1-9]\d{0,3}$/, { error: 'format' })
    .default('+86'),
  mobile: orNone(mobile).default(''),
  email: orNone(email).default(''),
  /** WeChat ID of the receiver. */
  wechat: orNone(code).default(''),
  /** Language in which the receiver gets alarms. */
  language: z.enum(LANGUAGE_CODES),
  /**
   * Time zone. If absent, a new receiver gets that of its organisation, and an existing one keeps its own.
   */
  timeZone: timeZone.optional(),
  /** If absent, a new receiver has none, and an existing one keeps its own. */
  quietHours: quietHours.optional(),
  /**
   * PIN that must be entered to acknowledge by a link, 4 to 8 digits. Empty removes it; absent keeps it. It is never
   * returned.
   */
  linkPin: z
    .string()
    .trim()
    .regex(/^(\d{4,8})?$/, { error: 'link-pin' })
    .optional(),
  description: prose().default(''),
});
export type ReceiverInput = z.output<typeof receiverInput>;

export const receiver = receiverInput.omit({ linkPin: true }).extend({
  id: z.number().int(),
  organizationName: z.string(),
  timeZone: z.string(),
  quietHours,
  hasLinkPin: z.boolean(),
  /** True if several e-mails to this address have bounced. */
  emailFails: z.boolean(),
  changedBy: z.string(),
  changedAt: moment,
});
export type Receiver = z.output<typeof receiver>;

const receiverFilter = {
  search: z.string().max(100).default(''),
  organizationId: id.optional(),
  language: z.enum(LANGUAGE_CODES).optional(),
  sort: z.enum(['name', 'organization', 'changedAt']).default('name'),
  order: z.enum(['asc', 'desc']).default('asc'),
};

export const listReceivers = defineRoute({
  name: 'listReceivers',
  method: 'GET',
  path: '/receiver',
  access: 'device-receivers:view',
  summary: 'Receivers of alarms in own and subordinate organisations',
  query: z.object({ ...paging, ...receiverFilter }),
  response: pageOf(receiver),
});

/** Exports the filtered list as XLSX, as base64 in the JSON response. The file can be imported again. */
export const exportReceivers = defineRoute({
  name: 'exportReceivers',
  method: 'GET',
  path: '/receiver/export',
  access: 'device-receivers:export',
  summary: 'The filtered receivers as a spreadsheet',
  query: z.object(receiverFilter),
  response: sheetExport,
});

export const getReceiverTemplate = defineRoute({
  name: 'getReceiverTemplate',
  method: 'GET',
  path: '/receiver/template',
  access: 'device-receivers:import',
  summary: 'The spreadsheet to fill in, as base64',
  response: encodedFile,
});

/**
 * Imports receivers from a spreadsheet. Rows with errors are reported and skipped; the others are written in
 * one transaction. Throws `import.*`.
 */
export const importReceivers = defineRoute({
  name: 'importReceivers',
  method: 'POST',
  path: '/receiver/import',
  access: 'device-receivers:import',
  summary: 'Create receivers from a spreadsheet (xls or xlsx), or only check it',
  encoding: 'multipart',
  body: importBody,
  response: importReport,
});

/** Reads a receiver. Throws `receiver.not_found`. */
export const getReceiver = defineRoute({
  name: 'getReceiver',
  method: 'GET',
  path: '/receiver/:id',
  access: 'device-receivers:view',
  summary: 'One receiver',
  params: z.object({ id }),
  response: receiver,
});

/** Creates a receiver. Throws `organization.not_found`, `receiver.taken`, `receiver.unreachable`. */
export const createReceiver = defineRoute({
  name: 'createReceiver',
  method: 'POST',
  path: '/receiver',
  access: 'device-receivers:edit',
  summary: 'Create a receiver',
  body: receiverInput,
  response: receiver,
});

/**
 * Edits a receiver. Throws `organization.not_found`, `receiver.not_found`, `receiver.taken`,
 * `receiver.unreachable`.
 */
export const editReceiver = defineRoute({
  name: 'editReceiver',
  method: 'PUT',
  path: '/receiver/:id',
  access: 'device-receivers:edit',
  summary: 'Change a receiver',
  params: z.object({ id }),
  body: receiverInput,
  response: receiver,
});

/** Deletes a receiver. Throws `receiver.not_found`. */
export const deleteReceiver = defineRoute({
  name: 'deleteReceiver',
  method: 'DELETE',
  path: '/receiver/:id',
  access: 'device-receivers:edit',
  summary: 'Delete a receiver',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});
