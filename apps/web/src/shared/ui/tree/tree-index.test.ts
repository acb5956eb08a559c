import { describe, expect, it } from 'vitest';
import { indexTree, type TreeNode } from './tree-index.ts';

const NODES: TreeNode[] = [
  { id: 4, parentId: 1, name: 'Minhang', code: 'MH' },
  { id: 5, parentId: 4, name: 'Clinic', code: 'MH-C' },
  { id: 6, parentId: 4, name: 'Pharmacy', code: 'MH-P' },
  { id: 7, parentId: 6, name: 'Clinic store', code: 'X' },
];

describe('the index of a tree that is given as a flat list', () => {
  const tree = indexTree(NODES);

  it("the roots are the nodes whose parent is not in the list, at the top of the user's scope", () => {
    expect(tree.roots.map(({ id }) => id)).toEqual([4]);
  });
  it('the path to a node is found', () => {
    expect(tree.ancestorsOf(7).map(({ id }) => id)).toEqual([4, 6]);
    expect(tree.ancestorsOf(99)).toEqual([]);
  });
  it('all descendants of a node are found', () => {
    expect([...tree.subtreeOf(4)].sort()).toEqual([4, 5, 6, 7]);
    expect([...tree.subtreeOf(5)]).toEqual([5]);
  });
  it.each([
    ['mh', [4, 5, 6]],
    ['clinic', [5, 7]],
    ['harm', [6]],
    ['MH-P', [6]],
    [' ', []],
  ])('the search %s finds nodes by name or code, exact matches first', (typed, ids) => {
    expect(tree.search(typed, 10).map(({ id }) => id)).toEqual(ids);
  });
  it('the index terminates for a cycle in bad data', () => {
    const circle = indexTree([
      { id: 1, parentId: 2, name: 'a' },
      { id: 2, parentId: 1, name: 'b' },
    ]);
    expect(circle.ancestorsOf(1).length).toBeLessThan(3);
    expect([...circle.subtreeOf(1)].sort()).toEqual([1, 2]);
  });
});

it('20,000 nodes are indexed fast enough to open a tree without delay', () => {
  const many = Array.from({ length: 20_000 }, (_, i) => ({
    id: i + 1,
    parentId: i === 0 ? null : Math.ceil(i / 8),
    name: `Unit ${i + 1}`,
  }));
  const before = performance.now();
  const tree = indexTree(many);
  expect(tree.subtreeOf(1).size).toBe(20_000);
  expect(performance.now() - before).toBeLessThan(300);
});
