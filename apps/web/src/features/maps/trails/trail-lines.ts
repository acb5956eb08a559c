import type { Trail } from '@isotherm/contracts/car-screens';
import type { MapMark } from '@isotherm/contracts/maps';
import { unwrapLongitudes } from '@isotherm/domain/geo/geo';
import { type Fix, judgeTrack } from '@isotherm/domain/geo/track';

/** A piece of a trail. Of a gap only both ends are known. */
export interface TrailPiece {
  isGap: boolean;
  /** Longitude and latitude; longitudes go on beyond 180° across the antimeridian. */
  places: [longitude: number, latitude: number][];
}

/**
 * The pieces of a trail up to where the mark of the asset is drawn: positions are read more often than trails, and the mark
 * is the end of its trail. Newer positions of the trail are left out. A mark to which no vehicle could have come is not joined.
 */
export function trailPieces(trail: Trail, at: MapMark['at']): TrailPiece[] {
  if (at.measuredAt === null) return [];
  const now = Date.parse(at.measuredAt);
  const fixes = trail.at
    .map(
      (moment, index): Fix => ({
        at: moment,
        latitude: trail.latitude[index] as number,
        longitude: trail.longitude[index] as number,
        speedKmh: null,
      }),
    )
    .filter((fix) => fix.at <= now);
  const ends = trail.lineEnds.filter((end) => end < fixes.length - 1);
  const newest = fixes.at(-1);
  if (newest && newest.at < now) {
    const head: Fix = { at: now, latitude: at.latitude, longitude: at.longitude, speedKmh: null };
    const { faults, lines } = judgeTrack([...fixes.slice(-2), head]);
    if (faults.at(-1) === null) {
      if (lines.at(-1)?.length === 1) ends.push(fixes.length - 1);
      fixes.push(head);
    }
  }
  const longitudes = unwrapLongitudes(fixes.map(({ longitude }) => longitude));
  const placesOf = (first: number, last: number) =>
    fixes
      .slice(first, last + 1)
      .map(({ latitude }, step): [number, number] => [longitudes[first + step] as number, latitude]);
  const pieces: TrailPiece[] = [];
  let first = 0;
  for (const end of [...ends, fixes.length - 1]) {
    if (end > first) pieces.push({ isGap: false, places: placesOf(first, end) });
    if (end < fixes.length - 1) pieces.push({ isGap: true, places: placesOf(end, end + 1) });
    first = end + 1;
  }
  return pieces;
}
