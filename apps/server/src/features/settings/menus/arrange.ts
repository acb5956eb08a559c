export interface Place {
  id: number;
  parentId: number | null;
  position: number;
}

/**
 * Returns the new parents and positions after an entry was moved below `parentId` to `position` among its
 * children, but only those that change. Returns null if the entry would become its own descendant.
 */
export function arrange(
  entries: readonly Place[],
  id: number,
  parentId: number | null,
  position: number,
): Place[] | null {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  for (let above = parentId; above !== null; above = byId.get(above)?.parentId ?? null)
    if (above === id) return null;
  const moved = byId.get(id);
  if (!moved) return [];
  const childrenOf = (parent: number | null) =>
    entries
      .filter((entry) => entry.parentId === parent && entry.id !== id)
      .sort((a, b) => a.position - b.position || a.id - b.id);
  const arrived = childrenOf(parentId);
  arrived.splice(Math.min(position, arrived.length), 0, moved);
  const left = moved.parentId === parentId ? [] : childrenOf(moved.parentId);
  return [
    ...arrived.map((entry, i) => ({ id: entry.id, parentId, position: i })),
    ...left.map((entry, i) => ({ id: entry.id, parentId: moved.parentId, position: i })),
  ].filter((place) => {
    const before = byId.get(place.id);
    return before?.parentId !== place.parentId || before.position !== place.position;
  });
}
