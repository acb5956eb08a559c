/** Lets a few pass at a time, a bounded crowd wait in line, and turns the rest away. */
export interface Gate {
  /** Runs `work` when it is its turn. Rejects with what `refuse` makes when the line is full. */
  pass<T>(work: () => Promise<T>): Promise<T>;
  /** The same for what outlives a call: a place, given back by calling it once or more. */
  enter(): Promise<() => void>;
}

export function createGate(limits: { atOnce: number; waiting: number }, refuse: () => Error): Gate {
  let running = 0;
  const line: (() => void)[] = [];

  async function enter(): Promise<() => void> {
    if (running >= limits.atOnce) {
      if (line.length >= limits.waiting) throw refuse();
      // Whoever leaves hands the place on, so that nobody new slips in between.
      await new Promise<void>((resolve) => line.push(resolve));
    } else running++;
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      const next = line.shift();
      if (next) next();
      else running--;
    };
  }

  return {
    enter,
    async pass(work) {
      const leave = await enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
