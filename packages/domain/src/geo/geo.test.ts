import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bearingDeg, distanceM, fromGcj02, type Place, toGcj02, unwrapLongitudes } from './geo.ts';

const place = (latitude: number, longitude: number): Place => ({ latitude, longitude });
const anywhere = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
});

it.each<[string, Place, Place, number]>([
  ['Paris to London', place(48.8566, 2.3522), place(51.5074, -0.1278), 343_557],
  ['over the antimeridian', place(0, 179.5), place(0, -179.5), 111_195],
  ['over the pole', place(89.5, 0), place(89.5, 180), 111_195],
  ['the same place', place(31.2, 121.4), place(31.2, 121.4), 0],
])('the distance is right: %s', (_, from, to, metres) => {
  expect(Math.abs(distanceM(from, to) - metres)).toBeLessThan(1 + metres / 1000);
});

it('distances are the same in both directions, and never longer than half the earth', () => {
  fc.assert(
    fc.property(anywhere, anywhere, (from, to) => {
      expect(distanceM(from, to)).toBeCloseTo(distanceM(to, from), 3);
      expect(distanceM(from, to)).toBeLessThan(20_020_000);
    }),
  );
});

it.each<[string, Place, Place, number]>([
  ['north', place(31, 121), place(32, 121), 0],
  ['east', place(0, 121), place(0, 122), 90],
  ['south', place(32, 121), place(31, 121), 180],
  ['west over the antimeridian', place(0, -179), place(0, 179), 270],
])('the direction is right: %s', (_, from, to, degrees) => {
  expect(bearingDeg(from, to)).toBeCloseTo(degrees, 6);
});

it('a line over the antimeridian has no jump', () => {
  expect(unwrapLongitudes([179, -179, -178, 179, 178])).toEqual([179, 181, 182, 179, 178]);
  expect(unwrapLongitudes([-179, 179])).toEqual([-179, -181]);
  expect(unwrapLongitudes([])).toEqual([]);
});

it('places in mainland China are shifted to GCJ-02, others are not', () => {
  const shifted = toGcj02(place(39.9087, 116.3975));
  expect(shifted.latitude).toBeCloseTo(39.9101, 3);
  expect(shifted.longitude).toBeCloseTo(116.40374, 3);
  expect(toGcj02(place(40.4, -3.7))).toEqual(place(40.4, -3.7));
  expect(toGcj02(place(-30, 116))).toEqual(place(-30, 116));
});

const around = (least: number, most: number) => fc.double({ min: least, max: most, noNaN: true });

it('a place in the shifted area comes back from GCJ-02 to less than a metre', () => {
  const inArea = fc.record({ latitude: around(3.87, 53.54), longitude: around(73.67, 135.04) });
  fc.assert(
    fc.property(inArea, (at) => {
      expect(distanceM(fromGcj02(toGcj02(at)), at)).toBeLessThan(0.01);
    }),
    { numRuns: 2_000 },
  );
});

it('a place outside the shifted area is the same in GCJ-02, except at its border', () => {
  fc.assert(
    fc.property(anywhere, (at) => {
      const { latitude, longitude } = at;
      fc.pre(longitude < 73.6 || longitude > 135.1 || latitude < 3.8 || latitude > 53.6);
      expect(toGcj02(at)).toBe(at);
      expect(fromGcj02(at)).toBe(at);
    }),
  );
});

it('the shift is between nothing and 800 m everywhere in China', () => {
  const inChina = fc.record({
    latitude: fc.double({ min: 18, max: 53, noNaN: true }),
    longitude: fc.double({ min: 74, max: 135, noNaN: true }),
  });
  fc.assert(fc.property(inChina, (at) => distanceM(at, toGcj02(at)) < 1_200));
});
