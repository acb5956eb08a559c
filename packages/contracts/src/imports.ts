import { SIGNED_IN } from '@isotherm/domain/access/permissions';
import { z } from 'zod';
import { defineRoute } from './route.ts';

/**
 * Phases of an import in order; not every import has all of them. Rows are `checking`, slow work per row is
 * `preparing` before any lock is taken, then rows are `writing`, and `recording` in the audit log.
 */
export const IMPORT_PHASES = ['reading', 'checking', 'preparing', 'writing', 'recording'] as const;
export type ImportPhase = (typeof IMPORT_PHASES)[number];

/** Id that the browser chooses for an import (`importBody`). */
export const importId = z.uuid();

const importProgress = z.object({
  phase: z.enum(IMPORT_PHASES),
  /** Rows of the phase. While the file is read the total is unknown: 0 of 0. */
  done: z.number().int(),
  total: z.number().int(),
});
export type ImportProgress = z.output<typeof importProgress>;

const oneImport = z.object({ id: importId });

/** Only for the caller's own import. Throws `import.not_running` if it has not begun or has ended. */
export const getImportProgress = defineRoute({
  name: 'getImportProgress',
  method: 'GET',
  path: '/import/:id',
  access: SIGNED_IN,
  summary: 'How far an import of one’s own is',
  params: oneImport,
  response: importProgress.extend({
    /** It was cancelled, and will end between two portions of rows. */
    cancelled: z.boolean(),
  }),
});

/**
 * Rolls everything back; the response of the import is then `import.cancelled`, or its report if it had just
 * finished. Throws `import.not_running`.
 */
export const cancelImport = defineRoute({
  name: 'cancelImport',
  method: 'POST',
  path: '/import/:id/cancel',
  access: SIGNED_IN,
  summary: 'End an import of one’s own and take it back',
  params: oneImport,
  response: z.null(),
});
