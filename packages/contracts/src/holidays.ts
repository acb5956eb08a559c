import { z } from 'zod';
import { encodedFile, importBody, importReport, sheetExport } from './batches.ts';
import { label, reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

/** A holiday of an organisation and those below it. Schedules of alarm policies refer to it. */
export const holidayInput = z.strictObject({
  organizationId: id,
  /** Local date; once per organisation. */
  date: z.iso.date(),
  name: label(60),
});
export type HolidayInput = z.output<typeof holidayInput>;

export const holiday = holidayInput.extend({
  id: z.number().int(),
  organizationName: z.string(),
  /** True if the date has begun somewhere, so that the holiday cannot be changed. */
  isPast: z.boolean(),
  changedBy: z.string(),
  changedAt: moment,
});
export type Holiday = z.output<typeof holiday>;

const holidayFilter = {
  search: z.string().max(100).default(''),
  organizationId: id.optional(),
  sort: z.enum(['date', 'name', 'organization']).default('date'),
  order: z.enum(['asc', 'desc']).default('desc'),
};

export const listHolidays = defineRoute({
  name: 'listHolidays',
  method: 'GET',
  path: '/holiday',
  access: 'alarm-holidays:view',
  summary: 'Holidays of own and subordinate organisations',
  query: z.object({ ...paging, ...holidayFilter }),
  response: pageOf(holiday),
});

/** Exports the filtered list as XLSX, as base64 in the JSON response. The file can be imported again. */
export const exportHolidays = defineRoute({
  name: 'exportHolidays',
  method: 'GET',
  path: '/holiday/export',
  access: 'alarm-holidays:export',
  summary: 'The filtered holidays as a spreadsheet',
  query: z.object(holidayFilter),
  response: sheetExport,
});

export const getHolidayTemplate = defineRoute({
  name: 'getHolidayTemplate',
  method: 'GET',
  path: '/holiday/template',
  access: 'alarm-holidays:import',
  summary: 'The spreadsheet of holidays to fill in, as base64',
  response: encodedFile,
});

/**
 * Imports holidays from a spreadsheet. Rows with errors are reported and skipped; the others are written in
 * one transaction. Throws `import.*`.
 */
export const importHolidays = defineRoute({
  name: 'importHolidays',
  method: 'POST',
  path: '/holiday/import',
  access: 'alarm-holidays:import',
  summary: 'Create holidays from a spreadsheet (xls or xlsx), or only check it',
  encoding: 'multipart',
  body: importBody,
  response: importReport,
});

/** Reads a holiday. Throws `holiday.not_found`. */
export const getHoliday = defineRoute({
  name: 'getHoliday',
  method: 'GET',
  path: '/holiday/:id',
  access: 'alarm-holidays:view',
  summary: 'One holiday',
  params: z.object({ id }),
  response: holiday,
});

/** Creates a holiday. Throws `organization.not_found`, `holiday.taken`, `holiday.past`. */
export const createHoliday = defineRoute({
  name: 'createHoliday',
  method: 'POST',
  path: '/holiday',
  access: 'alarm-holidays:edit',
  summary: 'Create a holiday',
  body: holidayInput,
  response: holiday,
});

/** Edits a holiday. Throws `organization.not_found`, `holiday.not_found|taken|past`. */
export const editHoliday = defineRoute({
  name: 'editHoliday',
  method: 'PUT',
  path: '/holiday/:id',
  access: 'alarm-holidays:edit',
  summary: 'Change a holiday that has not begun',
  params: z.object({ id }),
  body: holidayInput,
  response: holiday,
});

/** Deletes a holiday. Throws `holiday.not_found`, `holiday.past`. */
export const deleteHoliday = defineRoute({
  name: 'deleteHoliday',
  method: 'DELETE',
  path: '/holiday/:id',
  access: 'alarm-holidays:edit',
  summary: 'Delete a holiday that has not begun',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});
