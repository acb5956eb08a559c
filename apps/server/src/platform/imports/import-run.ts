import { AppError } from '@isotherm/contracts/errors';
import type { ImportPhase, ImportProgress } from '@isotherm/contracts/imports';
import { inPortions } from '../portions.ts';

/** An import on its way: it says how far it is, and ends when it is told to. */
export interface ImportRun {
  /**
   * Goes through rows in portions (`inPortions`), and says so. Throws `import.cancelled` between two of them: inside
   * a transaction that takes everything back.
   */
  each<T>(
    phase: ImportPhase,
    items: readonly T[],
    work: (portion: readonly T[]) => unknown,
    size?: number,
  ): Promise<void>;
}

/** Passes on how far it is; answers whether it was cancelled meanwhile. */
export type Tell = (progress: ImportProgress) => Promise<boolean>;

/**
 * Telling never holds the import up: one is under way at a time, and the newest news waits for it. An import has a
 * connection of its own for its transaction; if it waited for a second one, a few of them would wait for each other.
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
      // What cannot be told is not missed: the import is what matters, and its answer says what came of it.
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

/** Of what nobody asks for. */
export const UNWATCHED: ImportRun = {
  each: (_phase, items, work, size) => inPortions(items, work, size),
};
