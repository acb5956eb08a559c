import { AppError } from '@isotherm/contracts/errors';
import {
  type Excursion,
  getMapOverview,
  type Lane,
  listTripExcursions,
  MAX_EXCURSIONS,
  MAX_OVERVIEW_DAYS,
  MAX_TRIPS,
} from '@isotherm/contracts/map-overview';
import type { Place } from '@isotherm/domain/geo/geo';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/pool.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import { loadPlacesAt } from '../../telemetry/index.ts';
import {
  type AssetMoment,
  type ExcursionRow,
  findTripNumber,
  listDevicesAt,
  listExcursions,
  listTrips,
  listTripExcursions as readTripExcursions,
  type TripRow,
} from './overview.repo.ts';

const DAY_MS = 86_400_000;
/** A position that is older says nothing about the place of a vehicle. */
const WITHIN_MS = 30 * 60_000;

/** Mounts the overview: where excursions happened, and how the lanes between sites are kept. */
export function mountOverview(mount: Mount, { pool, clock }: { pool: pg.Pool; clock: Clock }): void {
  mount(getMapOverview, async ({ caller, query }) => {
    const [from, to] = [new Date(query.from), new Date(query.to)];
    const length = to.getTime() - from.getTime();
    if (!(length > 0 && length <= MAX_OVERVIEW_DAYS * DAY_MS))
      throw new AppError('overview.range', { days: MAX_OVERVIEW_DAYS });
    const scope =
      query.organizationId === undefined
        ? caller.scope
        : await findOrganizationPath(pool, caller.scope, query.organizationId);
    if (scope === null) throw new AppError('organization.not_found');
    const [found, trips] = await Promise.all([
      listExcursions(pool, scope, from, to, MAX_EXCURSIONS),
      listTrips(pool, scope, from, to, MAX_TRIPS),
    ]);
    return {
      excursions: await placed(pool, found),
      totalExcursions: found[0]?.total ?? 0,
      lanes: await lanesOf(pool, trips, clock.now()),
      totalTrips: trips[0]?.total ?? 0,
    };
  });

  mount(listTripExcursions, async ({ caller, params: { id } }) => {
    const number = await findTripNumber(pool, caller.scope, id);
    if (number === null) throw new AppError('waybill.not_found');
    return { number, excursions: await placed(pool, await readTripExcursions(pool, id, MAX_EXCURSIONS)) };
  });
}

/** Excursions, each with where its asset was when it began. */
async function placed(db: Db, found: readonly ExcursionRow[]): Promise<Excursion[]> {
  const places = await placesOf(
    db,
    found.map(({ assetId, since }) => ({ assetId, at: since.getTime() })),
  );
  return found.map(
    ({ id, assetId, assetName, level, kind, indicator, since, endedAt, latitude, longitude }, index) => ({
      id,
      assetId,
      assetName,
      level,
      kind,
      indicator,
      since: since.toISOString(),
      endedAt: endedAt?.toISOString() ?? null,
      place: places[index] ?? (latitude === null || longitude === null ? null : { latitude, longitude }),
    }),
  );
}

/** Places of assets by the positions of their devices; null without one. */
async function placesOf(db: Db, moments: readonly AssetMoment[]): Promise<(Place | null)[]> {
  const devices = await listDevicesAt(db, moments);
  const found = await loadPlacesAt(
    db,
    devices.map(({ index, deviceId }) => ({ deviceId, at: (moments[index] as AssetMoment).at })),
    WITHIN_MS,
  );
  const places: (Place | null)[] = moments.map(() => null);
  for (const [order, { index }] of devices.entries()) places[index] = found[order] ?? null;
  return places;
}

/** Groups trips by their sites. A lane is drawn between the places where its newest trip began and ended. */
async function lanesOf(db: Db, trips: readonly TripRow[], now: number): Promise<Lane[]> {
  const groups = new Map<string, TripRow[]>();
  for (const trip of trips) {
    const key = JSON.stringify([trip.from, trip.to]);
    const group = groups.get(key);
    if (group) group.push(trip);
    else groups.set(key, [trip]);
  }
  const lanes = [...groups.values()].sort((one, other) => other.length - one.length);
  // The newest trip that has arrived, since one in transport is not at its destination.
  const drawn = lanes.map((group) => group.find(({ endedAt }) => endedAt !== null) ?? (group[0] as TripRow));
  const starts = await placesOf(
    db,
    drawn.map(({ firstAssetId, departedAt }) => ({ assetId: firstAssetId, at: departedAt.getTime() })),
  );
  const ends = await placesOf(
    db,
    drawn.map(({ lastAssetId, endedAt }) => ({ assetId: lastAssetId, at: endedAt?.getTime() ?? now })),
  );
  return lanes.map((group, index) => {
    const { from, to } = group[0] as TripRow;
    const hasArrived = (drawn[index] as TripRow).endedAt !== null;
    return {
      from,
      to,
      start: starts[index] ?? null,
      end: hasArrived ? (ends[index] ?? null) : null,
      trips: group.map(({ id, number, departedAt, endedAt, excursions }) => ({
        id,
        number,
        departedAt: departedAt.toISOString(),
        endedAt: endedAt?.toISOString() ?? null,
        excursions,
      })),
    };
  });
}
