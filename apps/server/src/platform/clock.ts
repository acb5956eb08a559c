/** The only way to learn what time it is, so that tests can decide it. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/**
 * A clock that is never put back: what it has shown once it has shown for good, and from there it goes on as time
 * passes. For judging what comes in: of a server whose clock jumps back every right reading would come from the
 * future, and be refused for good.
 */
export function createForwardClock(clock: Clock, elapsed: () => number = () => performance.now()): Clock {
  let shown = clock.now();
  let since = elapsed();
  return {
    now() {
      const passed = elapsed();
      const [told, steady] = [clock.now(), shown + (passed - since)];
      shown = Math.max(told, Math.floor(steady));
      since = passed;
      return shown;
    },
  };
}
