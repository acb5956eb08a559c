import type { Fix } from '@isotherm/domain/geo/track';
import { expect, it } from 'vitest';
import { shownTrack as shownWithLimit } from './shown-track.ts';

const MINUTE = 60_000;
const shownTrack = (fixes: readonly Fix[], toleranceM: number | null) =>
  shownWithLimit(fixes, toleranceM, { speedKmh: 50 });
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

it('trips, stops and times above the limit are those of all positions, whatever is left out', () => {
  const fixes = way(10_000).map((fix, n) => ({ ...fix, latitude: 31 + n / 500 }));
  const { trips, speedings, stops } = shownTrack(fixes, 500);
  expect(shownTrack(fixes, 0)).toMatchObject({ trips, speedings, stops });
  expect([trips.length, speedings.length, stops.length]).toEqual([2, 2, 0]);
  expect(speedings[0]).toMatchObject({ from: 0, to: 4_999 * MINUTE, maxSpeedKmh: 60, latitude: 31 });
});

it('no position gives no line', () => {
  expect(shownTrack([], null)).toMatchObject({ at: [], lineEnds: [], stops: [], faulty: 0 });
  expect(shownTrack([{ at: 0, latitude: 0, longitude: 0, speedKmh: null }], 50)).toMatchObject({
    at: [],
    faulty: 1,
  });
});
