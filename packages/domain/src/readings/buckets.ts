import type { Series } from './series.ts';

/**
 * Readings that are reduced to time buckets between `bounds` (ascending, one more than there are buckets).
 * Minimum and maximum are exact. `integral` (value × ms) and `coveredMs` give the time-weighted mean: each
 * reading counts until the next one, also across the boundary of its bucket, and never across a gap.
 */
export interface Buckets {
  bounds: Float64Array;
  count: Float64Array;
  min: Float64Array;
  max: Float64Array;
  /** Times of the first and the last reading. They have no meaning where `count` is 0. */
  firstAt: Float64Array;
  lastAt: Float64Array;
  integral: Float64Array;
  coveredMs: Float64Array;
  outsideMs: Float64Array;
}

export interface Limits {
  low: number;
  high: number;
}

export const NO_LIMITS: Limits = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };

/**
 * Summary of a segment of a channel's history without its readings. `min` to `lastAt` are valid if `count`
 * is above 0.
 */
export interface Summary {
  /** Start of the segment. */
  from: number;
  count: number;
  min: number;
  max: number;
  firstAt: number;
  lastAt: number;
  integral: number;
  coveredMs: number;
}

export function createBuckets(bounds: Float64Array): Buckets {
  const column = (fill = 0) => new Float64Array(bounds.length - 1).fill(fill);
  return {
    bounds,
    count: column(),
    min: column(Number.POSITIVE_INFINITY),
    max: column(Number.NEGATIVE_INFINITY),
    firstAt: column(),
    lastAt: column(),
    integral: column(),
    coveredMs: column(),
    outsideMs: column(),
  };
}

/** Returns the bounds of equal buckets at round clock times; the first bucket contains `from`. */
export function steadyBounds(from: number, to: number, stepMs: number): Float64Array {
  const first = Math.floor(from / stepMs);
  const count = Math.max(1, Math.ceil(to / stepMs) - first);
  return Float64Array.from({ length: count + 1 }, (_, index) => (first + index) * stepMs);
}

/**
 * Returns the index of the bucket that contains a time: -1 before the first, the number of buckets after the
 * last.
 */
function bucketAt(bounds: Float64Array, moment: number): number {
  let low = 0;
  let high = bounds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bounds[middle] as number) <= moment) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * Adds readings. The last one counts until `next`, which is the following reading in another segment or the
 * end of the known data. Readings outside the bounds are not counted, but the part of their time inside is.
 */
export function addReadings(
  buckets: Buckets,
  { at, value }: Series,
  next: number,
  allowanceMs: number,
  limits: Limits,
): void {
  const { bounds } = buckets;
  const size = bounds.length - 1;
  let bucket = at.length === 0 ? size : bucketAt(bounds, at[0] as number);
  for (let i = 0; i < at.length; i++) {
    const moment = at[i] as number;
    const reading = value[i] as number;
    while (bucket < size && moment >= (bounds[bucket + 1] as number)) bucket++;
    if (bucket === size) return;
    if (bucket >= 0) {
      if (buckets.count[bucket] === 0) buckets.firstAt[bucket] = moment;
      (buckets.count[bucket] as number)++;
      buckets.lastAt[bucket] = moment;
      if (reading < (buckets.min[bucket] as number)) buckets.min[bucket] = reading;
      if (reading > (buckets.max[bucket] as number)) buckets.max[bucket] = reading;
    }
    const until = i + 1 < at.length ? (at[i + 1] as number) : next;
    if (until > moment && until - moment <= allowanceMs)
      hold(buckets, bucket, moment, until, reading, limits);
  }
}

/**
 * Adds the time between two segments. The last reading of the earlier segment counts for it, unless it is a
 * gap.
 */
function addInterval(
  buckets: Buckets,
  last: { at: number; value: number },
  next: number,
  allowanceMs: number,
  limits: Limits,
): void {
  if (next <= last.at || next - last.at > allowanceMs) return;
  hold(buckets, bucketAt(buckets.bounds, last.at), last.at, next, last.value, limits);
}

function hold(
  buckets: Buckets,
  first: number,
  from: number,
  until: number,
  reading: number,
  limits: Limits,
): void {
  const { bounds, integral, coveredMs, outsideMs } = buckets;
  const outside = reading > limits.high || reading < limits.low;
  for (let bucket = Math.max(0, first); bucket < bounds.length - 1; bucket++) {
    const begin = Math.max(from, bounds[bucket] as number);
    const ms = Math.min(until, bounds[bucket + 1] as number) - begin;
    if (ms <= 0) return;
    (integral[bucket] as number) += reading * ms;
    (coveredMs[bucket] as number) += ms;
    if (outside) (outsideMs[bucket] as number) += ms;
  }
}

/**
 * Adds the summary of a segment within one bucket. Summaries must be added in order of time, and must have no values
 * outside the limits, because no time outside them is added.
 */
function addSummary(buckets: Buckets, summary: Summary): void {
  const bucket = bucketAt(buckets.bounds, summary.from);
  if (bucket < 0 || bucket >= buckets.bounds.length - 1) return;
  if (summary.count > 0) {
    if (buckets.count[bucket] === 0) buckets.firstAt[bucket] = summary.firstAt;
    (buckets.count[bucket] as number) += summary.count;
    buckets.lastAt[bucket] = summary.lastAt;
    buckets.min[bucket] = Math.min(buckets.min[bucket] as number, summary.min);
    buckets.max[bucket] = Math.max(buckets.max[bucket] as number, summary.max);
  }
  (buckets.integral[bucket] as number) += summary.integral;
  (buckets.coveredMs[bucket] as number) += summary.coveredMs;
}

/**
 * Returns the time-weighted mean of a bucket. If no reading counts for any time (single readings between
 * gaps), it is the middle of minimum and maximum. The bucket must contain readings.
 */
export function meanOf(buckets: Buckets, bucket: number): number {
  const covered = buckets.coveredMs[bucket] as number;
  return covered > 0
    ? (buckets.integral[bucket] as number) / covered
    : ((buckets.min[bucket] as number) + (buckets.max[bucket] as number)) / 2;
}

/** Reduces a channel's history to buckets, segment by segment in order of time. */
export interface Reducer {
  add(readings: Series): void;
  /**
   * Adds the summaries of segments that are each within one bucket and have no values outside the limits,
   * and the last reading of all of them.
   */
  addSummaries(summaries: readonly Summary[], firstAt: number, last: { at: number; value: number }): void;
  /** Returns the buckets. `known` is the time up to which data is known. */
  finish(known: number): Buckets;
}

export function createReducer(bounds: Float64Array, allowanceMs: number, limits: Limits): Reducer {
  const buckets = createBuckets(bounds);
  let last: { at: number; value: number } | null = null;
  const goOn = (next: number) => {
    if (last) addInterval(buckets, last, next, allowanceMs, limits);
  };
  return {
    add(readings) {
      const { at, value } = readings;
      if (at.length === 0) return;
      goOn(at[0] as number);
      last = { at: at[at.length - 1] as number, value: value[value.length - 1] as number };
      addReadings(buckets, readings, last.at, allowanceMs, limits);
    },
    addSummaries(summaries, firstAt, lastOne) {
      goOn(firstAt);
      for (const summary of summaries) addSummary(buckets, summary);
      last = lastOne;
    },
    finish(known) {
      goOn(known);
      return buckets;
    },
  };
}

/** Combines all buckets into one. There must be readings. */
export function totalOf(buckets: Buckets): {
  count: number;
  min: number;
  max: number;
  mean: number;
  outsideMs: number;
} {
  const whole = createBuckets(Float64Array.of(0, 1));
  for (let bucket = 0; bucket < buckets.count.length; bucket++) {
    (whole.count[0] as number) += buckets.count[bucket] as number;
    whole.min[0] = Math.min(whole.min[0] as number, buckets.min[bucket] as number);
    whole.max[0] = Math.max(whole.max[0] as number, buckets.max[bucket] as number);
    (whole.integral[0] as number) += buckets.integral[bucket] as number;
    (whole.coveredMs[0] as number) += buckets.coveredMs[bucket] as number;
    (whole.outsideMs[0] as number) += buckets.outsideMs[bucket] as number;
  }
  return {
    count: whole.count[0] as number,
    min: whole.min[0] as number,
    max: whole.max[0] as number,
    mean: meanOf(whole, 0),
    outsideMs: whole.outsideMs[0] as number,
  };
}
