import { distanceM, type Place } from '../geo/geo.ts';
import type { BudgetBand, ProductLimits } from './product-profile.ts';
import { type BandUse, isInBand } from './verdict.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** An older position says nothing about where the vehicle is now. */
export const STALE_POSITION_MS = 30 * MINUTE_MS;
/** The mean speed is that of this time, including stops. */
export const SPEED_WINDOW_MS = 2 * HOUR_MS;
/** Time at each stop before. */
export const STOP_MS = 15 * MINUTE_MS;
/** Roads are longer than straight lines; used until enough of the route is known. */
const DETOUR = 1.3;
const DETOUR_AT_MOST = 2;
const KNOWN_WAY_M = 10_000;
/** A slower vehicle has not begun to drive, or is in a traffic jam whose end nobody knows. */
const SLOWEST_KMH = 5;

/** What the track of a vehicle says about its route. */
export interface DrivenWay {
  /** Length along the track and straight, m. */
  drivenM: number;
  straightM: number;
  /** Time from the first to the last position, ms. */
  ms: number;
}

export interface StraightArrival {
  /** Straight distance over all stops, m. */
  distanceM: number;
  /** Time until the arrival, ms; null if the vehicle is too slow to say. */
  ms: number | null;
}

/** Estimates the arrival by straight lines over the stops before: their length, the detour of the route so far, and the mean speed. */
export function straightArrival(from: Place, stops: readonly Place[], way: DrivenWay): StraightArrival {
  let distance = 0;
  let last = from;
  for (const stop of stops) {
    distance += distanceM(last, stop);
    last = stop;
  }
  const detour =
    way.straightM >= KNOWN_WAY_M
      ? Math.min(DETOUR_AT_MOST, Math.max(1, way.drivenM / way.straightM))
      : DETOUR;
  const speedKmh = way.ms > 0 ? way.drivenM / 1_000 / (way.ms / HOUR_MS) : 0;
  const stopsMs = Math.max(0, stops.length - 1) * STOP_MS;
  return {
    distanceM: distance,
    ms: speedKmh < SLOWEST_KMH ? null : ((distance * detour) / 1_000 / speedKmh) * HOUR_MS + stopsMs,
  };
}

/** The trend is taken from the readings of this time, and continues for at most the second one. */
export const TREND_FROM_MS = HOUR_MS;
export const TREND_FOR_MS = 2 * HOUR_MS;
/** Fewer readings have no trend. */
const FEWEST = 5;
/** How far ahead the end of the budget is looked for. */
const HORIZON_MS = 72 * HOUR_MS;
const STEP_MS = 5 * MINUTE_MS;

export interface Forecast {
  /** Expected at the arrival, °C. */
  temperatureC: number;
  /** Bands of the budget as they are expected to be used at the arrival. */
  bands: BandUse[];
  /** Whether no more than the budget is used at the arrival. */
  lasts: boolean;
  /** When the budget will be used up, epoch ms; null if not within three days. */
  lastsUntil: number | null;
}

/**
 * Forecasts the temperature and the use of the budget until the arrival, for the worst probe: the straight line through the
 * readings of the last hour continues for at most two hours, then the temperature stays. Null with too few readings.
 *
 * @param used the bands as used until now, of `judgeTrip`
 */
export function forecastBudget(
  readings: readonly (readonly [at: number, value: number])[],
  limits: ProductLimits,
  used: readonly BandUse[],
  now: number,
  arrivalAt: number,
): Forecast | null {
  const recent = readings.filter(([at]) => at > now - TREND_FROM_MS && at <= now);
  const last = recent.at(-1);
  if (!last || recent.length < FEWEST) return null;
  const slope = slopeOf(recent);
  const temperatureAt = (at: number) => last[1] + slope * Math.min(at - last[0], TREND_FOR_MS);
  const budget = limits.budget.map((band, row) => ({ band, usedMs: (used[row] as BandUse).usedMs }));
  // What was used of temperatures without a band follows the bands.
  let unbandedMs = used[limits.budget.length]?.usedMs ?? 0;
  let isExceeded = used.some((each) => each.usedMs > each.allowedMs);
  let lastsUntil = isExceeded ? now : null;
  let atArrival: Omit<Forecast, 'lastsUntil'> | null = null;
  const snapshot = (): Omit<Forecast, 'lastsUntil'> => ({
    temperatureC: temperatureAt(arrivalAt),
    bands: [
      ...budget.map(({ band, usedMs }) => ({
        low: band.low,
        high: band.high,
        allowedMs: allowedMs(band),
        usedMs,
      })),
      ...(unbandedMs > 0 ? [{ low: null, high: null, allowedMs: 0, usedMs: unbandedMs }] : []),
    ],
    lasts: !isExceeded,
  });
  for (let at = now; at < Math.max(arrivalAt, now + HORIZON_MS); at += STEP_MS) {
    if (at >= arrivalAt) atArrival ??= snapshot();
    const temperature = temperatureAt(at);
    if (temperature >= limits.temperatureLow && temperature <= limits.temperatureHigh) continue;
    const ms = at < arrivalAt ? Math.min(STEP_MS, arrivalAt - at) : STEP_MS;
    const own = budget.find(({ band }) => isInBand(temperature, band, limits));
    if (own) own.usedMs += ms;
    else unbandedMs += ms;
    if (!own || own.usedMs > allowedMs(own.band)) {
      isExceeded = true;
      lastsUntil ??= at;
    }
  }
  return { ...(atArrival ?? snapshot()), lastsUntil };
}

const allowedMs = ({ hours }: BudgetBand) => hours * HOUR_MS;

/** Slope of the straight line through readings, °C per ms (least squares). */
function slopeOf(readings: readonly (readonly [number, number])[]): number {
  const count = readings.length;
  const meanAt = readings.reduce((sum, [at]) => sum + at, 0) / count;
  const meanValue = readings.reduce((sum, [, value]) => sum + value, 0) / count;
  let above = 0;
  let below = 0;
  for (const [at, value] of readings) {
    above += (at - meanAt) * (value - meanValue);
    below += (at - meanAt) ** 2;
  }
  return above / below;
}
