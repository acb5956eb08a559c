import { distanceM } from '@isotherm/domain/geo/geo';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ROAD_STEP_M, smoothRoad, type Waypoint } from './road.ts';
import * as routes from './routes.ts';

const ROADS = Object.entries(routes).filter(([name]) => !name.endsWith('CONTROL'));

/** Degrees by which a road turns at each of its points. */
function turns(road: readonly Waypoint[]): number[] {
  const bearings = road.slice(1).map((to, index) => {
    const from = road[index] as Waypoint;
    const east = (to.longitude - from.longitude) * Math.cos((from.latitude * Math.PI) / 180);
    return (Math.atan2(east, to.latitude - from.latitude) * 180) / Math.PI;
  });
  return bearings.slice(1).map((bearing, index) => {
    const turn = Math.abs(bearing - (bearings[index] as number));
    return Math.min(turn, 360 - turn);
  });
}
const steps = (road: readonly Waypoint[]) =>
  road.slice(1).map((point, index) => distanceM(road[index] as Waypoint, point));

test.each(ROADS)('%s has short steps, no sharp turn, and no long straight', (_, road) => {
  expect(Math.max(...steps(road))).toBeLessThanOrEqual(ROAD_STEP_M);
  expect(Math.max(...turns(road))).toBeLessThan(25);
  // The longest stretch that turns by less than a degree in all.
  const lengths = steps(road);
  let [straight, longest, turned] = [0, 0, 0];
  for (const [index, turn] of turns(road).entries()) {
    turned += turn;
    straight = turned < 1 ? straight + (lengths[index] as number) : 0;
    if (turned >= 1) turned = 0;
    longest = Math.max(longest, straight);
  }
  expect(longest).toBeLessThan(4_000);
});

/** A road by distances and turns, so that no leg goes back. */
const control = fc
  .array(
    fc.record({ km: fc.double({ min: 0.5, max: 10, noNaN: true }), turn: fc.integer({ min: -80, max: 80 }) }),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map((legs) => {
    const points: Waypoint[] = [{ latitude: 31, longitude: 121, cruiseKmh: 40 }];
    let bearing = 0;
    for (const [index, { km, turn }] of legs.entries()) {
      bearing += (turn * Math.PI) / 180;
      const { latitude, longitude } = points.at(-1) as Waypoint;
      points.push({
        latitude: latitude + (km / 111.195) * Math.cos(bearing),
        longitude: longitude + ((km / 111.195) * Math.sin(bearing)) / Math.cos((latitude * Math.PI) / 180),
        cruiseKmh: 50 + index,
        ...(index % 3 === 0 ? { stop: { minutes: 5, unloads: false } } : {}),
      });
    }
    return points;
  });

test('a road passes through its control points in order, without long steps, detours and sharp turns', () => {
  fc.assert(
    fc.property(control, fc.integer({ min: 20, max: 500 }), (points, stepM) => {
      const road = smoothRoad(points, stepM);
      expect(Math.max(...steps(road))).toBeLessThanOrEqual(stepM);
      // Control points are in the road as they are, and in order; only they have stops.
      const found = points.map((point) => road.indexOf(point));
      expect(found).toEqual([...found].sort((one, other) => one - other));
      expect(found).not.toContain(-1);
      expect(road.filter(({ stop }) => stop)).toEqual(points.filter(({ stop }) => stop));
      for (const [index, at] of found.entries())
        if (index > 0)
          for (const { cruiseKmh } of road.slice((found[index - 1] as number) + 1, at))
            expect(cruiseKmh).toBe(points[index - 1]?.cruiseKmh);
      const length = (of: readonly Waypoint[]) => steps(of).reduce((total, each) => total + each, 0);
      expect(length(road)).toBeLessThan(length(points) * 1.35);
      expect(Math.max(0, ...turns(smoothRoad(points, 20)))).toBeLessThan(30);
    }),
  );
});

test.each([
  ['no point', [], 0],
  ['one point', [{ latitude: 31, longitude: 121, cruiseKmh: 40 }], 1],
] as const)('a road of %s', (_, points, length) => {
  expect(smoothRoad(points)).toHaveLength(length);
});

test('a road through the same point twice stays where it is', () => {
  const point = { latitude: 31, longitude: 121, cruiseKmh: 40 };
  expect(smoothRoad([point, { ...point }])).toEqual([point, point]);
});
