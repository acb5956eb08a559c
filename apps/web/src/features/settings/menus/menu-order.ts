import type { Menu } from '@isotherm/contracts/menus';

/** Target position of an entry: a parent, and an index among its children (not counting the entry itself). */
export interface Place {
  parentId: number | null;
  position: number;
}

export function childrenOf(menus: readonly Menu[], parentId: number | null): Menu[] {
  return menus.filter((menu) => menu.parentId === parentId).sort((a, b) => a.position - b.position);
}

/** Returns an entry with its descendants. */
export function subtreeOf(menus: readonly Menu[], id: number): ReadonlySet<number> {
  const found = new Set([id]);
  for (const { id: child } of childrenOf(menus, id)) {
    for (const each of subtreeOf(menus, child)) found.add(each);
  }
  return found;
}

/**
 * Returns the position after a drop: a drop on an entry moves below it, a drop in a gap moves next to it.
 * Null if nothing changes.
 */
export function placeOfDrop(
  menus: readonly Menu[],
  dragged: number,
  target: number,
  where: 'inside' | 'before' | 'after',
): Place | null {
  if (subtreeOf(menus, dragged).has(target)) return null;
  const goal = menus.find(({ id }) => id === target);
  if (!goal) return null;
  if (where === 'inside') {
    const below = childrenOf(menus, target).filter(({ id }) => id !== dragged);
    return { parentId: target, position: below.length };
  }
  const siblings = childrenOf(menus, goal.parentId).filter(({ id }) => id !== dragged);
  const at = siblings.findIndex(({ id }) => id === target);
  return { parentId: goal.parentId, position: where === 'before' ? at : at + 1 };
}

/**
 * Returns the position after a step up or down among the siblings by keyboard. Null if there is no further
 * sibling in this direction.
 */
export function placeOfStep(menus: readonly Menu[], id: number, by: 1 | -1): Place | null {
  const moved = menus.find((menu) => menu.id === id);
  if (!moved) return null;
  const siblings = childrenOf(menus, moved.parentId);
  const position = siblings.findIndex((menu) => menu.id === id) + by;
  return position < 0 || position >= siblings.length ? null : { parentId: moved.parentId, position };
}
