import { FENCE_LIMITS, type FenceShape, fenceFault, isNear, prepareFence } from '@isotherm/domain/geo/fence';
import type { FenceVersion } from '@isotherm/domain/geo/fence-judge';
import type { Place } from '@isotherm/domain/geo/geo';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { indexOf } from './fence-book.ts';

const wrap = (longitude: number) => ((((longitude + 180) % 360) + 360) % 360) - 180;
const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });
/** Most fences are at the antimeridian, at the meridian or far from the equator, where degrees are unusual. */
const centre = fc.record({
  latitude: fc.oneof(number(-85, 85), fc.constantFrom(-85, -84.999, 0, 84.999, 85)),
  longitude: fc.oneof(number(-180, 180), fc.constantFrom(-180, -179.999, -0.001, 0, 0.001, 179.999, 180)),
});
/** Places around a centre, at a distance of metres to thousands of kilometres. */
const around = fc
  .tuple(
    centre,
    fc.constantFrom(0.000_1, 0.01, 1, 20, 80),
    fc.array(fc.tuple(number(-1, 1), number(-1, 1)), { minLength: 3, maxLength: 8 }),
  )
  .map(([{ latitude, longitude }, degrees, corners]) =>
    corners.map(
      ([north, east]): Place => ({
        latitude: Math.max(-85, Math.min(85, latitude + north * degrees)),
        longitude: wrap(longitude + east * degrees),
      }),
    ),
  );
const tinyOrHuge = ({ min, max }: { min: number; max: number }) =>
  fc.oneof(number(min, max), fc.constantFrom(min, max));
const shape: fc.Arbitrary<FenceShape> = fc.oneof(
  fc.record({ kind: fc.constant('circle' as const), centre, radiusM: tinyOrHuge(FENCE_LIMITS.radiusM) }),
  fc.record({ kind: fc.constant('polygon' as const), ring: around }),
  fc.record({ kind: fc.constant('corridor' as const), line: around, sideM: tinyOrHuge(FENCE_LIMITS.sideM) }),
);
const versions = fc
  .array(
    fc.tuple(
      shape.filter((each) => fenceFault(each) === null),
      tinyOrHuge(FENCE_LIMITS.marginM),
    ),
    {
      maxLength: 40,
    },
  )
  .map((all) =>
    all.map(
      ([each, marginM], id): FenceVersion => ({
        id,
        fenceId: id,
        from: 0,
        until: Number.POSITIVE_INFINITY,
        marginM,
        dwellMs: null,
        fence: prepareFence(each, marginM),
      }),
    ),
  );
/** Places anywhere, at the poles too, and those at an edge of the box of a fence. */
const anywhere = fc.oneof(
  fc.record({ latitude: number(-90, 90), longitude: number(-180, 180) }),
  fc.record({
    latitude: fc.constantFrom(-90, 0, 90),
    longitude: fc.constantFrom(-180, -179.999, 0, 179.999, 180),
  }),
);
const beside = fc.record({
  of: fc.nat(39),
  up: fc.oneof(fc.constantFrom(0, 1), number(-0.1, 1.1)),
  aside: fc.oneof(fc.constantFrom(0, 1), number(-0.1, 1.1)),
});

it('the index finds the geofences whose box contains a place, as a look at each of them does', () => {
  let found = 0;
  fc.assert(
    fc.property(
      versions,
      fc.array(anywhere, { maxLength: 6 }),
      fc.array(beside, { maxLength: 20 }),
      fc.array(fc.nat(60), { maxLength: 3 }),
      (all, far, near, ids) => {
        const places = [
          ...far,
          ...near.flatMap(({ of, up, aside }) => {
            const fence = all[of % Math.max(1, all.length)]?.fence;
            if (!fence) return [];
            const latitude = fence.south + up * (fence.north - fence.south);
            const longitude = wrap(fence.west + aside * (fence.east - fence.west));
            return [{ latitude: Math.max(-90, Math.min(90, latitude)), longitude }];
          }),
        ];
        const index = indexOf(all);
        const idsOf = (list: readonly FenceVersion[]) => list.map(({ id }) => id).sort((a, b) => a - b);
        for (const place of places) {
          const expected = all.filter(({ fence }) => isNear(fence, place));
          found += expected.length;
          expect(idsOf(index.at([place], []))).toEqual(idsOf(expected));
        }
        const expected = all.filter(
          ({ id, fence }) => ids.includes(id) || places.some((place) => isNear(fence, place)),
        );
        expect(idsOf(index.at(places, ids))).toEqual(idsOf(expected));
      },
    ),
    { numRuns: 300 },
  );
  expect(found).toBeGreaterThan(1_000);
});
