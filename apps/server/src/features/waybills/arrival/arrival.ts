import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { ArrivalView, listWaybillArrivals } from '@isotherm/contracts/waybills';
import { distanceM, type Place } from '@isotherm/domain/geo/geo';
import {
  forecastBudget,
  SPEED_WINDOW_MS,
  STALE_POSITION_MS,
  STOP_MS,
  straightArrival,
} from '@isotherm/domain/waybills/arrival';
import { DELAY_AFTER_MS } from '@isotherm/domain/waybills/notices';
import { openBefore } from '@isotherm/domain/waybills/tour-stops';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { loadTrackLines } from '../../geo/index.ts';
import { listTour } from '../tours/tours.repo.ts';
import { type JudgedTrip, readJudgedTrip } from '../waybills/trip-record.ts';
import { findWaybill, findWaybills, readCourse, type WaybillRow } from '../waybills/waybills.repo.ts';
import { listTripFences } from './arrival.repo.ts';
import { middleOf, nearestOf } from './places.ts';
import type { Routing } from './routing.ts';

/** Arrivals of a list that are estimated at the same time. */
const AT_ONCE = 4;

/** When shipments under way will arrive, and whether their stability budget lasts until then. */
export interface Arrivals {
  /** Throws `waybill.not_found`. */
  get(caller: Caller, id: number): Promise<ArrivalView>;
  /** Arrivals of those of the waybills that are under way and in the caller's scope, without forecasts. */
  list(caller: Caller, ids: readonly number[]): Promise<ResponseOf<typeof listWaybillArrivals>>;
  /** The same for a shipment whose access was checked, with its judged trip if the caller has it. */
  read(row: WaybillRow, trip: JudgedTrip | null, now: number): Promise<ArrivalView>;
}

export function createArrivals(parts: { pool: pg.Pool; clock: Clock; routing: Routing }): Arrivals {
  const { pool, clock, routing } = parts;

  async function estimate(row: WaybillRow, now: number): Promise<Omit<ArrivalView, 'forecast' | 'isLate'>> {
    const unknown = (state: ArrivalView['state']) => ({
      state,
      at: null,
      distanceM: null,
      by: null,
      stopsBefore: 0,
      positionAt: null,
    });
    if (row.state !== 'in-transport') return unknown('not-under-way');
    const course = await readCourse(pool, row);
    const leg = course.legs.at(-1);
    if (!leg) return unknown('not-under-way');
    const { stops, before, hasDestination } = await stopsOf(pool, row);
    if (!hasDestination) return unknown('no-destination');
    const from = new Date(Math.max(leg.from, now - SPEED_WINDOW_MS));
    const { lines, distanceM: drivenM } = await loadTrackLines(pool, leg.assetId, from, new Date(now));
    const fixes = lines.flat();
    const [first, last] = [fixes[0], fixes.at(-1)];
    if (!first || !last) return unknown('no-position');
    const positionAt = new Date(last.at).toISOString();
    if (now - last.at > STALE_POSITION_MS) return { ...unknown('stale-position'), positionAt };
    const route = nearestOf(last, stops);
    const way = { drivenM, straightM: distanceM(first, last), ms: last.at - first.at };
    const straight = straightArrival(last, route, way);
    const routed = await routing.route([last, ...route]);
    const ms = routed ? routed.ms + before * STOP_MS : straight.ms;
    return {
      state: ms === null ? 'standing' : 'known',
      at: ms === null ? null : new Date(last.at + ms).toISOString(),
      distanceM: routed ? routed.distanceM : straight.distanceM,
      by: routed ? 'route' : 'straight-line',
      stopsBefore: before,
      positionAt,
    };
  }

  async function read(row: WaybillRow, trip: JudgedTrip | null, now: number): Promise<ArrivalView> {
    const estimated = await estimate(row, now);
    if (estimated.at === null) return { ...estimated, forecast: null, isLate: false };
    const arrivalAt = Date.parse(estimated.at);
    return {
      ...estimated,
      isLate: isLate(row, arrivalAt),
      forecast: forecastOf(trip ?? (await readJudgedTrip(pool, row, now)), row, now, arrivalAt),
    };
  }

  return {
    async get(caller, id) {
      const row = await findWaybill(pool, caller.scope, id);
      if (!row) throw new AppError('waybill.not_found');
      return read(row, null, clock.now());
    },
    async list(caller, ids) {
      const rows = await findWaybills(pool, caller.scope, ids);
      const now = clock.now();
      const arrivals: ResponseOf<typeof listWaybillArrivals> = [];
      // A few at a time, so that a list does not take all connections.
      for (let begin = 0; begin < rows.length; begin += AT_ONCE)
        arrivals.push(
          ...(await Promise.all(
            rows.slice(begin, begin + AT_ONCE).map(async (row) => {
              const { state, at } = await estimate(row, now);
              return { id: row.id, state, at, isLate: at !== null && isLate(row, Date.parse(at)) };
            }),
          )),
        );
      return arrivals.filter(({ state }) => state !== 'not-under-way');
    },
    read,
  };
}

const isLate = ({ plannedDeliveryAt }: WaybillRow, arrivalAt: number): boolean =>
  plannedDeliveryAt !== null && arrivalAt > plannedDeliveryAt.getTime() + DELAY_AFTER_MS;

function forecastOf(
  { record, parts }: JudgedTrip,
  { limits }: WaybillRow,
  now: number,
  arrivalAt: number,
): ArrivalView['forecast'] {
  const [worst] = record.probes;
  const part = parts[0]?.at(-1);
  if (!worst || !part) return null;
  const readings = Array.from(part.series.at, (at, row) => [at, part.series.value[row] as number] as const);
  const forecast = forecastBudget(readings, limits, worst.verdict.bands, now, Math.max(arrivalAt, now));
  return (
    forecast && {
      ...forecast,
      lastsUntil: forecast.lastsUntil === null ? null : new Date(forecast.lastsUntil).toISOString(),
    }
  );
}

/** The places of the stops before, and of the arrival, each with its alternatives. Stops without a geofence are not known. */
async function stopsOf(
  db: Db,
  row: WaybillRow,
): Promise<{ stops: Place[][]; before: number; hasDestination: boolean }> {
  const tour = (await listTour(db, row, null)).map((each) => ({
    ...each,
    plannedAt: each.plannedDeliveryAt?.getTime() ?? null,
  }));
  const before = openBefore(tour, row.id);
  const fences = await listTripFences(db, [...before.map(({ id }) => id), row.id]);
  const placesAt = (id: number) =>
    fences
      .filter(({ waybillId, role }) => waybillId === id && role === 'arrival')
      .map(({ shape }) => middleOf(shape));
  const own = placesAt(row.id);
  const stops = before.map(({ id }) => placesAt(id)).filter((places) => places.length > 0);
  return { stops: [...stops, own], before: stops.length, hasDestination: own.length > 0 };
}
