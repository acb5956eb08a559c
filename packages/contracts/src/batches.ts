import { z } from 'zod';
import { file, IMPORT_MAX_BYTES } from './fields.ts';
import { importId } from './imports.ts';

/** Result of a batch: every failure is reported (ui.md 7). */
export const batchResult = z.object({
  success: z.number().int(),
  fail: z.number().int(),
  failures: z.array(z.object({ id: z.number().int(), name: z.string(), message: z.string() })),
});
export type BatchResult = z.output<typeof batchResult>;

/** A file as base64 in the envelope. */
export const encodedFile = z.object({ fileName: z.string(), content: z.string() });

/** The same for a list that may be longer than the limit of an export (`limited`). */
export const sheetExport = encodedFile.extend({ rows: z.number().int(), limited: z.boolean() });

/** A list as CSV text. */
export const textExport = z.object({
  fileName: z.string(),
  content: z.string(),
  rows: z.number().int(),
  limited: z.boolean(),
});

/** A spreadsheet to check, or to import. */
export const importBody = z.strictObject({
  file: file(IMPORT_MAX_BYTES),
  dryRun: z.enum(['true', 'false']).default('true'),
  /** Id for progress and cancelling (`imports.ts`). */
  importId: importId.optional(),
});
/** As sent by the browser. */
export type ImportForm = z.input<typeof importBody>;
/** As received by the server. */
export type ImportUpload = z.output<typeof importBody>;

export const importReport = z.object({
  rows: z.number().int(),
  success: z.number().int(),
  fail: z.number().int(),
  /** The first 1,000 rows with errors, in the order of the file. */
  failures: z.array(
    z.object({
      /** Row number in the spreadsheet: the first row below the header is 2. */
      row: z.number().int(),
      column: z.string(),
      value: z.string(),
      message: z.string(),
    }),
  ),
  /** Headers of unknown columns, which are ignored. */
  ignored: z.array(z.string()),
  /** False for a dry run, and if nothing was written because of errors. */
  written: z.boolean(),
});
export type ImportReport = z.output<typeof importReport>;
