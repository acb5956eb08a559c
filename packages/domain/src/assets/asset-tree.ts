/** Number and worst state of the assets in a node. */
export interface AssetTotals {
  assets: number;
  /** Highest level of an open alarm; 0 if there is none. */
  level: number;
  /** Number of assets without recent readings. */
  silent: number;
}

/**
 * Returns the totals of each node including its descendants, computed from those of the single nodes. In the
 * list, parents come before children.
 */
export function rollUp<Node extends AssetTotals & { id: number; parentId: number | null }>(
  nodes: readonly Node[],
): Node[] {
  const whole = new Map(nodes.map((node) => [node.id, { ...node }]));
  for (const { id, parentId } of nodes.toReversed()) {
    const node = whole.get(id) as Node;
    const parent = parentId === null ? undefined : whole.get(parentId);
    if (!parent) continue;
    parent.assets += node.assets;
    parent.level = Math.max(parent.level, node.level);
    parent.silent += node.silent;
  }
  return [...whole.values()];
}
