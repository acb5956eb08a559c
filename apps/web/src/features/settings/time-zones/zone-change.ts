/**
 * How far to search: most zones change their clocks twice a year, and changes after that may not be decided
 * yet.
 */
const LOOKS_AHEAD_MS = 370 * 86_400_000;
const STEP_MS = 14 * 86_400_000;
const PRECISION_MS = 60_000;

export interface ZoneChange {
  at: number;
  /** Offset after the change in minutes east of UTC. */
  offset: number;
}

/** Returns the next clock change of a zone with its new offset; null if there is none within a year. */
export function nextZoneChange(
  zone: string,
  from: number,
  offsetAt: (zone: string, at: number) => number,
): ZoneChange | null {
  const now = offsetAt(zone, from);
  for (let before = from; before < from + LOOKS_AHEAD_MS; before += STEP_MS) {
    if (offsetAt(zone, before + STEP_MS) === now) continue;
    let [early, late] = [before, before + STEP_MS];
    while (late - early > PRECISION_MS) {
      const middle = Math.floor((early + late) / 2 / PRECISION_MS) * PRECISION_MS;
      if (middle <= early) break;
      if (offsetAt(zone, middle) === now) early = middle;
      else late = middle;
    }
    return { at: late, offset: offsetAt(zone, late) };
  }
  return null;
}
