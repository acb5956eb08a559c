/** Work that waits in one line, of one owner after the other: who has much of it waits for it, and nobody else does. */
export interface FairLine<T> {
  /** Work that already waits is not added again. */
  add(item: T): void;
  /** It need not be done any more. */
  remove(item: T): void;
}

export interface FairLineOptions<T> {
  ownerOf(item: T): string;
  /** One at a time. Must not reject. */
  work(item: T): Promise<void>;
}

export function createFairLine<T>({ ownerOf, work }: FairLineOptions<T>): FairLine<T> {
  /** By owner, in the order of their turns. An owner for whom nothing waits is absent. */
  const waiting = new Map<string, Set<T>>();
  let isRunning = false;

  function takeNext(): T | undefined {
    for (const [owner, items] of waiting) {
      waiting.delete(owner);
      for (const item of items) {
        items.delete(item);
        // Behind those whose turn has not been.
        if (items.size > 0) waiting.set(owner, items);
        return item;
      }
    }
    return undefined;
  }

  async function run(): Promise<void> {
    isRunning = true;
    for (let item = takeNext(); item !== undefined; item = takeNext()) await work(item);
    isRunning = false;
  }

  return {
    add(item) {
      const owner = ownerOf(item);
      const items = waiting.get(owner) ?? new Set();
      items.add(item);
      waiting.set(owner, items);
      if (!isRunning) void run();
    },
    remove(item) {
      const owner = ownerOf(item);
      const items = waiting.get(owner);
      items?.delete(item);
      if (items?.size === 0) waiting.delete(owner);
    },
  };
}
