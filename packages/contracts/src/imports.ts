import { SIGNED_IN } from '@isotherm/domain/access/permissions';
import { z } from 'zod';
import { defineRoute } from './route.ts';

/**
 * What an import is at, in this order; not each has all of them. Rows are `checked`, what takes long for each is
 * `prepared` before anything is held, then they are `written`, and `recorded` in the log.
 */
export const IMPORT_PHASES = ['reading', 'checking', 'preparing', 'writing', 'recording'] as const;
export type ImportPhase = (typeof IMPORT_PHASES)[number];

/** How the browser calls an import that it begins (`importBody`). */
export const importId = z.uuid();

const importProgress = z.object({
  phase: z.enum(IMPORT_PHASES),
  /** Rows, of the phase. While it is read, nobody knows how many there are: 0 of 0. */
  done: z.number().int(),
  total: z.number().int(),
});
export type ImportProgress = z.output<typeof importProgress>;

const oneImport = z.object({ id: importId });

/** Of one's own only. Throws `import.not_running`: it has not begun, or is over. */
export const getImportProgress = defineRoute({
  name: 'getImportProgress',
  method: 'GET',
  path: '/import/:id',
  access: SIGNED_IN,
  summary: 'How far an import of one’s own is',
  params: oneImport,
  response: importProgress.extend({
    /** It was told to end, and will between two portions of rows. */
    cancelled: z.boolean(),
  }),
});

/**
 * Nothing is kept of it; its own answer is then `import.cancelled`, or its report where it was written just before.
 * Throws `import.not_running`.
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
