import { AppError } from '@isotherm/contracts/errors';

const WINDOW_MS = 15 * 60_000;
/** Number of owners above which expired ones are removed. */
const MANY = 1_000;

/** Limits the time that the work of one owner may take per quarter of an hour, in this process. */
export interface TimeBudget {
  /** Runs `work` and counts its duration. Throws `request.too_many` if the owner's time budget is used up. */
  spend<T>(owner: string, work: () => Promise<T>): Promise<T>;
}

/** Creates a time budget. `now` returns monotonic milliseconds. */
export function createTimeBudget(mostMs: number, now = () => performance.now()): TimeBudget {
  const spent = new Map<string, { since: number; ms: number }>();

  function entryOf(owner: string): { since: number; ms: number } {
    const at = now();
    const known = spent.get(owner);
    if (known && at - known.since < WINDOW_MS) return known;
    if (spent.size > MANY)
      for (const [name, { since }] of spent) if (at - since >= WINDOW_MS) spent.delete(name);
    const fresh = { since: at, ms: 0 };
    spent.set(owner, fresh);
    return fresh;
  }

  return {
    async spend(owner, work) {
      const entry = entryOf(owner);
      const begun = now();
      if (entry.ms >= mostMs)
        throw new AppError('request.too_many', {
          seconds: Math.ceil((entry.since + WINDOW_MS - begun) / 1000),
        });
      try {
        return await work();
      } finally {
        entry.ms += now() - begun;
      }
    },
  };
}
