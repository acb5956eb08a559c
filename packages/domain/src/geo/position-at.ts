import { bearingDeg, type Place } from './geo.ts';
import type { Fix, Track } from './track.ts';

export interface PositionAt extends Place {
  speedKmh: number | null;
  /** Direction of travel in degrees; null where the vehicle does not move. */
  headingDeg: number | null;
}

/**
 * The position on a track at a time, between two positions on the straight line between them; null before the first, after the
 * last, and between two lines, where nothing is known of the way.
 */
export function positionAt(
  fixes: readonly Fix[],
  { lines }: Pick<Track, 'lines'>,
  at: number,
): PositionAt | null {
  const line = lines.find(
    (each) => fixOf(fixes, each, 0).at <= at && fixOf(fixes, each, each.length - 1).at >= at,
  );
  if (!line) return null;
  let low = 0;
  let high = line.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (fixOf(fixes, line, middle).at <= at) low = middle;
    else high = middle - 1;
  }
  const before = fixOf(fixes, line, low);
  if (low === line.length - 1) return { ...placeOf(before), speedKmh: before.speedKmh, headingDeg: null };
  const after = fixOf(fixes, line, low + 1);
  const share = (at - before.at) / (after.at - before.at);
  const turn = after.longitude - before.longitude;
  // The shorter way around the earth, over the antimeridian if need be.
  const step = turn > 180 ? turn - 360 : turn < -180 ? turn + 360 : turn;
  const longitude = before.longitude + step * share;
  const isStill = before.latitude === after.latitude && step === 0;
  return {
    latitude: before.latitude + (after.latitude - before.latitude) * share,
    longitude: longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude,
    speedKmh: before.speedKmh,
    headingDeg: isStill ? null : bearingDeg(before, after),
  };
}

const fixOf = (fixes: readonly Fix[], line: readonly number[], place: number): Fix =>
  fixes[line[place] as number] as Fix;
const placeOf = ({ latitude, longitude }: Fix): Place => ({ latitude, longitude });
