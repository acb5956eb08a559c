/** The only source of the current time, so that tests can control it. */
export interface Clock {
  /** Returns the time in epoch milliseconds. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/**
 * Creates a clock that never runs backwards: after the source clock is set back, it continues from the
 * highest time it has returned. It is used only to check whether a reading is from the future, because every
 * correct reading would fail that check after the server's clock was set back. It may be wrong by any
 * amount, so no record is dated with it.
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
