import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  distanceToFenceM,
  FENCE_LIMITS,
  type FenceFault,
  type FenceShape,
  fenceFault,
  isBeyondEnds,
  isNear,
  prepareFence,
} from './fence.ts';
import { distanceM, type Place } from './geo.ts';

const place = (latitude: number, longitude: number): Place => ({ latitude, longitude });
const polygon = (...ring: [number, number][]): FenceShape => ({
  kind: 'polygon',
  ring: ring.map(([latitude, longitude]) => place(latitude, longitude)),
});
const corridor = (sideM: number, ...line: [number, number][]): FenceShape => ({
  kind: 'corridor',
  sideM,
  line: line.map(([latitude, longitude]) => place(latitude, longitude)),
});
const circle = (radiusM: number, latitude = 31, longitude = 121): FenceShape => ({
  kind: 'circle',
  radiusM,
  centre: place(latitude, longitude),
});
const many = (count: number) =>
  Array.from({ length: count }, (_, index): [number, number] => [
    30 + Math.cos((index / count) * 2 * Math.PI),
    120 + Math.sin((index / count) * 2 * Math.PI),
  ]);

describe('shapes', () => {
  it.each<[string, FenceShape, FenceFault | null]>([
    ['a circle', circle(500), null],
    ['a circle that is too small', circle(5), 'radius'],
    ['a circle that is too large', circle(300_000), 'radius'],
    ['a circle at a pole', circle(500, 89), 'place'],
    ['a circle outside the earth', circle(500, 0, 181), 'place'],
    ['a square', polygon([0, 0], [0, 1], [1, 1], [1, 0]), null],
    ['a square across the antimeridian', polygon([0, 179.5], [0, -179.5], [1, -179.5], [1, 179.5]), null],
    ['two corners', polygon([0, 0], [0, 1]), 'places'],
    ['as many corners as allowed', polygon(...many(FENCE_LIMITS.ring.max)), null],
    ['too many corners', polygon(...many(FENCE_LIMITS.ring.max + 1)), 'places'],
    ['more than half of the earth', polygon([0, -100], [0, 0], [0, 100], [10, 0]), 'too-wide'],
    ['a line and back', polygon([0, 0], [0, 1], [0, 0.5]), 'flat'],
    ['one place three times', polygon([1, 1], [1, 1], [1, 1]), 'flat'],
    ['a bow tie', polygon([0, 0], [1, 1], [0, 1], [1.5, 0]), 'crossing'],
    ['a corner on another edge', polygon([0, 0], [0, 4], [4, 4], [0, 2]), 'crossing'],
    ['a corner twice', polygon([0, 0], [1, 1], [0, 2], [2, 2], [1, 1], [2, 0]), 'crossing'],
    ['a spike', polygon([0, 0], [0, 2], [0, 1], [1, 1]), 'crossing'],
    ['a spike at the first corner', polygon([0, 1], [1, 1], [0, 0], [0, 2]), 'crossing'],
    ['a corner in a straight edge', polygon([0, 0], [0, 1], [0, 2], [1, 1]), null],
    ['a corridor', corridor(500, [31, 121], [31.5, 121.2]), null],
    ['a corridor that crosses itself', corridor(500, [0, 0], [1, 1], [0, 1], [1, 0]), null],
    ['a corridor to a pole', corridor(500, [80, 0], [90, 0]), 'place'],
    ['a corridor of one place', corridor(500, [31, 121]), 'places'],
    ['a corridor without width', corridor(0, [31, 121], [32, 121]), 'side'],
  ])('%s', (_, shape, fault) => {
    expect(fenceFault(shape)).toBe(fault);
  });
});

describe('distance to the edge', () => {
  const square = polygon([0, 179.99], [0, -179.99], [0.02, -179.99], [0.02, 179.99]);
  it.each<[string, FenceShape, Place, number]>([
    ['the centre of a circle', circle(500), place(31, 121), -500],
    ['outside a circle', circle(500, 0, 179.999), place(0, -179.991), 612],
    ['inside a polygon', square, place(0.01, 180), -1112],
    ['inside on the other side of the antimeridian', square, place(0.01, -179.995), -556],
    ['north of a polygon', square, place(0.03, 179.995), 1112],
    ['beside a corner', square, place(-0.01, -179.98), 1572],
    ['on the line of a corridor', corridor(300, [31, 121], [31, 122]), place(31, 121.5), -300],
    ['beside a corridor', corridor(300, [31, 121], [31, 122]), place(31.01, 121.5), 812],
    ['beyond the end of a corridor', corridor(300, [31, 121], [31, 122]), place(31, 122.01), 653],
    [
      'two equal places in a corridor',
      corridor(300, [31, 121], [31, 121], [31, 122]),
      place(31, 120.99),
      653,
    ],
  ])('%s', (_, shape, at, metres) => {
    const fence = prepareFence(shape, 0);
    expect(Math.abs(distanceToFenceM(fence, at) - metres)).toBeLessThan(2);
    expect(metres > 2000 || metres < 0 ? isNear(fence, at) || metres > 0 : true).toBe(true);
  });

  it('the end of a corridor is told from its sides', () => {
    const fence = prepareFence(corridor(300, [31, 121], [31.2, 121.5], [31, 122]), 50);
    expect(isBeyondEnds(fence, place(31, 122.01))).toBe(true);
    expect(isBeyondEnds(fence, place(31, 120.9))).toBe(true);
    expect(isBeyondEnds(fence, place(31.5, 121.5))).toBe(false);
    expect(isBeyondEnds(fence, place(31, 121.5))).toBe(false);
  });

  it('a slow reference gives the same distances and sides', () => {
    const centre = fc.record({
      latitude: fc.double({ min: -70, max: 70, noNaN: true }),
      longitude: fc.double({ min: -180, max: 180, noNaN: true }),
    });
    // A star around a centre never crosses itself.
    const arms = fc.array(fc.double({ min: 0.2, max: 1, noNaN: true }), { minLength: 3, maxLength: 12 });
    const offset = fc.tuple(
      fc.double({ min: -2, max: 2, noNaN: true }),
      fc.double({ min: -2, max: 2, noNaN: true }),
    );
    fc.assert(
      fc.property(centre, arms, offset, fc.boolean(), (middle, lengths, [north, east], isRing) => {
        const sizeDeg = 0.02;
        const scale = Math.cos((middle.latitude * Math.PI) / 180);
        const at = (up: number, right: number): Place =>
          place(middle.latitude + up * sizeDeg, wrap(middle.longitude + (right * sizeDeg) / scale));
        const corners = lengths.map((length, index) => {
          const turn = (index / lengths.length) * 2 * Math.PI;
          return at(length * Math.cos(turn), length * Math.sin(turn));
        });
        const shape: FenceShape = isRing
          ? { kind: 'polygon', ring: corners }
          : { kind: 'corridor', line: corners, sideM: 200 };
        expect(fenceFault(shape)).toBeNull();
        const here = at(north, east);
        const fence = prepareFence(shape, 100);
        const expected = isRing ? slowRing(corners, here) : slowPath(corners, here) - 200;
        const found = distanceToFenceM(fence, here);
        expect(Math.abs(found - expected)).toBeLessThan(5 + Math.abs(expected) / 50);
        if (found <= 100) expect(isNear(fence, here)).toBe(true);
      }),
      { numRuns: 500, seed: 16 },
    );
  });

  it('whatever is within the margin of a fence is in its box', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -85, max: 85, noNaN: true }),
        fc.double({ min: -180, max: 180, noNaN: true }),
        fc.double({ min: 20, max: 200_000, noNaN: true }),
        fc.double({ min: 0, max: 2 * Math.PI, noNaN: true }),
        (latitude, longitude, radiusM, turn) => {
          const fence = prepareFence(circle(radiusM, latitude, longitude), 500);
          const reach = (radiusM + 400) / 111_195;
          const up = latitude + reach * Math.cos(turn);
          const right = (reach * Math.sin(turn)) / Math.cos((latitude * Math.PI) / 180);
          const here = place(up, wrap(longitude + right));
          if (Math.abs(up) <= 90 && distanceToFenceM(fence, here) <= 500)
            expect(isNear(fence, here)).toBe(true);
        },
      ),
      { numRuns: 500, seed: 16 },
    );
  });
});

const wrap = (longitude: number) => ((((longitude + 180) % 360) + 360) % 360) - 180;

/** Distance to a path by trying many places on it. */
function slowPath(corners: readonly Place[], here: Place): number {
  let best = Number.POSITIVE_INFINITY;
  for (let edge = 0; edge + 1 < corners.length; edge++)
    for (let step = 0; step <= 400; step++) {
      const [a, b] = [corners[edge] as Place, corners[edge + 1] as Place];
      const turn = wrap(b.longitude - a.longitude);
      const on = place(
        a.latitude + ((b.latitude - a.latitude) * step) / 400,
        wrap(a.longitude + (turn * step) / 400),
      );
      best = Math.min(best, distanceM(here, on));
    }
  return best;
}

/** Distance to a ring, negative if its corners turn around the place. */
function slowRing(corners: readonly Place[], here: Place): number {
  const closed = [...corners, corners[0] as Place];
  const directions = closed.map(({ latitude, longitude }) =>
    Math.atan2(latitude - here.latitude, wrap(longitude - here.longitude)),
  );
  const turns = directions.slice(1).reduce((sum, direction, index) => {
    const turn = direction - (directions[index] as number);
    return sum + Math.atan2(Math.sin(turn), Math.cos(turn));
  }, 0);
  return Math.abs(turns) > Math.PI ? -slowPath(closed, here) : slowPath(closed, here);
}
