/** Clocks are set twice a year at most; further ahead nobody has decided yet. */
const LOOKS_AHEAD_MS = 370 * 86_400_000;
const STEP_MS = 14 * 86_400_000;
const PRECISION_MS = 60_000;

export interface ZoneChange {
  at: number;
  /** Minutes east of UTC from then on. */
  offset: number;
}

/** When a zone's clocks are next set, and to what; null when they stay as they are for a year. */
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
