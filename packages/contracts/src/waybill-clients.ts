import { LANGUAGE_CODES } from '@isotherm/domain/access/languages';
import { z } from 'zod';
import { encodedFile, importBody, importReport, sheetExport } from './batches.ts';
import { email, label, landline, mobile, orNone, prose, reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

/** What a client is on waybills. */
export const CLIENT_KINDS = ['consignor', 'consignee', 'both'] as const;
/** Largest number of sites and of contacts of a client. */
export const MAX_CLIENT_ROWS = 20;

const site = z.strictObject({
  name: z.string().trim().max(60).default(''),
  address: label(200),
});
const contact = z.strictObject({
  name: label(60),
  phone: orNone(z.union([mobile, landline])).default(''),
  email: orNone(email).default(''),
  /** Language of e-mails. */
  language: z.enum(LANGUAGE_CODES).default('en'),
});

/** A consignor or consignee of the book, as people enter it. */
export const clientInput = z.strictObject({
  organizationId: id,
  /** Unique within the organisation, ignoring case. */
  name: label(),
  kind: z.enum(CLIENT_KINDS),
  sites: z.array(site).max(MAX_CLIENT_ROWS).default([]),
  contacts: z.array(contact).max(MAX_CLIENT_ROWS).default([]),
  /** Whether contacts are told about delays and excursions of their shipments by e-mail. */
  notices: z.boolean().default(true),
  note: prose().default(''),
  /** True if the organisations below may use the client. */
  shared: z.boolean().default(true),
});
export type ClientInput = z.output<typeof clientInput>;

export const waybillClient = clientInput.extend({
  id: z.number().int(),
  organizationName: z.string(),
  /** Waybills of the caller's organisations that name the client. */
  waybills: z.number().int(),
  /** False if the client belongs to an organisation above the caller's own. */
  editable: z.boolean(),
  changedBy: z.string(),
  changedAt: moment,
});
export type WaybillClient = z.output<typeof waybillClient>;

const clientFilter = {
  search: z.string().max(100).default(''),
  organizationId: id.optional(),
  /** Clients of both kinds are found by either. */
  kind: z.enum(['consignor', 'consignee']).optional(),
  sort: z.enum(['name', 'organization', 'changedAt']).default('name'),
  order: z.enum(['asc', 'desc']).default('asc'),
};

/** Lists own and subordinate clients, and those that organisations above share. */
export const listWaybillClients = defineRoute({
  name: 'listWaybillClients',
  method: 'GET',
  path: '/waybill/client',
  access: 'waybill-clients:view',
  summary: 'Consignors and consignees that the caller can use',
  query: z.object({ ...paging, ...clientFilter }),
  response: pageOf(waybillClient),
});

/** Exports the filtered list as XLSX, as base64 in the JSON response. */
export const exportWaybillClients = defineRoute({
  name: 'exportWaybillClients',
  method: 'GET',
  path: '/waybill/client/export',
  access: 'waybill-clients:export',
  summary: 'The filtered consignors and consignees as a spreadsheet',
  query: z.object(clientFilter),
  response: sheetExport,
});

export const getWaybillClientTemplate = defineRoute({
  name: 'getWaybillClientTemplate',
  method: 'GET',
  path: '/waybill/client/template',
  access: 'waybill-clients:import',
  summary: 'The spreadsheet of consignors and consignees to fill in, as base64',
  response: encodedFile,
});

/**
 * Imports clients from a spreadsheet. Rows with errors are reported and skipped; the others are written in one transaction.
 * Throws `import.*`.
 */
export const importWaybillClients = defineRoute({
  name: 'importWaybillClients',
  method: 'POST',
  path: '/waybill/client/import',
  access: 'waybill-clients:import',
  summary: 'Create consignors and consignees from a spreadsheet (xls or xlsx), or only check it',
  encoding: 'multipart',
  body: importBody,
  response: importReport,
});

const one = z.object({ id });

/** Reads a client. Throws `client.not_found`. */
export const getWaybillClient = defineRoute({
  name: 'getWaybillClient',
  method: 'GET',
  path: '/waybill/client/:id',
  access: 'waybill-clients:view',
  summary: 'One consignor or consignee',
  params: one,
  response: waybillClient,
});

/** Creates a client. Throws `organization.not_found`, `client.taken`. */
export const createWaybillClient = defineRoute({
  name: 'createWaybillClient',
  method: 'POST',
  path: '/waybill/client',
  access: 'waybill-clients:edit',
  summary: 'Create a consignor or consignee',
  body: clientInput,
  response: waybillClient,
});

/** Edits a client. Throws `organization.not_found`, `client.not_found|taken`. */
export const editWaybillClient = defineRoute({
  name: 'editWaybillClient',
  method: 'PUT',
  path: '/waybill/client/:id',
  access: 'waybill-clients:edit',
  summary: 'Change a consignor or consignee; waybills keep their text',
  params: one,
  body: clientInput,
  response: waybillClient,
});

/** Deletes a client. Throws `client.not_found`. */
export const deleteWaybillClient = defineRoute({
  name: 'deleteWaybillClient',
  method: 'DELETE',
  path: '/waybill/client/:id',
  access: 'waybill-clients:edit',
  summary: 'Delete a consignor or consignee; waybills keep their text',
  params: one,
  body: z.strictObject({ reason }),
  response: z.null(),
});
