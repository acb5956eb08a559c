import { distanceM } from '@isotherm/domain/geo/geo';
import type { Waypoint } from './road.ts';

const STEP_S = 10;

/** Activities of a vehicle during its round trip as a table. It depends only on route and period. */
export interface Timetable {
  /**
   * Duration of a round trip including rest. It is a divisor of the day, so that all mornings are similar.
   */
  periodS: number;
  latitude: Float64Array;
  longitude: Float64Array;
  speedKmh: Float32Array;
  /** Whether the engine or the mains (shore power) drives the refrigeration unit. */
  unitPowered: Uint8Array;
  engineOn: Uint8Array;
  doorOpen: Uint8Array;
}

export interface VehicleMoment {
  latitude: number;
  longitude: number;
  speedKmh: number;
  unitPowered: boolean;
  engineOn: boolean;
  doorOpen: boolean;
}

/**
 * Simulates a drive along the route and back, with stops on the way out. Then the vehicle rests at the depot
 * on mains power until the next round trip.
 */
export function buildTimetable(route: readonly Waypoint[], periodHours: number): Timetable {
  const rows: (VehicleMoment & { at: number })[] = [];
  const push = (moment: VehicleMoment) => rows.push({ ...moment, at: rows.length });
  const first = route[0];
  if (!first) throw new Error('a route needs points');
  const parked = { latitude: first.latitude, longitude: first.longitude, speedKmh: 0, engineOn: false };

  // Loading at the dock: the vehicle is plugged in, and its doors are open for a while, closed off by the
  // dock seal.
  for (let s = 0; s < 40 * 60; s += STEP_S) {
    push({ ...parked, unitPowered: true, doorOpen: s >= 600 && s < 780 });
  }
  const legs = [
    ...route,
    ...route
      .slice(0, -1)
      .reverse()
      .map((point) => withoutStop(point)),
  ];
  let speed = 0;
  for (const stretch of stretchesOf(legs)) {
    const { points, lengthKm } = stretch;
    let gone = 0;
    while (gone < lengthKm) {
      const wave = 1 + 0.06 * Math.sin(rows.length / 17) + 0.04 * Math.sin(rows.length / 5.3);
      // The speed is limited by the braking distance at about 0.3 m/s².
      const brake = Math.max(9, 88 * Math.sqrt(lengthKm - gone));
      const wanted = Math.min(placeOn(stretch, gone).cruiseKmh * wave, brake);
      speed += Math.max(-18, Math.min(11, wanted - speed));
      gone = Math.min(lengthKm, gone + (speed * STEP_S) / 3600);
      const { latitude, longitude } = placeOn(stretch, gone);
      push({ latitude, longitude, speedKmh: speed, unitPowered: true, engineOn: true, doorOpen: false });
    }
    const to = points.at(-1) as Waypoint;
    if (to.stop) {
      const seconds = to.stop.minutes * 60;
      for (let s = 0; s < seconds; s += STEP_S) {
        // Unloading: the engine is off, and the door is open for two loads.
        const doorOpen =
          to.stop.unloads && ((s >= 180 && s < 330) || (s >= seconds / 2 + 60 && s < seconds / 2 + 180));
        push({
          latitude: to.latitude,
          longitude: to.longitude,
          speedKmh: 0,
          unitPowered: !to.stop.unloads,
          engineOn: !to.stop.unloads,
          doorOpen,
        });
      }
      speed = 0;
    }
  }
  const periodS = periodHours * 3600;
  if (rows.length * STEP_S > periodS) {
    throw new Error(
      `the round takes ${((rows.length * STEP_S) / 3600).toFixed(1)} h, more than ${periodHours} h`,
    );
  }
  while (rows.length * STEP_S < periodS) push({ ...parked, unitPowered: true, doorOpen: false });
  return {
    periodS,
    latitude: Float64Array.from(rows, (row) => row.latitude),
    longitude: Float64Array.from(rows, (row) => row.longitude),
    speedKmh: Float32Array.from(rows, (row) => row.speedKmh),
    unitPowered: Uint8Array.from(rows, (row) => Number(row.unitPowered)),
    engineOn: Uint8Array.from(rows, (row) => Number(row.engineOn)),
    doorOpen: Uint8Array.from(rows, (row) => Number(row.doorOpen)),
  };
}

/** A part of a road without stops; its last point is a stop or the end. */
interface Stretch {
  points: readonly Waypoint[];
  /** Distance of each point from the first one. */
  alongKm: readonly number[];
  lengthKm: number;
}

function stretchesOf(road: readonly Waypoint[]): Stretch[] {
  const stretches: Stretch[] = [];
  let first = 0;
  for (let i = 1; i < road.length; i++) {
    if (!road[i]?.stop && i + 1 < road.length) continue;
    const points = road.slice(first, i + 1);
    let along = 0;
    const alongKm = points.map((point, at) => {
      if (at > 0) along += distanceM(points[at - 1] as Waypoint, point) / 1000;
      return along;
    });
    stretches.push({ points, alongKm, lengthKm: along });
    first = i;
  }
  return stretches;
}

/** The place on a stretch after a distance, and the usual speed there. */
function placeOn({ points, alongKm }: Stretch, km: number): Omit<Waypoint, 'stop'> {
  // Binary search for the last point that was passed.
  let [low, high] = [0, points.length - 2];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((alongKm[middle] as number) <= km) low = middle;
    else high = middle - 1;
  }
  const [from, to] = [points[low] as Waypoint, points[low + 1] as Waypoint];
  const length = (alongKm[low + 1] as number) - (alongKm[low] as number);
  const f = length === 0 ? 1 : (km - (alongKm[low] as number)) / length;
  return {
    latitude: from.latitude + (to.latitude - from.latitude) * f,
    longitude: from.longitude + (to.longitude - from.longitude) * f,
    cruiseKmh: from.cruiseKmh,
  };
}

function withoutStop(point: Waypoint): Waypoint {
  return { latitude: point.latitude, longitude: point.longitude, cruiseKmh: point.cruiseKmh };
}

/**
 * Returns position and activity of the vehicle. `startHour` is the local time at which its round trip
 * starts.
 */
export function vehicleAt(table: Timetable, startHour: number, localMs: number): VehicleMoment {
  const seconds = localMs / 1000 - startHour * 3600;
  const inRound = ((seconds % table.periodS) + table.periodS) % table.periodS;
  const exact = inRound / STEP_S;
  const i = Math.floor(exact);
  const last = table.latitude.length - 1;
  const next = Math.min(last, i + 1);
  const f = exact - i;
  const mix = (values: Float64Array | Float32Array) => values[i]! + (values[next]! - values[i]!) * f;
  return {
    latitude: mix(table.latitude),
    longitude: mix(table.longitude),
    speedKmh: Math.max(0, mix(table.speedKmh)),
    unitPowered: table.unitPowered[i] === 1,
    engineOn: table.engineOn[i] === 1,
    doorOpen: table.doorOpen[i] === 1,
  };
}
