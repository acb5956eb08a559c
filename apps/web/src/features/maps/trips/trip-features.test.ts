import type { TripRoute } from '@isotherm/contracts/waybills';
import { expect, it } from 'vitest';
import {
  type Excursion,
  legTracks,
  placeAt,
  placeNear,
  plannedFeatures,
  wayFeatures,
} from './trip-features.ts';

/** A leg to the east, a degree in each 10 min, with a gap between 20 and 40. */
const LEG: TripRoute['legs'][number] = {
  assetId: 3,
  assetName: 'Truck 1',
  from: 0,
  to: 60,
  at: [0, 10, 20, 40, 60],
  latitude: [31, 31, 31, 31, 31],
  longitude: [178, 179, -180, -178, -176],
  speedKmh: [60, 60, null, 60, 60],
  lineEnds: [2, 4],
  stops: [],
  distanceM: 1_000,
};
const excursion = (from: number, to: number, level: 2 | 5 | null = null): Excursion => ({
  from,
  to,
  alarm: level && { level },
});
const stretches = (excursions: readonly Excursion[]) =>
  wayFeatures(legTracks({ legs: [LEG] }), excursions).map(({ properties, geometry }) => [
    properties?.severity,
    (geometry as GeoJSON.LineString).coordinates.map(([longitude]) => longitude),
  ]);

it.each<[string, Excursion[], unknown[]]>([
  [
    'without an excursion is a line on each side of the gap, on over the antimeridian',
    [],
    [
      [-1, [178, 179, 180]],
      [-1, [-178, -176]],
    ],
  ],
  [
    'has an excursion between two positions',
    [excursion(12, 15, 2)],
    [
      [-1, [178, 179, 179.2]],
      [2, [179.2, 179.5]],
      [-1, [179.5, 180]],
      [-1, [-178, -176]],
    ],
  ],
  [
    'has an excursion without an alarm, and one that began before the positions and ends in the gap',
    [excursion(-5, 10), excursion(15, 30, 5)],
    [
      [0, [178, 179]],
      [-1, [179, 179.5]],
      [5, [179.5, 180]],
      [-1, [-178, -176]],
    ],
  ],
  [
    'is an excursion from end to end',
    [excursion(0, 60, 5)],
    [
      [5, [178, 179, 180]],
      [5, [-178, -176]],
    ],
  ],
])('the route %s', (_, excursions, expected) => {
  expect(stretches(excursions)).toEqual(expected);
});

it('a place is known on a line, and near it in a gap', () => {
  const tracks = legTracks({ legs: [LEG] });
  expect(placeAt(tracks, 5)).toMatchObject({ longitude: 178.5 });
  expect(placeAt(tracks, 30)).toBeNull();
  expect(placeAt(tracks, 90)).toBeNull();
  expect(placeNear(tracks, 28)).toMatchObject({ longitude: -180 });
  expect(placeNear(tracks, 38)).toMatchObject({ longitude: -178 });
  expect(placeNear(tracks, 90)).toBeNull();
});

it('the planned route is drawn over the antimeridian the short way, and not at all if it is not known', () => {
  const places = [
    { latitude: 1, longitude: 179 },
    { latitude: 2, longitude: -179 },
  ];
  expect(plannedFeatures({ planned: { by: 'route', places } })[0]?.geometry).toEqual({
    type: 'LineString',
    coordinates: [
      [179, 1],
      [181, 2],
    ],
  });
  expect(plannedFeatures({ planned: null })).toEqual([]);
});
