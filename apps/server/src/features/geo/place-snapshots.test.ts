import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Bounds, clustersIn, createPlaceSnapshots, idsIn, placeSnapshot } from './place-snapshots.ts';

interface Place {
  latitude: number;
  longitude: number;
  level: number;
}

const snapshotOf = (places: readonly Place[], all = places.length) =>
  placeSnapshot(
    Float64Array.from(places, (_, i) => i + 1),
    Float64Array.from(places, ({ latitude }) => latitude),
    Float64Array.from(places, ({ longitude }) => longitude),
    Uint8Array.from(places, ({ level }) => level),
    all,
  );

const isIn = ({ latitude, longitude }: Place, [west, south, east, north]: Bounds) =>
  latitude >= south &&
  latitude <= north &&
  (west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east);

const degrees = (most: number) => fc.integer({ min: -most * 4, max: most * 4 }).map((n) => n / 4);
const place = fc.record({
  latitude: degrees(90),
  longitude: degrees(180),
  level: fc.integer({ min: 0, max: 5 }),
});
const region = fc
  .tuple(degrees(180), degrees(90), degrees(180), degrees(90))
  .map(([west, a, east, b]): Bounds => [west, Math.min(a, b), east, Math.max(a, b)]);

test('the ids of a region are those of the places in it, unless there are more than asked for', () => {
  fc.assert(
    fc.property(fc.array(place, { maxLength: 60 }), region, fc.nat(20), (places, bounds, most) => {
      const inside = places.flatMap((each, i) => (isIn(each, bounds) ? [i + 1] : []));
      expect(idsIn(snapshotOf(places), bounds, most)).toEqual(inside.length > most ? null : inside);
    }),
  );
});

test('each place of a region is in one cluster, with the level of its worst alarm', () => {
  fc.assert(
    fc.property(fc.array(place, { maxLength: 60 }), region, (places, bounds) => {
      const inside = places.filter((each) => isIn(each, bounds));
      const clusters = clustersIn(snapshotOf(places), bounds);
      const total = clusters.reduce((sum, { count }) => sum + count, 0);
      expect(total).toBeGreaterThanOrEqual(inside.length);
      expect(total).toBeLessThanOrEqual(places.length);
      expect(clusters.length).toBeLessThanOrEqual(27 * 27);
      const worst = Math.max(0, ...inside.map(({ level }) => level));
      expect(Math.max(0, ...clusters.map(({ level }) => level))).toBeGreaterThanOrEqual(worst);
      for (const { latitude, longitude } of clusters) {
        expect(Math.abs(latitude)).toBeLessThanOrEqual(90);
        expect(Math.abs(longitude)).toBeLessThanOrEqual(180);
      }
    }),
  );
});

test('places on both sides of the antimeridian are in one cluster', () => {
  const places = [
    { latitude: 1, longitude: 179.9, level: 0 },
    { latitude: 1, longitude: -179.7, level: 4 },
  ];
  const [cluster, ...others] = clustersIn(snapshotOf(places), [100, -40, -100, 40]);
  expect(others).toEqual([]);
  expect(cluster).toMatchObject({ latitude: 1, count: 2, level: 4 });
  expect(cluster?.longitude).toBeCloseTo(-179.9, 6);
});

test('a snapshot knows its extent and how many assets have no place', () => {
  const places = [
    { latitude: 10, longitude: 20, level: 0 },
    { latitude: -5, longitude: 30, level: 0 },
  ];
  expect(snapshotOf(places, 5)).toMatchObject({ unpositioned: 3, extent: [20, -5, 30, 10] });
  expect(snapshotOf([], 2)).toMatchObject({ unpositioned: 2, extent: null });
});

describe('snapshots in memory', () => {
  /** Loads after `tookMs`, as many places as it was called before. */
  function stage(tookMs: number) {
    const state = { time: 1_000, loads: 0, isDown: false, asked: [] as string[] };
    const snapshots = createPlaceSnapshots(
      async (scope) => {
        state.asked.push(scope);
        if (state.isDown) throw new Error('the database is away');
        state.time += tookMs;
        return snapshotOf(
          Array.from({ length: ++state.loads }, () => ({ latitude: 0, longitude: 0, level: 0 })),
        );
      },
      () => state.time,
    );
    const countOf = async (scope = '/1/') => (await snapshots.of(scope)).ids.length;
    return { state, snapshots, countOf };
  }

  test('are read once for all who look at the same scope', async () => {
    const { state, countOf } = stage(100);
    expect(await Promise.all([countOf(), countOf(), countOf('/2/')])).toEqual([1, 1, 2]);
    expect(await countOf()).toBe(1);
    expect(state.asked).toEqual(['/1/', '/2/']);
  });

  test('that are no longer fresh are returned, and read again meanwhile', async () => {
    const { state, snapshots, countOf } = stage(100);
    await countOf();
    state.time += 10_001;
    expect(await countOf()).toBe(1);
    await expect.poll(() => snapshots.lastCount('/1/')).toBe(2);
    expect(await countOf()).toBe(2);
  });

  test('are read for a twentieth of the time at most', async () => {
    const { state, countOf } = stage(2_000);
    await countOf();
    state.time += 39_000;
    expect(await countOf()).toBe(1);
    expect(state.asked).toHaveLength(1);
    state.time += 2_000;
    await countOf();
    expect(state.asked).toHaveLength(2);
  });

  test('that are older than a minute are not shown, and an error is told', async () => {
    const { state, countOf } = stage(100);
    await countOf();
    state.isDown = true;
    state.time += 30_000;
    expect(await countOf()).toBe(1);
    state.time += 31_000;
    await expect(countOf()).rejects.toThrow('the database is away');
    state.isDown = false;
    expect(await countOf()).toBe(2);
  });

  test('are forgotten when nobody looks at them', async () => {
    const { state, snapshots, countOf } = stage(100);
    await countOf();
    expect(snapshots.lastCount('/1/')).toBe(1);
    state.time += 6 * 60_000;
    expect(snapshots.lastCount('/1/')).toBe(null);
  });
});
