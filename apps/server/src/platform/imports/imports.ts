import { AppError } from '@isotherm/contracts/errors';
import { cancelImport, getImportProgress } from '@isotherm/contracts/imports';
import type pg from 'pg';
import type { Clock } from '../clock.ts';
import type { Caller } from '../http/caller.ts';
import type { Mount } from '../http/mount.ts';
import type { Job } from '../jobs/jobs.ts';
import { createImportRun, type ImportRun, UNWATCHED } from './import-run.ts';
import {
  deleteImport,
  deleteSilentImports,
  findImport,
  insertImport,
  markCancelled,
  updateImport,
} from './imports.repo.ts';

/** Time without a report after which an import counts as abandoned; no portion takes nearly this long. */
const SILENT_MS = 3_600_000;

/**
 * Stores the progress of running imports in the database, because any process may be asked for it. An import
 * belongs to its request, not to the browser: if that is closed or the connection breaks, the import runs to
 * its end, and the lists show the result. It ends early only when it is cancelled.
 */
export interface Imports {
  /**
   * Runs an import under the id that its caller chose. Throws `import.under_way`. Without an id, or for API
   * keys, there is no progress.
   */
  run<T>(caller: Caller, id: string | undefined, work: (run: ImportRun) => Promise<T>): Promise<T>;
  mount(mount: Mount): void;
  jobs: readonly Job[];
}

export function createImports(pool: pg.Pool, clock: Clock): Imports {
  const now = () => new Date(clock.now());
  return {
    async run(caller, id, work) {
      if (id === undefined || caller.accountId === null) return work(UNWATCHED);
      const key = { accountId: caller.accountId, id };
      if (!(await insertImport(pool, key, 'reading', now()))) throw new AppError('import.under_way');
      try {
        return await work(createImportRun((progress) => updateImport(pool, key, progress, now())));
      } finally {
        // If the database is unavailable, a job deletes the row later.
        await deleteImport(pool, key).catch(() => undefined);
      }
    },
    mount(mount) {
      mount(getImportProgress, async ({ caller, params }) => {
        const found = await findImport(pool, { accountId: caller.accountId, id: params.id });
        if (!found) throw new AppError('import.not_running');
        return found;
      });
      mount(cancelImport, async ({ caller, params }) => {
        if (!(await markCancelled(pool, { accountId: caller.accountId, id: params.id })))
          throw new AppError('import.not_running');
        return null;
      });
    },
    jobs: [
      {
        name: 'imports-prune',
        cron: '7 * * * *',
        run: () => deleteSilentImports(pool, new Date(clock.now() - SILENT_MS)),
      },
    ],
  };
}
