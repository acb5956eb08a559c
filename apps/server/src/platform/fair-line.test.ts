import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFairLine } from './fair-line.ts';

interface Item {
  owner: string;
  name: string;
}

/** Creates a queue whose work is finished by the test. */
function slowLine() {
  const begun: string[] = [];
  let finish = (): void => undefined;
  const line = createFairLine<Item>({
    ownerOf: ({ owner }) => owner,
    work(item) {
      begun.push(item.name);
      return new Promise((resolve) => {
        finish = resolve;
      });
    },
  });
  return {
    line,
    begun,
    async finish() {
      finish();
      await new Promise((wake) => setImmediate(wake));
    },
  };
}

const itemsOf = (owner: string, count: number): Item[] =>
  Array.from({ length: count }, (_, index) => ({ owner, name: `${owner}${index}` }));

test('if one owner has a hundred waiting items, an item of another owner is processed after at most one of them', async () => {
  const { line, begun, finish } = slowLine();
  for (const item of itemsOf('a', 100)) line.add(item);
  for (const item of itemsOf('b', 2)) line.add(item);
  for (let turn = 0; turn < 5; turn++) await finish();
  expect(begun).toEqual(['a0', 'a1', 'b0', 'a2', 'b1', 'a3']);
});

test('a waiting item is processed once, a removed item not at all, and an item that is added during its processing again', async () => {
  const { line, begun, finish } = slowLine();
  const [first, second, third] = itemsOf('a', 3) as [Item, Item, Item];
  for (const item of [first, second, third, second]) line.add(item);
  line.add(first);
  line.remove(third);
  line.remove({ owner: 'nobody', name: '' });
  for (let turn = 0; turn < 5; turn++) await finish();
  expect(begun).toEqual(['a0', 'a1', 'a0']);
});

test('every item that is added is processed, and no owner waits while two items of another owner are processed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 }), async (owners) => {
      const { line, begun, finish } = slowLine();
      for (const [index, owner] of owners.entries()) line.add({ owner, name: `${owner}${index}` });
      for (const _ of owners) await finish();
      expect([...begun].sort()).toEqual(owners.map((owner, index) => `${owner}${index}`).sort());
      // The processing of the first item began before the others were added.
      const turns = begun.slice(1).map((name) => name[0] as string);
      for (const [index, owner] of turns.entries()) {
        const next = turns.indexOf(owner, index + 1);
        if (next === -1) continue;
        const others = new Set(turns.slice(next)).size - 1;
        const between = new Set(turns.slice(index + 1, next)).size;
        expect(between).toBeGreaterThanOrEqual(others);
      }
    }),
  );
});
