import { expect, it } from 'vitest';
import { positionAt } from './position-at.ts';
import type { Fix } from './track.ts';

const fix = (at: number, latitude: number, longitude: number): Fix => ({
  at,
  latitude,
  longitude,
  speedKmh: at,
});
const fixes = [
  fix(0, 10, 179),
  fix(10, 10, -179),
  fix(20, 10, 179),
  fix(30, 10, 179),
  fix(100, 20, 0),
  fix(110, 30, 0),
];
const track = {
  lines: [
    [0, 1, 2, 3],
    [4, 5],
  ],
};

it.each<[string, number, number, number]>([
  ['at a position', 0, 10, 179],
  ['east of the antimeridian', 2, 10, 179.4],
  ['west of it', 8, 10, -179.4],
  ['back to the east', 18, 10, 179.4],
  ['between two equal positions', 25, 10, 179],
  ['at the end of a line', 30, 10, 179],
  ['in the second line', 105, 25, 0],
])('%s', (_, at, latitude, longitude) => {
  const found = positionAt(fixes, track, at);
  expect(found?.latitude).toBeCloseTo(latitude, 6);
  expect(found?.longitude).toBeCloseTo(longitude, 6);
});

it.each([-1, 60, 111])('nothing is known before, between and after the lines: %d', (at) => {
  expect(positionAt(fixes, track, at)).toBeNull();
});

it('a vehicle that does not move has no direction', () => {
  expect(positionAt(fixes, track, 25)?.headingDeg).toBeNull();
  expect(positionAt(fixes, track, 30)?.headingDeg).toBeNull();
  expect(positionAt(fixes, track, 105)?.headingDeg).toBeCloseTo(0, 6);
  expect(positionAt(fixes, track, 5)?.speedKmh).toBe(0);
});
