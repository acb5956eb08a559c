import { expect, test } from 'vitest';
import { distanceOf, type GoodsPlace, moveTargets } from './move-targets.ts';

const RANGE = { low: 2, high: 8 };
const SHANGHAI = { latitude: 31.23, longitude: 121.47 };
const SUZHOU = { latitude: 31.3, longitude: 120.62 };
const NANJING = { latitude: 32.06, longitude: 118.79 };

const place = (id: number, fields: Partial<GoodsPlace> = {}): GoodsPlace => ({
  id,
  name: `Fridge ${id}`,
  organizationId: 1,
  range: RANGE,
  coordinates: null,
  isHealthy: true,
  ...fields,
});
const FROM = place(1, { coordinates: SHANGHAI });

test.each<[string, GoodsPlace[], number[]]>([
  ['the asset itself is not offered', [FROM], []],
  ['an asset in alarm is not offered', [place(2, { isHealthy: false })], []],
  ['an asset with another upper limit is not offered', [place(2, { range: { low: 2, high: 25 } })], []],
  ['an asset with another lower limit is not offered', [place(2, { range: { low: null, high: 8 } })], []],
  ['an asset without limits is not offered', [place(2, { range: null })], []],
  [
    'the nearest ones come first, then those of unknown distance by name',
    [
      place(5, { name: 'B' }),
      place(4, { name: 'A' }),
      place(3, { coordinates: NANJING }),
      place(2, { coordinates: SUZHOU }),
    ],
    [2, 3, 4, 5],
  ],
  [
    'the same organisation comes before a nearer one of another',
    [place(2, { organizationId: 2, coordinates: SUZHOU }), place(3, { coordinates: NANJING })],
    [3, 2],
  ],
])('%s', (_title, places, expected) => {
  expect(moveTargets(FROM, places, 5).map((target) => target.place.id)).toEqual(expected);
});

test('not more than asked for are offered, without distance if the place of the alarm is unknown', () => {
  const targets = moveTargets(place(1), [place(2, { coordinates: SUZHOU }), place(3)], 1);
  expect(targets).toEqual([{ place: place(2, { coordinates: SUZHOU }), distanceM: null }]);
});

test('an asset without limits has no targets', () => {
  expect(moveTargets(place(1, { range: null }), [place(2, { range: null }), place(3)], 5)).toEqual([]);
});

test('the distance from Shanghai to Nanjing is about 270 km, and to itself 0', () => {
  expect(distanceOf(SHANGHAI, NANJING) / 1000).toBeCloseTo(270, -1);
  expect(distanceOf(SHANGHAI, SHANGHAI)).toBe(0);
});
