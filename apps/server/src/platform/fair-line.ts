/** A queue that serves owners in turn, so that an owner with many items delays only their own. */
export interface FairLine<T> {
  /** Adds an item; an item that already waits is not added again. */
  add(item: T): void;
  /** Removes an item that no longer needs to be processed. */
  remove(item: T): void;
}

export interface FairLineOptions<T> {
  ownerOf(item: T): string;
  /** Processes an item, one at a time. Must not reject. */
  work(item: T): Promise<void>;
}

export function createFairLine<T>({ ownerOf, work }: FairLineOptions<T>): FairLine<T> {
  /** Waiting items by owner, in the order of their turns. Owners without waiting items are absent. */
  const waiting = new Map<string, Set<T>>();
  let isRunning = false;

  function takeNext(): T | undefined {
    for (const [owner, items] of waiting) {
      waiting.delete(owner);
      for (const item of items) {
        items.delete(item);
        // The owner is added again behind owners that are still waiting for their turn.
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
