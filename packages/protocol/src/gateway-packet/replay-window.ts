/** Number of later packets that may arrive before a packet; beyond that it counts as a replay. */
export const REPLAY_WINDOW = 1_024;

export type Freshness = 'fresh' | 'seen' | 'too-old';

/**
 * The used counters of a sender (the sliding window of RFC 4303, 3.4.3). Counters below the window are too
 * old; inside the window, each counter is valid until it is marked. Mark a counter when its packet is
 * durably stored, not when it arrives, because a packet that could not be stored may be sent again.
 */
export interface ReplayWindow {
  judge(counter: number): Freshness;
  mark(counter: number): void;
  /** Highest marked counter, or the initial one. */
  readonly highest: number;
}

export function createReplayWindow(highest: number): ReplayWindow {
  const marked = new Uint8Array(REPLAY_WINDOW);
  let top = highest;
  return {
    judge(counter) {
      if (counter > top) return 'fresh';
      if (counter <= top - REPLAY_WINDOW) return 'too-old';
      return marked[counter % REPLAY_WINDOW] === 1 ? 'seen' : 'fresh';
    },
    mark(counter) {
      if (counter <= top - REPLAY_WINDOW) return;
      // The positions between the old and the new highest counter are cleared, because these counters have
      // not arrived yet.
      if (counter - top >= REPLAY_WINDOW) marked.fill(0);
      else for (let skipped = top + 1; skipped < counter; skipped++) marked[skipped % REPLAY_WINDOW] = 0;
      marked[counter % REPLAY_WINDOW] = 1;
      top = Math.max(top, counter);
    },
    get highest() {
      return top;
    },
  };
}
