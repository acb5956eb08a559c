const ZERO_CELSIUS_K = 273.15;
/** Gas constant, kJ/(mol K) (USP <1160>). */
const GAS_KJ = 0.0083144;
const DAY_MS = 86_400_000;

/** Window for products that are stored cold (USP <1079.2>, controlled cold temperature). */
export const COLD_WINDOW_MS = DAY_MS;
/** Window for products that are stored at room temperature (USP <1079.2>, controlled room temperature). */
export const ROOM_WINDOW_MS = 30 * DAY_MS;
/** Upper limit of a cool place (USP <659>), °C: what may be warmer is stored at room temperature. */
const COOL_UP_TO_C = 15;

/** A value with the time for which it counts. */
export interface TimedValue {
  /** Epoch ms. */
  from: number;
  ms: number;
  /** °C. */
  value: number;
}

/** The highest mean kinetic temperature of all windows of a length, and the window in which it was. */
export interface MktWindow {
  /** Length of the window: the rule, also if the trip is shorter. */
  windowMs: number;
  /** Mean kinetic temperature, °C. */
  value: number;
  from: number;
  to: number;
  /** Number of readings that count in the window. */
  readings: number;
}

/** Returns the window of the mean kinetic temperature for a product with this upper limit. */
export const mktWindowMs = ({ temperatureHigh }: { temperatureHigh: number }): number =>
  temperatureHigh <= COOL_UP_TO_C ? COLD_WINDOW_MS : ROOM_WINDOW_MS;

/** Relative speed of degradation; 0 at absolute zero and for impossible values below it. */
const rateOf = (celsius: number, kelvin: number): number =>
  celsius > -ZERO_CELSIUS_K ? Math.exp(-kelvin / (celsius + ZERO_CELSIUS_K)) : 0;

/**
 * Returns the mean kinetic temperature in °C with the activation energy of a product, weighted by time (USP
 * <1079.2>); null without time. It is rounded to a millionth, so that a constant temperature is its own mean and equals a limit.
 */
export function weightedMkt(
  values: ArrayLike<number>,
  weights: ArrayLike<number>,
  activationKj: number,
): number | null {
  const kelvin = activationKj / GAS_KJ;
  let total = 0;
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    const weight = weights[i] as number;
    total += weight;
    sum += weight * rateOf(values[i] as number, kelvin);
  }
  if (total === 0) return null;
  return Math.round((kelvin / -Math.log(sum / total) - ZERO_CELSIUS_K) * 1e6) / 1e6;
}

/**
 * Returns the highest mean kinetic temperature in any window of a length within a period, weighted by time; the first window if
 * several are equal. A window may begin at any moment, so that the one around an excursion is among them, whether it ends, begins or
 * lies in the middle of it. A period that is shorter than the window is one window. Time without values does not count. Null
 * without time. `values` are in order of time and do not overlap.
 */
export function highestMkt(
  values: readonly TimedValue[],
  { from, to }: { from: number; to: number },
  windowMs: number,
  activationKj: number,
): MktWindow | null {
  const length = Math.min(windowMs, to - from);
  const start = worstStart(values, { from, to: to - length }, length, activationKj / GAS_KJ);
  if (start === null) return null;
  const end = start + length;
  const inside = values.flatMap(({ from: begin, ms, value }) => {
    const overlap = Math.min(begin + ms, end) - Math.max(begin, start);
    return overlap > 0 ? [{ value, ms: overlap }] : [];
  });
  const value = weightedMkt(
    inside.map((each) => each.value),
    inside.map(({ ms }) => ms),
    activationKj,
  ) as number;
  return { windowMs, value, from: start, to: end, readings: inside.length };
}

/** Differences of sums are not exact: a later window must be worse by more than this. */
const NOISE = 1e-9;

/**
 * Returns the start of the window with the highest mean rate; null without time. Between two moments at which a value enters or
 * leaves the window, the mean rate is a quotient of two linear functions and has no maximum, so that only these moments count.
 */
function worstStart(
  values: readonly TimedValue[],
  { from, to }: { from: number; to: number },
  length: number,
  kelvin: number,
): number | null {
  const edges = values.flatMap(({ from: begin, ms }) => [begin, begin + ms]);
  const starts = Float64Array.from([from, to, ...edges, ...edges.map((edge) => edge - length)])
    .filter((start) => start >= from && start <= to)
    .sort();
  const [atStart, atEnd] = [sumsOf(values, kelvin), sumsOf(values, kelvin)];
  let worst: { start: number; rate: number } | null = null;
  for (const start of starts) {
    const [before, until] = [atStart(start), atEnd(start + length)];
    const ms = until.ms - before.ms;
    if (ms <= 0) continue;
    const rate = (until.rate - before.rate) / ms;
    if (worst === null || rate > worst.rate * (1 + NOISE)) worst = { start, rate };
  }
  return worst?.start ?? null;
}

/** Returns a function that gives the time and the rate until a moment; it must be called with rising moments. */
function sumsOf(
  values: readonly TimedValue[],
  kelvin: number,
): (moment: number) => { ms: number; rate: number } {
  let next = 0;
  let ms = 0;
  let rate = 0;
  return (moment) => {
    for (; next < values.length; next++) {
      const { from, ms: lasts, value } = values[next] as TimedValue;
      if (from + lasts > moment) {
        const part = Math.max(0, moment - from);
        return { ms: ms + part, rate: rate + part * rateOf(value, kelvin) };
      }
      ms += lasts;
      rate += lasts * rateOf(value, kelvin);
    }
    return { ms, rate };
  };
}
