import { setTimeout as delay } from 'node:timers/promises';
import { isDatabaseAway } from './db/pool.ts';

/**
 * Returns a function that runs `work` for single items, but for all those at once that arrive while an earlier run is
 * under way: under load, many items share one statement and one commit, and a single item waits for nothing. `work`
 * returns a result for each item, in their order. If a run of several items fails, each is run alone, so that one
 * that cannot be stored fails no others; `work` must therefore have no effect when it throws. Without a database, all fail at
 * once: one after the other, each would wait for a connection.
 *
 * @param most largest number of items of one run
 * @param waitMs time that each run waits for further items, unless `most` already wait when it begins. Since a run costs much
 *   more than an item, a backlog is done sooner. Each caller waits for its item, so that many must call at the same time: ten
 *   callers with 20 ms are at most 500 items per second
 */
export function gathered<Item, Result>(
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
  most: number,
  waitMs = 0,
): (item: Item) => Promise<Result> {
  interface Waiting {
    item: Item;
    resolve: (result: Result) => void;
    reject: (error: unknown) => void;
  }
  let waiting: Waiting[] = [];
  let isRunning = false;

  async function runAll(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      if (waitMs > 0 && waiting.length < most) await delay(waitMs);
      const items = waiting.slice(0, most);
      waiting = waiting.slice(most);
      await runTogether(items);
    }
    isRunning = false;
  }

  async function runTogether(items: readonly Waiting[]): Promise<void> {
    try {
      const results = await work(items.map(({ item }) => item));
      for (const [at, { resolve }] of items.entries()) resolve(results[at] as Result);
    } catch (error) {
      if (items.length > 1 && !isDatabaseAway(error)) for (const each of items) await runTogether([each]);
      else for (const { reject } of items) reject(error);
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isRunning) void runAll();
    });
}
