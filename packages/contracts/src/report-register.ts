import { REPORT_KINDS } from '@isotherm/domain/reports/report-number';
import { z } from 'zod';
import { linkToken } from './public-links.ts';
import { defineRoute, moment } from './route.ts';

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
