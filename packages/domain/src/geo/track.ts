import { distanceM, type Place } from './geo.ts';

/** A place at a time, in epoch ms. */
export interface TimedPlace extends Place {
  at: number;
}

/** A measured position. */
export interface Fix extends TimedPlace {
  speedKmh: number | null;
}

/** Why a position is not drawn: the receiver had no fix, or it is too far from the positions around it. */
export type FixFault = 'no-fix' | 'jump';

/** A time without movement. Indices are those of the positions of the track; both are included. */
export interface Stop extends Place {
  from: number;
  to: number;
  first: number;
  last: number;
}

export interface Track {
  /** Fault of each position, null for one that is drawn. */
  faults: (FixFault | null)[];
  /** Indices of positions that are drawn, in lines: between two lines nothing is known of the way. */
  lines: number[][];
  stops: Stop[];
  /** Length of the lines in metres, without the movement of the receiver during stops. */
  distanceM: number;
}

/** Faster than any vehicle on a road. Aircraft carry goods, but their loggers have no reception. */
const MAX_SPEED_KMH = 250;
/** Places of the positions with which one is compared. */
const NEIGHBOURS = [-2, -1, 1, 2] as const;
/** Small distances are noise, which in a short time looks like a high speed. */
const NOISE_M = 100;
/** Time without a position after which the way is unknown; a line would lead through mountains. */
export const GAP_MS = 10 * 60_000;
/** A vehicle stands if it moves less than this in `STILL_MS`: a walking pace. */
export const STILL_M = 80;
export const STILL_MS = 60_000;
/** Shorter halts are traffic lights. */
export const STOP_MS = 3 * 60_000;

/**
 * Judges the positions of one vehicle, in order of time. Each decision depends only on positions nearby, so that a longer
 * range gives the same lines and stops, apart from what the ends of the shorter range cut.
 */
export function judgeTrack(fixes: readonly Fix[]): Track {
  const faults = faultsOf(fixes);
  const lines: number[][] = [];
  let before: Fix | null = null;
  for (const [index, fix] of fixes.entries()) {
    if (faults[index]) continue;
    if (before && fix.at - before.at <= GAP_MS && !isTooFast(before, fix)) lines.at(-1)?.push(index);
    else lines.push([index]);
    before = fix;
  }
  const stops = lines.flatMap((line) => stopsOf(fixes, line));
  return { faults, lines, stops, distanceM: lengthOf(fixes, lines, stops) };
}

/** Speed over ground that a vehicle would need from one position to the next. */
function isTooFast(from: TimedPlace, to: TimedPlace): boolean {
  const metres = distanceM(from, to);
  return metres > NOISE_M && metres / Math.max(1, to.at - from.at) > MAX_SPEED_KMH / 3_600;
}

/**
 * A position is a jump if no vehicle could have come to it from either of the two positions before it, nor gone on to either
 * of the two after it. A vehicle that was carried to another place has further positions there.
 */
export function faultsOf(fixes: readonly TimedPlace[]): (FixFault | null)[] {
  // Receivers without a fix send the place where both coordinates are zero.
  const faults = fixes.map((fix): FixFault | null =>
    fix.latitude === 0 && fix.longitude === 0 ? 'no-fix' : null,
  );
  const known = [...fixes.keys()].filter((index) => faults[index] === null);
  if (known.length > 2)
    for (const [place, index] of known.entries()) {
      const fits = NEIGHBOURS.some((offset) => {
        const other = known[place + offset];
        if (other === undefined) return false;
        const [from, to] = offset < 0 ? [other, index] : [index, other];
        return !isTooFast(fixes[from] as TimedPlace, fixes[to] as TimedPlace);
      });
      if (!fits) faults[index] = 'jump';
    }
  return faults;
}

/** Finds the stops of a line: the stretches whose positions stay within `STILL_M` for `STILL_MS`, or until the next position. */
function stopsOf(fixes: readonly Fix[], line: readonly number[]): Stop[] {
  const fixAt = (place: number) => fixes[line[place] as number] as Fix;
  const stretches: { first: number; last: number }[] = [];
  for (let place = 0; place + 1 < line.length; place++) {
    let end = place + 1;
    let isStill = distanceM(fixAt(place), fixAt(end)) <= STILL_M;
    while (isStill && end + 1 < line.length && fixAt(end).at - fixAt(place).at < STILL_MS) {
      end++;
      isStill = distanceM(fixAt(place), fixAt(end)) <= STILL_M;
    }
    if (!isStill) continue;
    const current = stretches.at(-1);
    if (current && place <= current.last) current.last = end;
    else stretches.push({ first: place, last: end });
  }
  return stretches
    .filter(({ first, last }) => fixAt(last).at - fixAt(first).at >= STOP_MS)
    .map(({ first, last }) => ({
      from: fixAt(first).at,
      to: fixAt(last).at,
      first: line[first] as number,
      last: line[last] as number,
      latitude: fixAt(first).latitude,
      longitude: fixAt(first).longitude,
    }));
}

function lengthOf(
  fixes: readonly Fix[],
  lines: readonly (readonly number[])[],
  stops: readonly Stop[],
): number {
  let total = 0;
  let next = 0;
  for (const line of lines)
    for (let place = 1; place < line.length; place++) {
      const [from, to] = [line[place - 1] as number, line[place] as number];
      while (next < stops.length && (stops[next] as Stop).last < to) next++;
      const stop = stops[next];
      if (stop && from >= stop.first) continue;
      total += distanceM(fixes[from] as Fix, fixes[to] as Fix);
    }
  return total;
}
