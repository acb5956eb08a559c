/** Lets a few pass at a time, a bounded crowd wait in line, and turns the rest away. */
export interface Gate {
  /** Runs `work` when it is its turn. Rejects with what `refuse` makes when the line is full. */
  pass<T>(work: () => Promise<T>): Promise<T>;
}

export function createGate(limits: { atOnce: number; waiting: number }, refuse: () => Error): Gate {
  let running = 0;
  const line: (() => void)[] = [];
  return {
    async pass(work) {
      if (running >= limits.atOnce) {
        if (line.length >= limits.waiting) throw refuse();
        // Whoever leaves hands the place on, so that nobody new slips in between.
        await new Promise<void>((resolve) => line.push(resolve));
      } else running++;
      try {
        return await work();
      } finally {
        const next = line.shift();
        if (next) next();
        else running--;
      }
    },
  };
}
