import { describe, expect, it } from 'vitest';
import { arrange, type Place } from './arrange.ts';

/** Tree of the test: 1 ├ 2 ├ 3 │ └ 4 └ 5 6 */
const ENTRIES: Place[] = [
  { id: 1, parentId: null, position: 0 },
  { id: 2, parentId: 1, position: 0 },
  { id: 3, parentId: 1, position: 1 },
  { id: 4, parentId: 3, position: 0 },
  { id: 5, parentId: 1, position: 2 },
  { id: 6, parentId: null, position: 1 },
];

function childrenAfter(id: number, parentId: number | null, position: number) {
  const changed = arrange(ENTRIES, id, parentId, position);
  if (changed === null) return 'circle';
  const after = ENTRIES.map((entry) => changed.find((place) => place.id === entry.id) ?? entry);
  const below = (parent: number | null): string =>
    after
      .filter((entry) => entry.parentId === parent)
      .sort((a, b) => a.position - b.position)
      .map((entry) => {
        const inside = below(entry.id);
        return inside ? `${entry.id}(${inside})` : `${entry.id}`;
      })
      .join(' ');
  return below(null);
}

describe('moving a menu entry below a parent to a position among its children', () => {
  it.each<[string, number, number | null, number, string]>([
    ['to its current place', 2, 1, 0, '1(2 3(4) 5) 6'],
    ['one position down', 2, 1, 1, '1(3(4) 2 5) 6'],
    ['to the end', 2, 1, 2, '1(3(4) 5 2) 6'],
    ['beyond the end', 2, 1, 99, '1(3(4) 5 2) 6'],
    ['to the front', 5, 1, 0, '1(5 2 3(4)) 6'],
    ['with its children', 3, 6, 0, '1(2 5) 6(3(4))'],
    ['to the top', 4, null, 1, '1(2 3 5) 4 6'],
    ['a group into another group', 1, 6, 0, '6(1(2 3(4) 5))'],
    ['below itself', 1, 1, 0, 'circle'],
    ['below its grandchild', 1, 4, 0, 'circle'],
    ['an unknown entry', 9, 1, 0, '1(2 3(4) 5) 6'],
  ])('the moved entry gets its place: %s', (_name, id, parentId, position, wanted) => {
    expect(childrenAfter(id, parentId, position)).toBe(wanted);
  });

  it('moving a menu entry changes only the entries whose position changes', () => {
    expect(arrange(ENTRIES, 2, 1, 0)).toEqual([]);
    expect(arrange(ENTRIES, 3, 1, 2)?.map((place) => place.id)).toEqual([5, 3]);
  });
});
