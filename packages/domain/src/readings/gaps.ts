/** A gap between two consecutive times that are farther apart than allowed, in epoch ms. */
export interface Gap {
  from: number;
  to: number;
}

/**
 * Returns the gaps between segments of readings (`[first, last]`, ascending), including those at the edges
 * of the window if they are longer than the allowance. A gap is drawn as a gap and never connected by a line
 * (ui.md 3).
 */
export function findGaps(
  stretches: readonly (readonly [first: number, last: number])[],
  from: number,
  to: number,
  allowanceMs: number,
): Gap[] {
  const gaps: Gap[] = [];
  let known = from;
  for (const [first, last] of stretches) {
    if (first - known > allowanceMs) gaps.push({ from: known, to: first });
    known = last;
  }
  if (to - known > allowanceMs) gaps.push({ from: known, to });
  return gaps;
}

/** Returns a round bucket width in ms that divides a range into at most `points` buckets. */
export function bucketStepMs(rangeMs: number, points: number): number {
  const exact = rangeMs / points;
  const minute = 60_000;
  const hour = 60 * minute;
  const steps = [
    1_000,
    5_000,
    10_000,
    30_000,
    minute,
    2 * minute,
    5 * minute,
    10 * minute,
    15 * minute,
    30 * minute,
    hour,
    2 * hour,
    3 * hour,
    6 * hour,
    12 * hour,
  ];
  return steps.find((step) => step >= exact) ?? Math.ceil(exact / (24 * hour)) * 24 * hour;
}
