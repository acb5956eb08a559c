import { AppError } from '@isotherm/contracts/errors';
import { getTripRoute, type TripRoute } from '@isotherm/contracts/waybills';
import { can } from '@isotherm/domain/access/can';
import type { Place } from '@isotherm/domain/geo/geo';
import { isSameTour, stopsBefore } from '@isotherm/domain/waybills/tour-stops';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import { loadTripTrack } from '../../geo/index.ts';
import { listTripFences, type TripFence } from '../arrival/arrival.repo.ts';
import { middleOf, nearestOf } from '../arrival/places.ts';
import type { Routing } from '../arrival/routing.ts';
import { listTour } from '../tours/tours.repo.ts';
import { shownLegs } from '../waybills/trip-record.ts';
import { findWaybill, readTrip, type WaybillRow } from '../waybills/waybills.repo.ts';

/** Mounts the routes of waybills for a map: the planned and the actual one. */
export function mountTripRoute(
  mount: Mount,
  { pool, clock, routing }: { pool: pg.Pool; clock: Clock; routing: Pick<Routing, 'routeWithGeometry'> },
): void {
  mount(getTripRoute, async ({ caller, params: { id } }) => {
    const row = await findWaybill(pool, caller.scope, id);
    if (!row) throw new AppError('waybill.not_found');
    const legs = await legsOf(row);
    const seesSpeed = can(caller.permissions, 'map-replay:view');
    const tour = (await listTour(pool, row, null))
      .filter((each) => isSameTour(timesOf(row), timesOf(each)))
      .map((each) => ({ ...each, plannedAt: each.plannedDeliveryAt?.getTime() ?? null }));
    const before = stopsBefore(tour, id).map((each) => each.id);
    const fences = await listTripFences(pool, [...before, id]);
    return {
      planned: await plannedOf(fences, [...before, id], firstOf(legs)),
      fences: fences
        .filter(({ waybillId }) => waybillId === id)
        .map(({ id: fenceId, name, role, shape }) => ({ id: fenceId, name, role, shape })),
      // The page shows where the goods were; how fast somebody drove is for those who may see the replay.
      legs: seesSpeed ? legs : legs.map((leg) => ({ ...leg, speedKmh: leg.speedKmh.map(() => null) })),
    };
  });

  async function legsOf(row: WaybillRow): Promise<TripRoute['legs']> {
    if (row.departedAt === null) return [];
    const { legs } = await readTrip(pool, row.id);
    const { departedAt, endedAt } = row;
    const shown: TripRoute['legs'] = [];
    for (const { assetId, assetName, from, to } of shownLegs(legs, { departedAt, endedAt }, clock.now())) {
      const track = await loadTripTrack(pool, assetId, new Date(from), new Date(to));
      shown.push({ ...track, assetId, assetName, from, to });
    }
    return shown;
  }

  /** The route over the geofences of these waybills, the last of which is the one that is shown. */
  async function plannedOf(
    fences: readonly TripFence[],
    ids: readonly number[],
    firstFix: Place | null,
  ): Promise<TripRoute['planned']> {
    const own = ids.at(-1);
    const placesOf = (id: number, role: 'departure' | 'arrival') =>
      fences
        .filter((fence) => fence.waybillId === id && fence.role === role)
        .map(({ shape }) => middleOf(shape));
    const [start = firstFix] = own === undefined ? [] : placesOf(own, 'departure');
    const stops = ids.map((id) => placesOf(id, 'arrival'));
    if (!start || stops.at(-1)?.length === 0) return null;
    const places = [
      start,
      ...nearestOf(
        start,
        stops.filter((each) => each.length > 0),
      ),
    ];
    const route = await routing.routeWithGeometry(places);
    return route && route.places.length > 1
      ? { by: 'route', places: route.places }
      : { by: 'straight-line', places };
  }
}

/** The first known position of a trip. */
function firstOf(legs: TripRoute['legs']): Place | null {
  const leg = legs.find(({ at }) => at.length > 0);
  return leg ? { latitude: leg.latitude[0] as number, longitude: leg.longitude[0] as number } : null;
}

const timesOf = ({ departedAt, endedAt }: Pick<WaybillRow, 'departedAt' | 'endedAt'>) => ({
  departedAt: departedAt?.getTime() ?? null,
  endedAt: endedAt?.getTime() ?? null,
});
