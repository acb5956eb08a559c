import { SIGNED_IN } from '@isotherm/domain/access/permissions';
import { z } from 'zod';
import { defineRoute } from './route.ts';

/**
 * Phases of an import in order; not every import has all of them. All rows are first in the phase
 * `checking`. Slow work per row is done in `preparing`, before any lock is acquired. Then the rows are saved
 * in `writing` and added to the audit log in `recording`.
 */
export const IMPORT_PHASES = ['reading', 'checking', 'preparing', 'writing', 'recording'] as const;
export type ImportPhase = (typeof IMPORT_PHASES)[number];

/** Id of an import, chosen by the browser (`importBody`). */
export const importId = z.uuid();

const importProgress = z.object({
  phase: z.enum(IMPORT_PHASES),
  /**
   * Number of finished rows in the phase. While the file is being read, the total is unknown and both are 0.
   */
  done: z.number().int(),
  total: z.number().int(),
});
export type ImportProgress = z.output<typeof importProgress>;

const oneImport = z.object({ id: importId });

/**
 * Reads the progress of an import that the user started. Throws `import.not_running` if it has not started
 * or has ended.
 */
export const getImportProgress = defineRoute({
  name: 'getImportProgress',
  method: 'GET',
  path: '/import/:id',
  access: SIGNED_IN,
  summary: 'How far an import of one’s own is',
  params: oneImport,
  response: importProgress.extend({
    /** True if the import was cancelled. It then ends after the current batch of rows. */
    cancelled: z.boolean(),
  }),
});

/**
 * Cancels an import and rolls everything back. The response of the import itself is then `import.cancelled`,
 * or its report if it had just finished. Throws `import.not_running`.
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
