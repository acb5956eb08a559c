import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gathered } from './gathered.ts';

test('a single item is run at once, and those that arrive meanwhile together', async () => {
  const runs: number[][] = [];
  let release: (() => void) | undefined;
  const run = gathered(async (items: readonly number[]) => {
    runs.push([...items]);
    await new Promise<void>((done) => {
      release = done;
    });
    return items.map((item) => item * 2);
  }, 3);
  const results = [1, 2, 3, 4, 5].map(run);
  expect(runs).toEqual([[1]]);
  for (let count = 1; count <= 3; count++) {
    release?.();
    await sleep(1);
  }
  expect(await Promise.all(results)).toEqual([2, 4, 6, 8, 10]);
  expect(runs).toEqual([[1], [2, 3, 4], [5]]);
});

test('with a wait, a run waits for further items, but not once it is full', async () => {
  const runs: number[][] = [];
  const run = gathered(
    async (items: readonly number[]) => {
      runs.push([...items]);
      return items;
    },
    3,
    20,
  );
  const first = run(1);
  await sleep(1);
  await Promise.all([first, run(2)]);
  const begunAt = performance.now();
  const results = [3, 4, 5, 6, 7, 8, 9].map(run);
  expect(await Promise.all(results)).toEqual([3, 4, 5, 6, 7, 8, 9]);
  expect(runs).toEqual([[1, 2], [3, 4, 5], [6, 7, 8], [9]]);
  // The first and the last run have waited: the first when it had one item, the last because it was not full.
  expect(performance.now() - begunAt).toBeGreaterThanOrEqual(38);
});

test('whatever fails, each item gets its own result or its own error', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ fails: fc.boolean(), pause: fc.boolean() }), { maxLength: 30 }),
      fc.integer({ min: 1, max: 8 }),
      fc.constantFrom(0, 1),
      async (items, most, waitMs) => {
        let largest = 0;
        const run = gathered(
          async (some: readonly { fails: boolean; at: number }[]) => {
            largest = Math.max(largest, some.length);
            await sleep(0);
            const bad = some.find(({ fails }) => fails);
            if (bad) throw new Error(`item ${bad.at}`);
            return some.map(({ at }) => at);
          },
          most,
          waitMs,
        );
        const results: Promise<number>[] = [];
        for (const [at, { fails, pause }] of items.entries()) {
          const result = run({ fails, at });
          result.catch(() => undefined);
          results.push(result);
          if (pause) await sleep(0);
        }
        const settled = await Promise.allSettled(results);
        expect(
          settled.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason))),
        ).toEqual(items.map(({ fails }, at) => (fails ? `Error: item ${at}` : at)));
        expect(largest).toBeLessThanOrEqual(most);
      },
    ),
    { numRuns: 50 },
  );
});

test('without a database, the items that waited fail together, after one attempt', async () => {
  let runs = 0;
  const run = gathered(async (_items: readonly number[]): Promise<number[]> => {
    runs++;
    await sleep(1);
    throw new Error('timeout exceeded when trying to connect');
  }, 100);
  const settled = await Promise.allSettled([1, 2, 3, 4, 5].map(run));
  expect(settled.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
  expect(runs).toBe(2);
});
