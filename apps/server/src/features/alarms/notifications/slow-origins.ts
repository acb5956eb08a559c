/** An answer that takes longer makes a server count as slow. */
const SLOW_FROM_MS = 4_000;
const SLOW_FOR_MS = 60_000;
/** Requests to a slow server at the same time. */
const SLOW_AT_ONCE = 4;
const MOST_ORIGINS = 10_000;

/**
 * Remembers servers that answer slowly or not at all, so that requests to them do not take the places of all others. The
 * servers are those of users, who may do so on purpose.
 */
export interface SlowOrigins {
  /** False if the server is slow and has enough requests under way. */
  mayBegin(url: string): boolean;
  /** Counts a request. Returns the function that is called at its end. */
  begin(url: string): () => void;
}

/** @param now time in monotonic milliseconds */
export function createSlowOrigins(now: () => number = () => performance.now()): SlowOrigins {
  const underWay = new Map<string, number>();
  const slowUntil = new Map<string, number>();
  const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : url);

  function markSlow(origin: string): void {
    slowUntil.delete(origin);
    const [oldest] = slowUntil.keys();
    if (slowUntil.size >= MOST_ORIGINS && oldest !== undefined) slowUntil.delete(oldest);
    slowUntil.set(origin, now() + SLOW_FOR_MS);
  }

  return {
    mayBegin(url) {
      const origin = originOf(url);
      return (slowUntil.get(origin) ?? 0) <= now() || (underWay.get(origin) ?? 0) < SLOW_AT_ONCE;
    },
    begin(url) {
      const origin = originOf(url);
      const begunAt = now();
      underWay.set(origin, (underWay.get(origin) ?? 0) + 1);
      return () => {
        const left = (underWay.get(origin) ?? 1) - 1;
        if (left > 0) underWay.set(origin, left);
        else underWay.delete(origin);
        if (now() - begunAt >= SLOW_FROM_MS) markSlow(origin);
      };
    },
  };
}
