import { distanceM, type Place } from './geo.ts';

/** A place at a time, in epoch ms. */
export interface TimedPlace extends Place {
  at: number;
}

/** Why a position is not drawn: the receiver had no fix, or it is too far from the positions around it. */
export type FixFault = 'no-fix' | 'jump';

/** Faster than any vehicle on a road. Aircraft carry goods, but their loggers have no reception. */
export const MAX_SPEED_KMH = 250;
/** Small distances are noise, which in a short time looks like a high speed. */
export const NOISE_M = 100;
/** Number of positions before and after one with which it is compared. */
export const JUMP_REACH = 2;

/** False for the place that receivers without a fix send: both coordinates are zero. */
export const isFix = ({ latitude, longitude }: Place): boolean => latitude !== 0 || longitude !== 0;

/** Whether no vehicle could have come from one position to the next. */
export function isTooFast(from: TimedPlace, to: TimedPlace, metres = distanceM(from, to)): boolean {
  return metres > NOISE_M && metres / Math.max(1, to.at - from.at) > MAX_SPEED_KMH / 3_600;
}

/**
 * A position is a jump if no vehicle could have come to it from either of the two positions before it, nor gone on to either
 * of the two after it. A vehicle that was carried to another place has further positions there.
 */
export const isJump = (
  fix: TimedPlace,
  before: readonly TimedPlace[],
  after: readonly TimedPlace[],
): boolean => before.every((each) => isTooFast(each, fix)) && after.every((each) => isTooFast(fix, each));

/** Fault of each position of a track, in order of time. Of two positions that disagree, nobody knows which is wrong. */
export function faultsOf(fixes: readonly TimedPlace[]): (FixFault | null)[] {
  const faults = fixes.map((fix): FixFault | null => (isFix(fix) ? null : 'no-fix'));
  const known = [...fixes.keys()].filter((index) => faults[index] === null);
  if (known.length <= JUMP_REACH) return faults;
  const placeAt = (place: number) => fixes[known[place] as number] as TimedPlace;
  const [before, after]: [TimedPlace[], TimedPlace[]] = [[], []];
  for (let place = 0; place < known.length; place++) {
    before.length = 0;
    after.length = 0;
    for (let other = Math.max(0, place - JUMP_REACH); other < place; other++) before.push(placeAt(other));
    const end = Math.min(known.length - 1, place + JUMP_REACH);
    for (let other = place + 1; other <= end; other++) after.push(placeAt(other));
    if (isJump(placeAt(place), before, after)) faults[known[place] as number] = 'jump';
  }
  return faults;
}

/** The place that a live map shows: the newest position that is no fault as far as it is known now; null without one. */
export function newestPlace<T extends TimedPlace>(places: readonly T[]): T | null {
  const faults = faultsOf(places);
  return places.findLast((_, index) => faults[index] === null) ?? null;
}
