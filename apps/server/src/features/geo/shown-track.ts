import { type getTrack, MAX_WHOLE_TRACK } from '@isotherm/contracts/maps';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { Fixes } from '@isotherm/domain/geo/fixes';
import { distanceM, turnBetween } from '@isotherm/domain/geo/geo';
import { simplifyLine } from '@isotherm/domain/geo/simplify';
import { type Fix, judgeTrack, type TrackLimits } from '@isotherm/domain/geo/track';

/** A track as a map shows it. */
export type ShownTrack = Omit<
  ResponseOf<typeof getTrack>,
  'assetId' | 'name' | 'speedLimitKmh' | 'alarms' | 'fenceEvents'
>;

/** Pixels of the longer side of a map that shows a whole track. */
const MAP_PX = 2_000;

/**
 * Judges positions, and leaves out those that are within `toleranceM` metres of the rest. Without a tolerance it is about a
 * pixel of a map that shows all of them, or 0 for a short track.
 */
export function shownTrack(fixes: Fixes, toleranceM: number | null, limits?: TrackLimits): ShownTrack {
  const { lines, stops, trips, speedings, distanceM: metres, faults } = judgeTrack(fixes, limits);
  const drawn = lines.reduce((total, line) => total + line.length, 0);
  const tolerance = toleranceM ?? (drawn <= MAX_WHOLE_TRACK ? 0 : pixelM(fixes, lines));
  const shown: ShownTrack = {
    at: [],
    latitude: [],
    longitude: [],
    speedKmh: [],
    place: [],
    lineEnds: [],
    stops: stops.map(({ first: _, last: __, ...stop }) => stop),
    trips,
    speedings,
    distanceM: metres,
    faulty: faults.filter((fault) => fault !== null).length,
    toleranceM: tolerance,
  };
  let before = 0;
  for (const line of lines) {
    const kept = simplifyLine(fixes, line, tolerance);
    let place = 0;
    for (const index of kept) {
      while (line[place] !== index) place++;
      const fix = fixes.at(index) as Fix;
      shown.at.push(fix.at);
      shown.latitude.push(fix.latitude);
      shown.longitude.push(fix.longitude);
      shown.speedKmh.push(fix.speedKmh);
      shown.place.push(before + place);
    }
    shown.lineEnds.push(shown.at.length - 1);
    before += line.length;
  }
  return shown;
}

/** Metres of a pixel of a map that shows all lines. */
function pixelM(fixes: Fixes, lines: readonly (readonly number[])[]): number {
  let [south, north, west, east] = [90, -90, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let before: number | null = null;
  let turns = 0;
  for (const line of lines)
    for (const index of line) {
      const { latitude, longitude } = fixes.at(index) as Fix;
      // Longitudes go on beyond 180° where the track crosses the antimeridian.
      if (before !== null) turns += turnBetween(before, longitude);
      before = longitude;
      if (latitude < south) south = latitude;
      if (latitude > north) north = latitude;
      if (longitude + turns < west) west = longitude + turns;
      if (longitude + turns > east) east = longitude + turns;
    }
  const middle = (south + north) / 2;
  const height = distanceM({ latitude: south, longitude: 0 }, { latitude: north, longitude: 0 });
  // Half of the way around, so that the great circle is not the shorter one on the other side.
  const width =
    2 * distanceM({ latitude: middle, longitude: 0 }, { latitude: middle, longitude: (east - west) / 2 });
  return Math.round(Math.max(height, width) / MAP_PX);
}
