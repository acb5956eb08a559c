import { z } from 'zod';
import { encodedFile } from './batches.ts';
import { defineRoute, id, timeZone } from './route.ts';

export const STATEMENT_FORMATS = ['pdf', 'xlsx'] as const;

/** What is asked for in the form of a statement. */
export const statementInput = z.object({
  /** A month such as `2026-10`. */
  month: z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/, { error: 'format' }),
  format: z.enum(STATEMENT_FORMATS),
});

/**
 * Statement of the balances that pay for an organisation: opening balance, every entry and closing balance of a month in a time
 * zone. Throws `organization.not_found`, `billing.statement_long` (more entries than the format takes), `request.too_many`.
 */
export const exportStatement = defineRoute({
  name: 'exportStatement',
  method: 'GET',
  path: '/billing/statement',
  access: 'recharge-records:export',
  summary: 'Statement of prepaid balances for a month as PDF or spreadsheet',
  query: statementInput.extend({ organizationId: id.optional(), zone: timeZone }),
  response: encodedFile,
});
