import { REPORT_KINDS } from '@isotherm/domain/reports/report-number';
import { z } from 'zod';
import { sheetExport } from './batches.ts';
import { linkToken } from './public-links.ts';
import { defineRoute, download, id, moment, pageOf, paging } from './route.ts';

const verification = z.object({
  /** Number in the register, which is printed on each page. */
  number: z.string(),
  kind: z.enum(REPORT_KINDS),
  /** The organisation that issued the report, by its name at that time. */
  issuer: z.string(),
  createdAt: moment,
  /** True if the file is the one that was registered; null if no file was checked. */
  isGenuine: z.boolean().nullable(),
});
export type ReportVerification = z.output<typeof verification>;

/**
 * Verifies a report by the link that it prints. The browser sends only the SHA-256 of the file, never the file itself.
 * Throws `link.not_found`.
 */
export const verifyReport = defineRoute({
  name: 'verifyReport',
  method: 'POST',
  path: '/verify/report',
  access: 'public',
  summary: 'Whether a file with this SHA-256 is the report of a verification link',
  body: z.strictObject({
    token: linkToken,
    /** SHA-256 of the file in hexadecimal; without it, the response only says which report the link is for. */
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, { error: 'format' })
      .nullable()
      .default(null),
  }),
  response: verification,
});

/** A report in the register. */
export const registeredReport = z.object({
  id: z.number().int(),
  number: z.string(),
  kind: z.enum(REPORT_KINDS),
  /** What the report is about. */
  subject: z.string(),
  /** The organisation that issued the report, by its name at that time. */
  issuer: z.string(),
  /** SHA-256 of the file in hexadecimal. */
  sha256: z.string(),
  sizeBytes: z.number().int(),
  createdBy: z.string(),
  createdAt: moment,
  /** Whether the file still exists among the downloads of its maker. */
  hasFile: z.boolean(),
});
export type RegisteredReport = z.output<typeof registeredReport>;

const registerFilter = {
  /** Searched in numbers and subjects. */
  search: z.string().max(100).default(''),
  kind: z.enum(REPORT_KINDS).optional(),
  organizationId: id.optional(),
  from: moment.optional(),
  to: moment.optional(),
  sort: z.enum(['createdAt', 'sizeBytes']).default('createdAt'),
  order: z.enum(['asc', 'desc']).default('desc'),
};
const one = z.object({ id });

export const listRegisteredReports = defineRoute({
  name: 'listRegisteredReports',
  method: 'GET',
  path: '/report/register',
  access: 'report-register:view',
  summary: 'Registered PDF reports of own and subordinate organisations',
  query: z.object({ ...paging, ...registerFilter }),
  response: pageOf(registeredReport),
});

/** Exports the filtered list as XLSX, as base64 in the JSON response. */
export const exportRegisteredReports = defineRoute({
  name: 'exportRegisteredReports',
  method: 'GET',
  path: '/report/register/export',
  access: 'report-register:export',
  summary: 'The filtered register of reports as a spreadsheet',
  query: z.object(registerFilter),
  response: sheetExport,
});

/**
 * Makes a further link to the public page at which the report is verified; the register knows only hashes of earlier ones. Throws
 * `report.not_found`.
 */
export const linkRegisteredReport = defineRoute({
  name: 'linkRegisteredReport',
  method: 'POST',
  path: '/report/register/:id/link',
  access: 'report-register:view',
  summary: 'A link to the public page at which a report is verified',
  params: one,
  response: z.object({ path: z.string() }),
});

/** Returns the file of a report. Throws `report.not_found|no_file`, `job.storage_away`. */
export const readRegisteredReport = defineRoute({
  name: 'readRegisteredReport',
  method: 'GET',
  path: '/report/register/:id/file',
  access: 'report-register:view',
  summary: 'The file of a registered report, if it still exists',
  params: one,
  response: download,
});
