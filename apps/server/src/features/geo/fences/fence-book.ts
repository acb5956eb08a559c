import { type FenceShape, prepareFence } from '@isotherm/domain/geo/fence';
import type { FenceVersion } from '@isotherm/domain/geo/fence-judge';
import { createCache } from '../../../platform/cache/cache.ts';
import type { Invalidations } from '../../../platform/cache/invalidations.ts';
import type { Db } from '../../../platform/db/pool.ts';
import { listFencedPaths, listVersions } from './judging.repo.ts';

/** The geofences that apply to the assets of each organisation, with all their versions. */
export interface FenceBook {
  /** Paths of the organisations that have geofences; almost always without a query. */
  fencedPaths(db: Db): Promise<readonly string[]>;
  /** Versions that apply to assets of these organisations; organisations without any are absent. */
  of(db: Db, paths: readonly string[]): Promise<Map<string, readonly FenceVersion[]>>;
}

const MAX_ORGANIZATIONS = 2_000;
const ALL = 'all';
const MINUTE_MS = 60_000;

/** Creates the cache of prepared geofences. Fences change rarely and are needed for every batch with positions. */
export function createFenceBook(invalidations: Invalidations): FenceBook {
  const fenced = createCache<string, readonly string[], Db>({
    invalidations,
    topic: 'fences',
    max: 1,
    load: async (_, db) => new Map([[ALL, await listFencedPaths(db)]]),
  });
  const versions = createCache<string, readonly FenceVersion[], Db>({
    invalidations,
    topic: 'fences',
    max: MAX_ORGANIZATIONS,
    load: (paths, db) => load(db, paths),
  });
  return {
    fencedPaths: async (db) => (await fenced.many([ALL], db)).get(ALL) ?? [],
    of: (db, paths) => versions.many(paths, db),
  };
}

async function load(db: Db, paths: readonly string[]): Promise<Map<string, FenceVersion[]>> {
  const found = new Map<string, FenceVersion[]>();
  // A fence of an organisation above is prepared once for all organisations below.
  const prepared = new Map<number, FenceVersion>();
  for (const row of await listVersions(db, paths)) {
    const version = prepared.get(row.id) ?? {
      id: row.id,
      fenceId: row.geofence_id,
      from: row.valid_from,
      until: row.valid_until ?? Number.POSITIVE_INFINITY,
      marginM: row.margin_m,
      dwellMs: row.dwell_minutes === null ? null : row.dwell_minutes * MINUTE_MS,
      fence: prepareFence(row.shape as FenceShape, row.margin_m),
    };
    prepared.set(row.id, version);
    const known = found.get(row.path);
    if (known) known.push(version);
    else found.set(row.path, [version]);
  }
  return found;
}
