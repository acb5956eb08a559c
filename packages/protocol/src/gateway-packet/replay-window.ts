/** A packet may be overtaken by so many others before it counts as a recording. */
export const REPLAY_WINDOW = 1_024;

export type Freshness = 'fresh' | 'seen' | 'too-old';

/**
 * Which counters of a sender were taken (the sliding window of RFC 4303, 3.4.3). Below the window everything is
 * too old; inside it, each counter is fresh until it was marked. Mark what is durable, not what has arrived: a
 * packet that was lost on the way to the disk may come again.
 */
export interface ReplayWindow {
  judge(counter: number): Freshness;
  mark(counter: number): void;
  /** Highest counter marked, or the one begun with. */
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
      // Places between the old top and the new one belong to counters that have not come.
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
