interface Zone {
  code: string;
  /** Offset from UTC in minutes; positive east of Greenwich. */
  offset: number;
}

/**
 * Sorts the zones: first `own`, then those with the same local time, then the others by their time
 * difference.
 */
export function nearestFirst<T extends Zone>(zones: readonly T[], own: string): T[] {
  const home = zones.find(({ code }) => code === own);
  if (!home) return [...zones];
  const distance = ({ code, offset }: T) => (code === own ? -1 : Math.abs(offset - home.offset));
  return zones.toSorted((a, b) => distance(a) - distance(b));
}
