import { z } from 'zod';
import { file, IMPORT_MAX_BYTES } from './fields.ts';
import { importId } from './imports.ts';

/** What came of a change of several at once: nothing is silent (ui.md 7). */
export const batchResult = z.object({
  success: z.number().int(),
  fail: z.number().int(),
  failures: z.array(z.object({ id: z.number().int(), name: z.string(), message: z.string() })),
});
export type BatchResult = z.output<typeof batchResult>;

/** A file as base64 in the envelope. */
export const encodedFile = z.object({ fileName: z.string(), content: z.string() });

/** The same, of a list that may be longer than what is written at once (`limited` says so). */
export const sheetExport = encodedFile.extend({ rows: z.number().int(), limited: z.boolean() });

/** A list as CSV, whose content is the text itself. */
export const textExport = z.object({
  fileName: z.string(),
  content: z.string(),
  rows: z.number().int(),
  limited: z.boolean(),
});

/** A spreadsheet that is checked, and written when that is said. */
export const importBody = z.strictObject({
  file: file(IMPORT_MAX_BYTES),
  dryRun: z.enum(['true', 'false']).default('true'),
  /** By which its caller asks how far it is, and ends it (`imports.ts`). */
  importId: importId.optional(),
});
/** As the browser sends it. */
export type ImportForm = z.input<typeof importBody>;
/** As the server has it. */
export type ImportUpload = z.output<typeof importBody>;

export const importReport = z.object({
  rows: z.number().int(),
  success: z.number().int(),
  fail: z.number().int(),
  /** The first 1,000 rows with a fault, in the order of the file. */
  failures: z.array(
    z.object({
      /** As the spreadsheet numbers it: the first row below the head is 2. */
      row: z.number().int(),
      column: z.string(),
      value: z.string(),
      message: z.string(),
    }),
  ),
  /** Heads of columns that are no field: what stands below them is not read. */
  ignored: z.array(z.string()),
  /** False for a dry run, and when nothing was written because of faults. */
  written: z.boolean(),
});
export type ImportReport = z.output<typeof importReport>;
