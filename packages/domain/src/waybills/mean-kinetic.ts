import { kineticRate, temperatureOfRate } from '../readings/mean-kinetic.ts';

/**
 * Share of a window that readings must cover so that it counts. After a long gap, a single reading would otherwise be the mean of
 * a whole window and decide about the goods; the time that is missing is judged by the coverage of the trip.
 */
const LEAST_COVERAGE = 0.5;

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
  /** Share of the window that readings cover, 0 to 1. */
  coverage: number;
}

/**
 * Returns the mean kinetic temperature in °C with the activation energy of a product, weighted by time (USP
 * <1079.2>); null without time. It is rounded to a millionth, so that a constant temperature is its own mean and equals a limit.
 */
export function weightedMkt(
  values: ArrayLike<number>,
  weights: ArrayLike<number>,
  activationKj: number,
): number | null {
  let total = 0;
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    const weight = weights[i] as number;
    total += weight;
    sum += weight * kineticRate(values[i] as number, activationKj);
  }
  if (total === 0) return null;
  return Math.round(temperatureOfRate(sum / total, activationKj) * 1e6) / 1e6;
}

/**
 * Returns the highest mean kinetic temperature in any window of a length within a period, weighted by time; the first window if
 * several are equal. A window may begin at any moment, so that the one around an excursion is among them, whether it ends, begins or
 * lies in the middle of it. The period ends when the last value does; if it is shorter than the window, it is one window. Time without
 * values does not count, and a window counts only if values cover half of it. Null if there is none. `values` are in order of time,
 * do not overlap, and lie in the period, which begins at `from`.
 */
export function highestMkt(
  values: readonly TimedValue[],
  from: number,
  windowMs: number,
  activationKj: number,
): MktWindow | null {
  const last = values.at(-1);
  if (!last) return null;
  const to = last.from + last.ms;
  const length = Math.min(windowMs, to - from);
  const start = worstStart(values, { from, to: to - length }, length, activationKj);
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
  const coverage = inside.reduce((sum, { ms }) => sum + ms, 0) / length;
  return { windowMs, value, from: start, to: end, readings: inside.length, coverage };
}

/** Differences of sums are not exact: a later window must be worse by more than this. */
const NOISE = 1e-9;

/** What readings add up to in a window: the time that they cover, and their rates multiplied by it. */
interface WindowSums {
  start: number;
  ms: number;
  rate: number;
}

/**
 * Returns the start of the window with the highest mean rate, of those that are covered well enough; null if there is none. Between two
 * moments at which a value enters or leaves the window, covered time and sum of rates are linear: their quotient has no maximum
 * there, so that only these moments count, and those at which the covered time becomes enough or too little.
 */
function worstStart(
  values: readonly TimedValue[],
  { from, to }: { from: number; to: number },
  length: number,
  activationKj: number,
): number | null {
  const edges = values.flatMap(({ from: begin, ms }) => [begin, begin + ms]);
  const starts = Float64Array.from([from, to, ...edges, ...edges.map((edge) => edge - length)])
    .filter((start) => start >= from && start <= to)
    .sort();
  const [atStart, atEnd] = [sumsOf(values, activationKj), sumsOf(values, activationKj)];
  const enoughMs = length * LEAST_COVERAGE;
  let worst: { start: number; rate: number } | null = null;
  let last: WindowSums | null = null;
  for (const start of starts) {
    const [before, until] = [atStart(start), atEnd(start + length)];
    const sums: WindowSums = { start, ms: until.ms - before.ms, rate: until.rate - before.rate };
    for (const each of [...(last ? crossing(last, sums, enoughMs) : []), sums]) {
      if (each.ms < enoughMs) continue;
      const rate = each.rate / each.ms;
      if (worst === null || rate > worst.rate * (1 + NOISE)) worst = { start: each.start, rate };
    }
    last = sums;
  }
  return worst?.start ?? null;
}

/** The window between two others that is covered just well enough; none if both are, or neither is. */
function crossing(before: WindowSums, after: WindowSums, enoughMs: number): WindowSums[] {
  if (before.ms >= enoughMs === after.ms >= enoughMs) return [];
  const part = (enoughMs - before.ms) / (after.ms - before.ms);
  const start = before.start + part * (after.start - before.start);
  return [
    {
      // Times are whole milliseconds, on the side that is covered.
      start: after.ms > before.ms ? Math.ceil(start) : Math.floor(start),
      ms: enoughMs,
      rate: before.rate + part * (after.rate - before.rate),
    },
  ];
}

/** Returns a function that gives the time and the rate until a moment; it must be called with rising moments. */
function sumsOf(
  values: readonly TimedValue[],
  activationKj: number,
): (moment: number) => { ms: number; rate: number } {
  let next = 0;
  let ms = 0;
  let rate = 0;
  return (moment) => {
    for (; next < values.length; next++) {
      const { from, ms: lasts, value } = values[next] as TimedValue;
      if (from + lasts > moment) {
        const part = Math.max(0, moment - from);
        return { ms: ms + part, rate: rate + part * kineticRate(value, activationKj) };
      }
      ms += lasts;
      rate += lasts * kineticRate(value, activationKj);
    }
    return { ms, rate };
  };
}

/** The mean kinetic temperature that decides: the higher one of the trip and of its worst window; null without readings. */
export function decidingMkt({
  meanKinetic,
  mktWindow,
}: {
  meanKinetic: number | null;
  mktWindow: MktWindow | null;
}): { value: number; window: MktWindow | null } | null {
  if (meanKinetic === null) return null;
  return mktWindow !== null && mktWindow.value > meanKinetic
    ? { value: mktWindow.value, window: mktWindow }
    : { value: meanKinetic, window: null };
}
