import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rollUp } from './asset-tree.ts';

const node = (id: number, parentId: number | null, assets: number, level: number, silent: number) => ({
  id,
  parentId,
  assets,
  level,
  silent,
});

test('the totals of a node include all its descendants, and no other nodes', () => {
  const tree = [
    node(1, null, 1, 0, 0),
    node(2, 1, 2, 3, 0),
    node(3, 1, 4, 1, 1),
    node(4, 2, 8, 5, 2),
    node(5, 99, 16, 2, 0),
  ];
  expect(rollUp(tree)).toEqual([
    node(1, null, 15, 5, 3),
    node(2, 1, 10, 5, 2),
    node(3, 1, 4, 1, 1),
    node(4, 2, 8, 5, 2),
    node(5, 99, 16, 2, 0),
  ]);
  expect(tree[0]?.assets).toBe(1);
});

test('the roots include all nodes, for any shape of the tree', () => {
  const shapes = fc.array(fc.tuple(fc.nat(), fc.nat(9), fc.nat(5)), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(shapes, (rows) => {
      const nodes = rows.map(([seed, assets, level], at) =>
        node(at, at === 0 ? null : seed % at, assets, level, assets),
      );
      const [root] = rollUp(nodes);
      const sum = nodes.reduce((all, { assets }) => all + assets, 0);
      const worst = Math.max(...nodes.map(({ level }) => level));
      expect(root).toMatchObject({ assets: sum, silent: sum, level: worst });
    }),
  );
});
