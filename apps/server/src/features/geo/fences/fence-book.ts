import { type FenceShape, prepareFence } from '@isotherm/domain/geo/fence';
import type { FenceVersion } from '@isotherm/domain/geo/fence-judge';
import type { Place } from '@isotherm/domain/geo/geo';
import Flatbush from 'flatbush';
import { createCache } from '../../../platform/cache/cache.ts';
import type { Invalidations } from '../../../platform/cache/invalidations.ts';
import type { Db } from '../../../platform/db/pool.ts';
import { listFencedPaths, listVersions } from './judging.repo.ts';

/** All versions of the geofences that apply to the assets of an organisation. */
export interface AppliedFences {
  /** The versions whose box contains one of these places, and those with these ids, as far as they apply. */
  at(places: readonly Place[], versionIds: readonly number[]): readonly FenceVersion[];
}

/** The geofences that apply to the assets of each organisation. */
export interface FenceBook {
  /** Paths of the organisations that have geofences; almost always without a query. */
  fencedPaths(db: Db): Promise<readonly string[]>;
  /** What applies to assets of these organisations; organisations without any are absent. */
  of(db: Db, paths: readonly string[]): Promise<Map<string, AppliedFences>>;
}

/** The versions of the geofences of one organisation. */
interface OwnFences {
  all: AppliedFences;
  /** Those that organisations below use as well. */
  shared: AppliedFences;
}

const MAX_ORGANIZATIONS = 2_000;
const ALL = 'all';
const MINUTE_MS = 60_000;

/**
 * Creates the cache of prepared geofences. Fences change rarely and are needed for every batch with positions. They are kept by the
 * organisation that owns them, so that thousands of organisations below one share its index.
 */
export function createFenceBook(invalidations: Invalidations): FenceBook {
  const fenced = createCache<string, readonly string[], Db>({
    invalidations,
    topic: 'fences',
    max: 1,
    load: async (_, db) => new Map([[ALL, await listFencedPaths(db)]]),
  });
  const owned = createCache<string, OwnFences, Db>({
    invalidations,
    topic: 'fences',
    max: MAX_ORGANIZATIONS,
    load: (paths, db) => load(db, paths),
  });
  const fencedPaths = async (db: Db) => (await fenced.many([ALL], db)).get(ALL) ?? [];
  return {
    fencedPaths,
    async of(db, paths) {
      const owners = await fencedPaths(db);
      const ownersOf = new Map(paths.map((path) => [path, owners.filter((owner) => path.startsWith(owner))]));
      const fences = await owned.many(new Set([...ownersOf.values()].flat()), db);
      return new Map(
        [...ownersOf]
          .map(([path, above]): [string, AppliedFences[]] => [
            path,
            above.flatMap((owner) => {
              const own = fences.get(owner);
              return own ? [owner === path ? own.all : own.shared] : [];
            }),
          ])
          .filter(([, indexes]) => indexes.length > 0)
          .map(([path, indexes]) => [path, together(indexes)]),
      );
    },
  };
}

const together = (indexes: readonly AppliedFences[]): AppliedFences => ({
  at: (places, versionIds) => indexes.flatMap((index) => index.at(places, versionIds)),
});

async function load(db: Db, paths: readonly string[]): Promise<Map<string, OwnFences>> {
  const found = new Map<string, { all: FenceVersion[]; shared: FenceVersion[] }>();
  for (const row of await listVersions(db, paths)) {
    const version = {
      id: row.id,
      fenceId: row.geofence_id,
      from: row.valid_from,
      until: row.valid_until ?? Number.POSITIVE_INFINITY,
      marginM: row.margin_m,
      dwellMs: row.dwell_minutes === null ? null : row.dwell_minutes * MINUTE_MS,
      fence: prepareFence(row.shape as FenceShape, row.margin_m),
    };
    const own = found.get(row.path) ?? { all: [], shared: [] };
    found.set(row.path, own);
    own.all.push(version);
    if (row.shared) own.shared.push(version);
  }
  return new Map(
    [...found].map(([path, { all, shared }]) => [path, { all: indexOf(all), shared: indexOf(shared) }]),
  );
}

/**
 * Finds versions by place with an index, because a vehicle is near few of the thousands of geofences that an organisation may
 * have.
 */
export function indexOf(versions: readonly FenceVersion[]): AppliedFences {
  if (versions.length === 0) return { at: () => [] };
  const byId = new Map(versions.map((version) => [version.id, version]));
  const boxes = new Flatbush(versions.length);
  for (const { fence } of versions) boxes.add(fence.west, fence.south, fence.east, fence.north);
  boxes.finish();
  return {
    at(places, versionIds) {
      const found = new Set<FenceVersion>();
      for (const id of versionIds) {
        const version = byId.get(id);
        if (version) found.add(version);
      }
      // A box across the antimeridian ends beyond 180 degrees.
      for (const { longitude, latitude } of places)
        for (const x of [longitude, longitude + 360])
          for (const index of boxes.search(x, latitude, x, latitude))
            found.add(versions[index] as FenceVersion);
      return [...found];
    },
  };
}
