/** An item that waits for a free slot. */
export interface Waiting {
  id: number;
  /** Id of the owner whose share of the slots the item uses, such as an enterprise. */
  of: number;
  /** True for an item that comes before all items that are not urgent, of any owner. */
  urgent: boolean;
}

/**
 * Maximum number of slots, that is of items that are processed at the same time, for one owner and in total.
 */
export interface Shares {
  each: number;
  inAll: number;
}

/** Number of slots in use by each owner, and the time when each owner last got a slot. */
export interface Turns {
  held: ReadonlyMap<number, number>;
  lastTurn: ReadonlyMap<number, number>;
}

/**
 * Returns the next items in order, at most as many as there are free slots. `waiting` is in order of arrival.
 * Urgent items come first, then those of the owner with the fewest slots in use, then those of the owner that
 * has waited longest. So an owner with many slow items occupies only its own share.
 */
export function nextTurns<T extends Waiting>(
  waiting: readonly T[],
  { held, lastTurn }: Turns,
  shares: Shares,
): T[] {
  const holds = new Map(held);
  const turns = new Map(lastTurn);
  const left = [...waiting];
  const chosen: T[] = [];
  let free = shares.inAll - [...held.values()].reduce((sum, each) => sum + each, 0);
  let turn = Math.max(0, ...lastTurn.values());
  for (; free > 0; free--) {
    const rank = ({ of, urgent }: Waiting) =>
      [urgent ? 0 : 1, holds.get(of) ?? 0, turns.get(of) ?? 0] as const;
    let best: T | null = null;
    for (const each of left) {
      if ((holds.get(each.of) ?? 0) >= shares.each) continue;
      if (best === null || isBefore(rank(each), rank(best))) best = each;
    }
    if (best === null) break;
    left.splice(left.indexOf(best), 1);
    chosen.push(best);
    holds.set(best.of, (holds.get(best.of) ?? 0) + 1);
    turns.set(best.of, ++turn);
  }
  return chosen;
}

function isBefore(a: readonly number[], b: readonly number[]): boolean {
  const differs = a.findIndex((each, i) => each !== b[i]);
  return differs >= 0 && (a[differs] as number) < (b[differs] as number);
}
