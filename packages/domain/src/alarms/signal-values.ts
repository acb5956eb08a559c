import { firstAtOrAfter, type Series } from '../readings/series.ts';
import type { LimitRule } from './alarm-machine.ts';
import { isUpper } from './catalogue.ts';
import type { Bounds, OtherChannel, Signal } from './signal.ts';

/** Readings of other channels, by channel id. */
export type OtherReadings = ReadonlyMap<number, Series>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/**
 * A forecast needs a trend: at least this number of readings, and a straight line that explains at least
 * this share of the variance (R²).
 */
export const FORECAST_READINGS = 4;
export const FORECAST_CONFIDENCE = 0.8;
/** Factor for rounding to three decimals, which removes floating-point noise. */
const DECIMALS = 1_000;

const rounded = (value: number) => Math.round(value * DECIMALS) / DECIMALS;
const isWithin = ({ low, high }: Bounds, value: number) =>
  (low === null || value >= low) && (high === null || value <= high);

/** How far before a reading other readings influence its compared value, in ms. */
export function signalReachMs({ signal, gapAllowanceMs }: LimitRule): number {
  if (!signal) return 0;
  const ages = (signal.and ?? []).map(({ maxAgeMs }) => maxAgeMs);
  if ('maxAgeMs' in signal) return Math.max(signal.maxAgeMs, ...ages);
  // A span between two readings that began before the window counts in part. It is never longer than the gap
  // allowance.
  return Math.max(signal.windowMs + gapAllowanceMs, ...ages);
}

/** The longest time for which a reading influences later values of any of the rules, in ms. */
export function reachOf(rules: Iterable<LimitRule>): number {
  let reach = 0;
  for (const rule of rules) reach = Math.max(reach, signalReachMs(rule), rule.defrost?.delayMs ?? 0);
  return reach;
}

/** The other channels whose readings the rules need. */
export function otherChannelsOf(rules: Iterable<LimitRule>): Set<number> {
  const ids = new Set<number>();
  for (const { signal, defrost } of rules) {
    if (signal && 'otherChannelId' in signal) ids.add(signal.otherChannelId);
    for (const { otherChannelId } of signal?.and ?? []) ids.add(otherChannelId);
    if (defrost && defrost.channelId !== null) ids.add(defrost.channelId);
  }
  return ids;
}

/**
 * The values that a rule compares, for the readings from index `from` on. The readings before `from` must
 * cover at least the time `signalReachMs`.
 */
export function signalValues(
  rule: LimitRule,
  readings: Series,
  from: number,
  others: OtherReadings,
): Float64Array {
  const { signal } = rule;
  if (!signal) return readings.value.subarray(from);
  const values = ownValues(rule, signal, readings, from, others);
  for (const condition of signal.and ?? []) {
    const other = others.get(condition.otherChannelId);
    for (let i = from; i < readings.at.length; i++)
      if (!mayBeMet(condition, other, readings.at[i] as number)) values[i - from] = unreached(rule);
  }
  return values;
}

/** A value with which the limit of the rule is not reached. */
const unreached = ({ kind }: LimitRule) =>
  isUpper(kind) ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;

/** False if a condition about another channel is not met. If its value is unknown, no alarm must be missed. */
function mayBeMet(condition: OtherChannel & Bounds, other: Series | undefined, at: number): boolean {
  const value = other ? latestOf(other, at, condition.maxAgeMs) : null;
  return value === null || isWithin(condition, value);
}

/** The values of a signal without its further conditions. */
function ownValues(
  rule: LimitRule,
  signal: Signal,
  readings: Series,
  from: number,
  others: OtherReadings,
): Float64Array {
  switch (signal.type) {
    case 'rate':
      return rates(signal.windowMs, readings, from);
    case 'outside-time':
      return outsideMinutes(signal, rule.gapAllowanceMs, readings, from);
    case 'outside-count':
      return outsideCounts(signal, rule.gapAllowanceMs, readings, from);
    case 'forecast':
      return forecasts(signal, readings, from);
    default:
      return compared(rule, signal, readings, from, others.get(signal.otherChannelId));
  }
}

function rates(windowMs: number, { at, value }: Series, from: number): Float64Array {
  const out = new Float64Array(at.length - from);
  let oldest = 0;
  for (let i = from; i < at.length; i++) {
    const now = at[i] as number;
    while ((at[oldest] as number) < now - windowMs) oldest++;
    const elapsed = now - (at[oldest] as number);
    // If the readings cover less than half of the window, the rate is unknown, because the noise of the
    // sensor would look like a change.
    const change = (value[i] as number) - (value[oldest] as number);
    out[i - from] = elapsed * 2 < windowMs ? Number.NaN : rounded((change * HOUR_MS) / elapsed);
  }
  return out;
}

function outsideMinutes(
  signal: Bounds & { windowMs: number },
  gapAllowanceMs: number,
  { at, value }: Series,
  from: number,
): Float64Array {
  const out = new Float64Array(at.length - from);
  /** Time outside the bounds between the readings `i - 1` and `i`, counted only after `begin`. */
  const spanMs = (i: number, begin: number) => {
    const start = at[i - 1] as number;
    const end = at[i] as number;
    if (end - start > gapAllowanceMs) return 0;
    if (isWithin(signal, value[i - 1] as number) || isWithin(signal, value[i] as number)) return 0;
    return Math.max(0, end - Math.max(start, begin));
  };
  /**
   * Index of the reading that ends the first span within the window. This span may lie only partly in the
   * window.
   */
  let first = 1;
  let total = 0;
  for (let i = 1; i < at.length; i++) {
    const begin = (at[i] as number) - signal.windowMs;
    total += spanMs(i, Number.NEGATIVE_INFINITY);
    while (first < i && (at[first] as number) <= begin) total -= spanMs(first++, Number.NEGATIVE_INFINITY);
    if (i < from) continue;
    const before = spanMs(first, Number.NEGATIVE_INFINITY) - spanMs(first, begin);
    out[i - from] = (total - before) / MINUTE_MS;
  }
  return out;
}

function outsideCounts(
  signal: Bounds & { windowMs: number },
  gapAllowanceMs: number,
  { at, value }: Series,
  from: number,
): Float64Array {
  const out = new Float64Array(at.length - from);
  const leaves = (i: number) => {
    if (isWithin(signal, value[i] as number)) return false;
    const isAfterGap = i === 0 || (at[i] as number) - (at[i - 1] as number) > gapAllowanceMs;
    return isAfterGap || isWithin(signal, value[i - 1] as number);
  };
  let first = 0;
  let count = 0;
  for (let i = 0; i < at.length; i++) {
    const begin = (at[i] as number) - signal.windowMs;
    if (leaves(i)) count++;
    for (; (at[first] as number) <= begin; first++) if (leaves(first)) count--;
    if (i >= from) out[i - from] = count;
  }
  return out;
}

function forecasts(
  { windowMs, horizonMs }: { windowMs: number; horizonMs: number },
  readings: Series,
  from: number,
): Float64Array {
  const { at } = readings;
  const out = new Float64Array(at.length - from);
  let oldest = 0;
  for (let i = from; i < at.length; i++) {
    while ((at[oldest] as number) < (at[i] as number) - windowMs) oldest++;
    const isLong = ((at[i] as number) - (at[oldest] as number)) * 2 >= windowMs;
    out[i - from] =
      isLong && i - oldest + 1 >= FORECAST_READINGS ? trendAt(readings, oldest, i, horizonMs) : Number.NaN;
  }
  return out;
}

/**
 * Extrapolates the straight line (least squares) through the readings `from` to `to` by `horizonMs` after
 * the last one. NaN if the readings do not follow a straight line.
 */
export function trendAt({ at, value }: Series, from: number, to: number, horizonMs: number): number {
  const count = to - from + 1;
  // Each window is summed separately and relative to its last reading, so that the result does not depend on
  // where the series begins.
  const origin = at[to] as number;
  let sumT = 0;
  let sumV = 0;
  for (let i = from; i <= to; i++) {
    sumT += ((at[i] as number) - origin) / HOUR_MS;
    sumV += value[i] as number;
  }
  const meanT = sumT / count;
  const meanV = sumV / count;
  let covariance = 0;
  let varianceT = 0;
  let varianceV = 0;
  for (let i = from; i <= to; i++) {
    const t = ((at[i] as number) - origin) / HOUR_MS - meanT;
    const v = (value[i] as number) - meanV;
    covariance += t * v;
    varianceT += t * t;
    varianceV += v * v;
  }
  if (covariance * covariance < FORECAST_CONFIDENCE * varianceT * varianceV) return Number.NaN;
  const slope = covariance / varianceT;
  return rounded(meanV + slope * (horizonMs / HOUR_MS - meanT));
}

function compared(
  rule: LimitRule,
  signal: Extract<Signal, OtherChannel>,
  { at, value }: Series,
  from: number,
  other: Series | undefined,
): Float64Array {
  const out = new Float64Array(at.length - from);
  for (let i = from; i < at.length; i++) {
    const own = value[i] as number;
    if (signal.type === 'while') {
      out[i - from] = mayBeMet(signal, other, at[i] as number) ? own : unreached(rule);
      continue;
    }
    const counterpart = other ? latestOf(other, at[i] as number, signal.maxAgeMs) : null;
    out[i - from] = counterpart === null ? Number.NaN : rounded(Math.abs(own - counterpart));
  }
  return out;
}

function latestOf({ at, value }: Series, moment: number, maxAgeMs: number): number | null {
  const index = firstAtOrAfter(at, moment + 1) - 1;
  return index >= 0 && (at[index] as number) >= moment - maxAgeMs ? (value[index] as number) : null;
}
