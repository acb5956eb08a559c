import type { MapCluster } from '@isotherm/contracts/maps';
import { LRUCache } from 'lru-cache';
import type { Bounds, PlaceCell } from './geo.repo.ts';

/** Positions are read every 10 s by a map, so that all maps of a region share one count. */
const FRESH_MS = 10_000;
const MOST_BLOCKS = 2_000;
/** Cells along a side of a block. */
const CELLS = 16;
/** Number of clusters along the longer side of a region. */
const ACROSS = 24;

/** Returns the clusters of a region. Those at its edges are whole, also where they reach beyond it. */
export type FindClusters = (scope: string, bounds: Bounds) => Promise<MapCluster[]>;

/**
 * Divides the world into blocks of cells, and counts the assets of a block once in 10 s for all who look at it: to count
 * hundreds of thousands takes longer than everything else about a map. Panning a map reads blocks that are known.
 *
 * @param listCells counts the assets of a region by cells of a size in degrees; only west to east
 */
export function createPlaceClusters(
  listCells: (scope: string, bounds: Bounds, sizeDeg: number) => Promise<PlaceCell[]>,
): FindClusters {
  const known = new LRUCache<string, Promise<PlaceCell[]>>({ max: MOST_BLOCKS, ttl: FRESH_MS });

  function blockOf(scope: string, size: number, row: number, column: number): Promise<PlaceCell[]> {
    const key = [scope, size, row, column].join(' ');
    const stored = known.get(key);
    if (stored) return stored;
    const side = size * CELLS;
    const bounds: Bounds = [
      Math.max(-180, column * side),
      Math.max(-90, row * side),
      Math.min(180, (column + 1) * side),
      Math.min(90, (row + 1) * side),
    ];
    // The north and east edges of a block belong to the next one.
    const cells = listCells(scope, bounds, size).then((all) =>
      all.filter(
        (cell) => Math.floor(cell.row / CELLS) === row && Math.floor(cell.column / CELLS) === column,
      ),
    );
    known.set(key, cells);
    cells.catch(() => known.delete(key));
    return cells;
  }

  /** The clusters of a region that does not cross the antimeridian. */
  async function within(
    scope: string,
    size: number,
    [west, south, east, north]: Bounds,
  ): Promise<PlaceCell[]> {
    const [firstRow, lastRow] = [Math.floor(south / size), Math.floor(north / size)];
    const [firstColumn, lastColumn] = [Math.floor(west / size), Math.floor(east / size)];
    const found: PlaceCell[] = [];
    for (let row = Math.floor(firstRow / CELLS); row <= Math.floor(lastRow / CELLS); row++)
      for (let column = Math.floor(firstColumn / CELLS); column <= Math.floor(lastColumn / CELLS); column++)
        found.push(...(await blockOf(scope, size, row, column)));
    return found.filter(
      (cell) =>
        cell.row >= firstRow &&
        cell.row <= lastRow &&
        cell.column >= firstColumn &&
        cell.column <= lastColumn,
    );
  }

  return async (scope, bounds) => {
    const [west, south, east, north] = bounds;
    const size = clusterSize(bounds);
    const cells =
      west <= east
        ? await within(scope, size, bounds)
        : [
            ...(await within(scope, size, [west, south, 180, north])),
            ...(await within(scope, size, [-180, south, east, north])),
          ];
    // Almost around the world, both parts have the cells between their ends.
    const once = new Map(cells.map((cell) => [`${cell.row} ${cell.column}`, cell]));
    return [...once.values()].map(({ latitude, longitude, count, level }) => ({
      latitude,
      longitude,
      count,
      level,
    }));
  };
}

/** A size that stays the same while a map is panned, so that clusters do not change: a power of two of a degree. */
function clusterSize([west, south, east, north]: Bounds): number {
  const width = east >= west ? east - west : east + 360 - west;
  const size = Math.max(width, north - south, 1e-6) / ACROSS;
  return 2 ** Math.ceil(Math.log2(size));
}
