import { z } from 'zod';
import { file, IMPORT_MAX_BYTES } from './fields.ts';
import { importId } from './imports.ts';
import { id, type RouteContract } from './route.ts';

/** Result of an operation on several records. Every failure is reported (ui.md 7). */
export const batchResult = z.object({
  success: z.number().int(),
  fail: z.number().int(),
  failures: z.array(z.object({ id: z.number().int(), name: z.string(), message: z.string() })),
});
export type BatchResult = z.output<typeof batchResult>;

/** Largest number of records of one request. */
export const MOST_AT_ONCE = 200;

/** Ids of the records of a batch. */
export const severalIds = z.array(id).min(1).max(MOST_AT_ONCE);

/** A file whose content is base64 text in the JSON response. */
export const encodedFile = z.object({ fileName: z.string(), content: z.string() });

/** A file with a list that may be longer than the limit of an export. Then `limited` is true. */
export const sheetExport = encodedFile.extend({ rows: z.number().int(), limited: z.boolean() });

/** True for a route that exports a whole list as a spreadsheet, not the rows of one object: it can be ordered as a job. */
export const isListExport = ({ response, path }: Pick<RouteContract, 'response' | 'path'>): boolean =>
  response === sheetExport && !path.includes(':');

/** A list as CSV text. */
export const textExport = z.object({
  fileName: z.string(),
  content: z.string(),
  rows: z.number().int(),
  limited: z.boolean(),
});

/** Body of an import: a spreadsheet that is checked, or imported. */
export const importBody = z.strictObject({
  file: file(IMPORT_MAX_BYTES),
  dryRun: z.enum(['true', 'false']).default('true'),
  /** Id by which the progress is read and the import is cancelled (`imports.ts`). */
  importId: importId.optional(),
});
/** The import body as the browser sends it. */
export type ImportForm = z.input<typeof importBody>;
/** The import body as the server receives it. */
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
  /** Headers of unknown columns. These columns are ignored. */
  ignored: z.array(z.string()),
  /** False if the file was only checked, and if nothing was written because of errors. */
  written: z.boolean(),
});
export type ImportReport = z.output<typeof importReport>;
