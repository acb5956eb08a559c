/** What waits for a place. */
export interface Waiting {
  id: number;
  /** Whose share it is taken from, such as an enterprise. */
  of: number;
  /** Goes before all that is not, whoever it is of. */
  urgent: boolean;
}

/** So many for each, and so many in all. */
export interface Shares {
  each: number;
  inAll: number;
}

/** How it stands: who holds how many places now, and in which turn each was last given one. */
export interface Turns {
  held: ReadonlyMap<number, number>;
  lastTurn: ReadonlyMap<number, number>;
}

/**
 * Whose turn it is, in order, as places are free. `waiting` stands in the order of its arrival. What is urgent comes
 * first; then whoever holds fewest places, then whoever has waited for a turn longest: many that are slow, of one, keep
 * the others waiting for the places of their share only.
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
