import type { Fix } from '@isotherm/domain/geo/track';
import { expect, it } from 'vitest';
import { shownTrack } from './shown-track.ts';

const MINUTE = 60_000;
/** One position a minute on a way with a gap of an hour in the middle. */
const way = (count: number, longitude = (n: number) => 121 + n / 5_000): Fix[] =>
  Array.from({ length: count }, (_, n) => ({
    at: (n < count / 2 ? n : n + 60) * MINUTE,
    latitude: 31 + n / 5_000,
    longitude: longitude(n),
    speedKmh: 60,
  }));

it('a short track is returned whole, with the ends of its lines', () => {
  const { at, place, lineEnds, toleranceM } = shownTrack(way(100), null);
  expect([at.length, place.at(-1), lineEnds, toleranceM]).toEqual([100, 99, [49, 99], 0]);
});

it('a long track loses what a map of all of it does not show, and says by which tolerance', () => {
  const { at, place, lineEnds, toleranceM, distanceM } = shownTrack(way(10_000), null);
  // 222 km from south to north.
  expect(toleranceM).toBe(111);
  expect(at.length).toBeLessThan(100);
  expect([place[0], place[lineEnds[0] as number], place.at(-1)]).toEqual([0, 4_999, 9_999]);
  expect(distanceM).toBe(shownTrack(way(10_000), 0).distanceM);
  expect(shownTrack(way(10_000), 0).at).toHaveLength(10_000);
});

it('a track over the antimeridian is no track around the world', () => {
  const turned = (n: number) => (179.9 + n / 20_000 > 180 ? n / 20_000 - 180.1 : 179.9 + n / 20_000);
  expect(shownTrack(way(10_000, turned), null).toleranceM).toBe(111);
});

it('no position gives no line', () => {
  expect(shownTrack([], null)).toMatchObject({ at: [], lineEnds: [], stops: [], faulty: 0 });
  expect(shownTrack([{ at: 0, latitude: 0, longitude: 0, speedKmh: null }], 50)).toMatchObject({
    at: [],
    faulty: 1,
  });
});
