import type { MapCluster } from '@isotherm/contracts/maps';
import { LRUCache } from 'lru-cache';

/** West, south, east and north in degrees; west is greater than east across the antimeridian. */
export type Bounds = readonly [number, number, number, number];

/** The places of all assets of a scope. One element of each array is one asset. */
export interface PlaceSnapshot {
  ids: Float64Array;
  latitudes: Float64Array;
  longitudes: Float64Array;
  /** Level of the worst open alarm; 0 without one. */
  levels: Uint8Array;
  /** Number of assets without a place. */
  unpositioned: number;
  /** West, south, east and north of all places; null without places. */
  extent: [number, number, number, number] | null;
}

/** Makes a snapshot of `all` assets, of which these have a place. */
export function placeSnapshot(
  ids: Float64Array,
  latitudes: Float64Array,
  longitudes: Float64Array,
  levels: Uint8Array,
  all: number,
): PlaceSnapshot {
  const extent: PlaceSnapshot['extent'] = [180, 90, -180, -90];
  for (const [i, latitude] of latitudes.entries()) {
    const longitude = longitudes[i] as number;
    if (longitude < extent[0]) extent[0] = longitude;
    if (latitude < extent[1]) extent[1] = latitude;
    if (longitude > extent[2]) extent[2] = longitude;
    if (latitude > extent[3]) extent[3] = latitude;
  }
  const positioned = ids.length;
  return {
    ids,
    latitudes,
    longitudes,
    levels,
    unpositioned: all - positioned,
    extent: positioned > 0 ? extent : null,
  };
}

/** Maps read their places every 10 s. */
const FRESH_MS = 10_000;
/** A scope is read for this share of the time at most. */
const LOAD_SHARE = 0.05;
/** Older places are not shown: who asks waits for new ones. */
const MAX_AGE_MS = 60_000;
const FORGOTTEN_AFTER_MS = 5 * 60_000;
/** Places of all scopes in memory; a place takes 25 bytes. */
const MOST_PLACES = 2_000_000;
/** Clusters along the longer side of a region, at most. */
const ACROSS = 24;

interface Kept {
  snapshot: PlaceSnapshot;
  loadedAt: number;
  tookMs: number;
}

export interface PlaceSnapshots {
  /** Returns the places of a scope. */
  of(scope: string): Promise<PlaceSnapshot>;
  /** Returns how many places a scope had when they were read; null if they are not in memory. */
  lastCount(scope: string): number | null;
}

/**
 * Keeps the places of large scopes in memory. To count hundreds of thousands of assets in the database takes longer than
 * everything else about a map, and each movement of the map needs another count; in memory it takes milliseconds. Places that
 * are no longer fresh are returned at once and read again meanwhile, once for all who look at them.
 *
 * @param load reads the places of a scope
 * @param now monotonic time in ms
 */
export function createPlaceSnapshots(
  load: (scope: string) => Promise<PlaceSnapshot>,
  now: () => number = () => performance.now(),
): PlaceSnapshots {
  const known = new LRUCache<string, Kept>({
    maxSize: MOST_PLACES,
    sizeCalculation: ({ snapshot }) => snapshot.ids.length + 1,
    ttl: FORGOTTEN_AFTER_MS,
    updateAgeOnGet: true,
    ttlResolution: 0,
    perf: { now },
  });
  const loading = new Map<string, Promise<PlaceSnapshot>>();

  async function read(scope: string): Promise<PlaceSnapshot> {
    const begun = now();
    const snapshot = await load(scope);
    known.set(scope, { snapshot, loadedAt: now(), tookMs: now() - begun });
    return snapshot;
  }

  function refresh(scope: string): Promise<PlaceSnapshot> {
    const running = loading.get(scope);
    if (running) return running;
    const begun = read(scope).finally(() => loading.delete(scope));
    loading.set(scope, begun);
    return begun;
  }

  return {
    lastCount: (scope) => known.peek(scope)?.snapshot.ids.length ?? null,
    async of(scope) {
      const kept = known.get(scope);
      if (!kept) return refresh(scope);
      const age = now() - kept.loadedAt;
      if (age > MAX_AGE_MS) return refresh(scope);
      // Who asks after MAX_AGE_MS is told about an error.
      if (age > Math.max(FRESH_MS, kept.tookMs / LOAD_SHARE)) refresh(scope).catch(() => undefined);
      return kept.snapshot;
    },
  };
}

/** Returns the ids of the assets in a region, or null if there are more than `most`. */
export function idsIn(
  { ids, latitudes, longitudes }: PlaceSnapshot,
  bounds: Bounds,
  most: number,
): number[] | null {
  const [west, south, east, north] = bounds;
  const isAcross = west > east;
  const found: number[] = [];
  for (let i = 0; i < ids.length; i++) {
    const latitude = latitudes[i] as number;
    if (latitude < south || latitude > north) continue;
    const longitude = longitudes[i] as number;
    if (isAcross ? longitude < west && longitude > east : longitude < west || longitude > east) continue;
    if (found.length === most) return null;
    found.push(ids[i] as number);
  }
  return found;
}

/**
 * Groups the assets of a region by the cells of a grid. Cells at the edges of the region are whole, so that clusters stay the
 * same while a map is moved.
 */
export function clustersIn(snapshot: PlaceSnapshot, bounds: Bounds): MapCluster[] {
  const [west, south, east, north] = bounds;
  const size = clusterSize(bounds);
  const firstRow = Math.floor(south / size);
  const firstColumn = Math.floor(west / size);
  const rows = Math.floor(north / size) - firstRow + 1;
  // Across the antimeridian, longitudes go on beyond 180°.
  const isAcross = west > east;
  const columns = Math.floor((isAcross ? east + 360 : east) / size) - firstColumn + 1;
  const cells = new Cells(rows * columns);
  const { ids, latitudes, longitudes, levels } = snapshot;
  for (let i = 0; i < ids.length; i++) {
    const row = Math.floor((latitudes[i] as number) / size) - firstRow;
    if (row < 0 || row >= rows) continue;
    let longitude = longitudes[i] as number;
    if (isAcross && longitude < firstColumn * size) longitude += 360;
    const column = Math.floor(longitude / size) - firstColumn;
    if (column < 0 || column >= columns) continue;
    cells.add(row * columns + column, latitudes[i] as number, longitude, levels[i] as number);
  }
  return cells.clusters();
}

/** Sums of the cells of a grid. */
class Cells {
  private readonly counts: Int32Array;
  private readonly latitudes: Float64Array;
  private readonly longitudes: Float64Array;
  private readonly levels: Uint8Array;

  constructor(length: number) {
    this.counts = new Int32Array(length);
    this.latitudes = new Float64Array(length);
    this.longitudes = new Float64Array(length);
    this.levels = new Uint8Array(length);
  }

  add(cell: number, latitude: number, longitude: number, level: number): void {
    (this.counts[cell] as number)++;
    (this.latitudes[cell] as number) += latitude;
    (this.longitudes[cell] as number) += longitude;
    if (level > (this.levels[cell] as number)) this.levels[cell] = level;
  }

  clusters(): MapCluster[] {
    const found: MapCluster[] = [];
    for (const [cell, count] of this.counts.entries()) {
      if (count === 0) continue;
      const longitude = (this.longitudes[cell] as number) / count;
      found.push({
        latitude: (this.latitudes[cell] as number) / count,
        longitude: longitude > 180 ? longitude - 360 : longitude,
        count,
        level: this.levels[cell] as number,
      });
    }
    return found;
  }
}

/** A size that stays the same while a map is panned, so that clusters do not change: a power of two of a degree. */
function clusterSize([west, south, east, north]: Bounds): number {
  const width = east >= west ? east - west : east + 360 - west;
  const size = Math.max(width, north - south, 1e-6) / ACROSS;
  return 2 ** Math.ceil(Math.log2(size));
}
