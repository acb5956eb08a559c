import type { BatchResult } from '@isotherm/contracts/batches';
import { AppError } from '@isotherm/contracts/errors';
import type { Translate } from '@isotherm/i18n/translator';
import type { Caller } from './caller.ts';
import { wordError } from './error-words.ts';

/**
 * Applies an action to each of several objects, one after the other. What one of them refuses does not affect the others, and
 * is reported in the language of the caller. Faults that are no `AppError` end the batch.
 *
 * @param act receives a function that says by which name the object is reported; its id, before that is known
 * @param isForAll whether a refusal concerns all objects and ends the batch
 */
export async function eachAlone<T extends { id: number }>(
  caller: Pick<Caller, 'language'>,
  translate: Translate,
  objects: readonly T[],
  act: (object: T, nameIt: (name: string) => void) => Promise<unknown>,
  isForAll: (error: AppError) => boolean = () => false,
): Promise<BatchResult> {
  const failures: BatchResult['failures'] = [];
  for (const object of objects) {
    let name = String(object.id);
    try {
      await act(object, (known) => {
        name = known;
      });
    } catch (error) {
      if (!(error instanceof AppError) || isForAll(error)) throw error;
      failures.push({ id: object.id, name, message: wordError(error, caller.language, translate) });
    }
  }
  return { success: objects.length - failures.length, fail: failures.length, failures };
}

/** The objects of these ids, each once. */
export const onceEach = (ids: readonly number[]): { id: number }[] => [...new Set(ids)].map((id) => ({ id }));
