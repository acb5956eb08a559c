import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Bounds, PlaceCell } from './geo.repo.ts';
import { createPlaceClusters } from './place-clusters.ts';

interface Place {
  latitude: number;
  longitude: number;
}

/** Counts the places of a region by cells, as the database does. */
function cellsOf(places: readonly Place[], [west, south, east, north]: Bounds, size: number): PlaceCell[] {
  const cells = new Map<string, PlaceCell>();
  for (const { latitude, longitude } of places) {
    if (latitude < south || latitude > north || longitude < west || longitude > east) continue;
    const [row, column] = [Math.floor(latitude / size), Math.floor(longitude / size)];
    const known = cells.get(`${row} ${column}`);
    cells.set(`${row} ${column}`, {
      row,
      column,
      latitude,
      longitude,
      count: (known?.count ?? 0) + 1,
      level: 0,
    });
  }
  return [...cells.values()];
}

const degrees = (most: number) => fc.integer({ min: -most * 4, max: most * 4 }).map((n) => n / 4);
const place = fc.record({ latitude: degrees(90), longitude: degrees(180) });
const region = fc
  .tuple(degrees(180), degrees(90), degrees(180), degrees(90))
  .map(([west, a, east, b]): Bounds => [west, Math.min(a, b), east, Math.max(a, b)]);

test('each place of a region is in one cluster, whatever was asked before', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(place, { maxLength: 60 }),
      fc.array(region, { minLength: 1, maxLength: 4 }),
      async (places, regions) => {
        const find = createPlaceClusters(async (_scope, bounds, size) => cellsOf(places, bounds, size));
        for (const bounds of regions) {
          const [west, south, east, north] = bounds;
          const inside = places.filter(
            ({ latitude, longitude }) =>
              latitude >= south &&
              latitude <= north &&
              (west <= east
                ? longitude >= west && longitude <= east
                : longitude >= west || longitude <= east),
          );
          const clusters = await find('/1/', bounds);
          const total = clusters.reduce((sum, { count }) => sum + count, 0);
          expect(total).toBeGreaterThanOrEqual(inside.length);
          expect(total).toBeLessThanOrEqual(places.length);
          expect(clusters.length).toBeLessThanOrEqual(27 * 27);
        }
      },
    ),
  );
});

test('a region that was counted is not counted again for ten seconds, by anyone of the same scope', async () => {
  const asked: string[] = [];
  const find = createPlaceClusters(async (scope) => {
    asked.push(scope);
    return [];
  });
  await find('/1/', [120, 30, 121, 31]);
  await find('/1/', [120.1, 30.1, 121, 31]);
  expect(new Set(asked)).toEqual(new Set(['/1/']));
  const before = asked.length;
  await find('/1/', [120, 30, 121, 31]);
  expect(asked).toHaveLength(before);
  await find('/1/2/', [120, 30, 121, 31]);
  expect(asked.length).toBeGreaterThan(before);
});

test('a count that failed is tried again', async () => {
  let isDown = true;
  const find = createPlaceClusters(async () => {
    if (isDown) throw new Error('the database is away');
    return [];
  });
  await expect(find('/1/', [0, 0, 1, 1])).rejects.toThrow('the database is away');
  isDown = false;
  await expect(find('/1/', [0, 0, 1, 1])).resolves.toEqual([]);
});
