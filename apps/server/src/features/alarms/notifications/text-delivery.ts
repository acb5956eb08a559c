import type { Logger } from '../../../platform/log.ts';
import type { Texts } from './texts.ts';

/** SMS or calls that one process sends at once. */
const AT_ONCE = 16;
/** Largest number of claims in one look. */
const TURNS = 50;

/** Delivers the SMS or the calls of one process. */
export interface TextDelivery {
  /** Claims messages that are due and starts an attempt for each. Returns true if more may be due. */
  deliver(): Promise<boolean>;
  /** Waits for the attempts that are under way. */
  finish(): Promise<void>;
}

/** @param parts `onFree` is called after an attempt if more messages were due than may be sent at once */
export function createTextDelivery(parts: {
  texts: Texts;
  log: Pick<Logger, 'warn'>;
  onFree: () => void;
}): TextDelivery {
  const { texts, log, onFree } = parts;
  const underWay = new Set<Promise<void>>();
  let isBehind = false;

  function begin(make: () => Promise<void>): void {
    const attempt = make()
      .catch((error: Error) => log.warn({ error: error.message }, 'result of an SMS or call was not stored'))
      .finally(() => {
        underWay.delete(attempt);
        if (isBehind) onFree();
      });
    underWay.add(attempt);
  }

  return {
    async deliver() {
      if (underWay.size >= AT_ONCE) return false;
      // What is held back or cannot be paid takes no place of those that are sent.
      for (let turn = 0; turn < TURNS && underWay.size < AT_ONCE; turn += 1) {
        const { attempts, isAll } = await texts.claim(AT_ONCE - underWay.size);
        for (const make of attempts) begin(make);
        isBehind = !isAll;
        if (isAll) break;
      }
      while (await texts.settleOver());
      return isBehind;
    },
    async finish() {
      await Promise.all(underWay);
    },
  };
}
