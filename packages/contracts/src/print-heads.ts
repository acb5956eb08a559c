import { REPORT_KINDS } from '@isotherm/domain/reports/report-number';
import { z } from 'zod';
import { encodedFile } from './batches.ts';
import { file, LOGO_MAX_BYTES, label, orNone, prose, reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

/** Kinds of reports with a head; `all` applies to kinds without a head of their own. */
export const PRINT_HEAD_KINDS = ['all', ...REPORT_KINDS] as const;
export const MOST_SIGNATURES = 4;

export const printHeadInput = z.strictObject({
  organizationId: id,
  reportKind: z.enum(PRINT_HEAD_KINDS),
  /** Printed beside the logo, such as the name of the company. */
  title: orNone(label(80)).default(''),
  /** One field a line, such as `Document number: SOP-017`. */
  fields: prose(600).default(''),
  /** Labels of the boxes for signatures at the end, such as `Reviewed by`. */
  signatures: z.array(label(40)).max(MOST_SIGNATURES).default([]),
});
export type PrintHeadInput = z.output<typeof printHeadInput>;

export const printHead = printHeadInput.extend({
  id: z.number().int(),
  organizationName: z.string(),
  /** Address of the logo; '' if there is none. */
  logo: z.string(),
  changedBy: z.string(),
  changedAt: moment,
});
export type PrintHead = z.output<typeof printHead>;

const one = z.object({ id });

export const listPrintHeads = defineRoute({
  name: 'listPrintHeads',
  method: 'GET',
  path: '/print-head',
  access: 'management-print-heads:view',
  summary: 'Heads of printed reports of own and subordinate organisations',
  query: z.object({
    ...paging,
    /** Searched in titles and names of organisations. */
    search: z.string().max(100).default(''),
    sort: z.enum(['organizationName', 'changedAt']).default('organizationName'),
    order: z.enum(['asc', 'desc']).default('asc'),
  }),
  response: pageOf(printHead),
});

/** Reads a print head. Throws `print_head.not_found`. */
export const getPrintHead = defineRoute({
  name: 'getPrintHead',
  method: 'GET',
  path: '/print-head/:id',
  access: 'management-print-heads:view',
  summary: 'One print head',
  params: one,
  response: printHead,
});

/** Creates a print head. Throws `organization.not_found`, `print_head.taken`. */
export const createPrintHead = defineRoute({
  name: 'createPrintHead',
  method: 'POST',
  path: '/print-head',
  access: 'management-print-heads:edit',
  summary: 'Create the head of the printed reports of an organisation and those below it without their own',
  body: printHeadInput,
  response: printHead,
});

/** Edits a print head. Throws `organization.not_found`, `print_head.not_found|taken`. */
export const editPrintHead = defineRoute({
  name: 'editPrintHead',
  method: 'PUT',
  path: '/print-head/:id',
  access: 'management-print-heads:edit',
  summary: 'Change a print head',
  params: one,
  body: printHeadInput,
  response: printHead,
});

/** Sets the logo. Throws `print_head.not_found`, `upload.too_large|format|unreadable`. */
export const uploadPrintHeadLogo = defineRoute({
  name: 'uploadPrintHeadLogo',
  method: 'POST',
  path: '/print-head/:id/logo',
  access: 'management-print-heads:edit',
  summary: 'Set the logo of a print head; jpg, jpeg, png or gif, 2 MB at most',
  params: one,
  encoding: 'multipart',
  body: z.strictObject({ image: file(LOGO_MAX_BYTES) }),
  response: printHead,
});

/** Removes the logo. Throws `print_head.not_found`. */
export const removePrintHeadLogo = defineRoute({
  name: 'removePrintHeadLogo',
  method: 'DELETE',
  path: '/print-head/:id/logo',
  access: 'management-print-heads:edit',
  summary: 'Remove the logo of a print head',
  params: one,
  response: printHead,
});

/** Deletes a print head. Throws `print_head.not_found`. */
export const deletePrintHead = defineRoute({
  name: 'deletePrintHead',
  method: 'DELETE',
  path: '/print-head/:id',
  access: 'management-print-heads:edit',
  summary: 'Delete a print head',
  params: one,
  body: z.strictObject({ reason }),
  response: z.null(),
});

/** A sample page with the head, which is not registered. Throws `print_head.not_found`. */
export const previewPrintHead = defineRoute({
  name: 'previewPrintHead',
  method: 'GET',
  path: '/print-head/:id/preview',
  access: 'management-print-heads:view',
  summary: 'A sample page with a print head as PDF, as base64',
  params: one,
  response: encodedFile,
});
