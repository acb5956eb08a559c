import { AppError } from '@isotherm/contracts/errors';
import type { ImportPhase, ImportProgress } from '@isotherm/contracts/imports';
import { inPortions } from '../portions.ts';

/** An import in progress, which reports its progress and can be cancelled. */
export interface ImportRun {
  /**
   * Processes rows in portions (`inPortions`) and reports progress. If the import was cancelled, throws
   * `import.cancelled` between two portions; inside a transaction, that rolls everything back.
   */
  each<T>(
    phase: ImportPhase,
    items: readonly T[],
    work: (portion: readonly T[]) => unknown,
    size?: number,
  ): Promise<void>;
}

/** Stores the progress; returns whether the import was cancelled. */
export type Tell = (progress: ImportProgress) => Promise<boolean>;

/**
 * Creates an import run. Progress reports never delay the import: one is in flight at a time, followed by
 * the newest. An import holds a database connection for its transaction; if it waited for a second one, a
 * few imports could deadlock.
 */
export function createImportRun(tell: Tell): ImportRun {
  let waiting: ImportProgress | null = null;
  let isTelling = false;
  let isCancelled = false;

  function say(progress: ImportProgress): void {
    waiting = progress;
    if (!isTelling) void tellWaiting();
  }

  async function tellWaiting(): Promise<void> {
    isTelling = true;
    while (waiting) {
      const progress = waiting;
      waiting = null;
      // A failed report is ignored, because the response of the import contains the result.
      isCancelled = (await tell(progress).catch(() => false)) || isCancelled;
    }
    isTelling = false;
  }

  return {
    async each(phase, items, work, size) {
      const total = items.length;
      say({ phase, done: 0, total });
      await inPortions(
        items,
        async (portion, done) => {
          if (isCancelled) throw new AppError('import.cancelled');
          await work(portion);
          say({ phase, done, total });
        },
        size,
      );
      if (isCancelled) throw new AppError('import.cancelled');
    },
  };
}

/** An import run without progress reports. */
export const UNWATCHED: ImportRun = {
  each: (_phase, items, work, size) => inPortions(items, work, size),
};
