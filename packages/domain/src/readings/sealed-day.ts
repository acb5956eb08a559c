import { addReadings, createBuckets, NO_LIMITS, type Summary, steadyBounds } from './buckets.ts';
import { decimalOf, exactScale } from './decimal.ts';
import type { Series } from './series.ts';
import { createVarintReader, createVarintWriter } from './varint.ts';

export const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** A reading that arrived with a longer delay is late; shorter delays are not stored. */
export const LATE_AFTER_S = 300;

/**
 * A sealed day: all readings of a channel on a closed UTC day, compressed without loss. Numbers are varints
 * (varint.ts) that contain differences, so that a steady channel gives repeating bytes.
 */
export interface SealedDay {
  count: number;
  /** Time of the first reading in epoch ms. */
  firstAt: number;
  lastAt: number;
  firstValue: number;
  lastValue: number;
  min: number;
  max: number;
  sum: number;
  /**
   * Divisor of the values, which are stored as integers. With 0, `values` contains 4-byte floats,
   * little-endian.
   */
  scale: number;
  /** Unit of the time differences in ms: 1000 if all times are full seconds, otherwise 1. */
  unitMs: number;
  /** Differences of the times, in units of `unitMs`. */
  gaps: Uint8Array;
  /** Differences of the scaled values. */
  values: Uint8Array;
  /** Summary of each hour from the first to the last reading; `unsealHours` reads it. */
  hours: Uint8Array;
  /**
   * Number of late readings, and for each one the distance to it and the change of its delay (s). Null if
   * there is none.
   */
  late: Uint8Array | null;
}

/**
 * Encodes the readings of a UTC day; there must be at least one. `delayS` is the delay of each reading;
 * `allowanceMs` is the gap allowance for the hourly summaries.
 */
export function sealDay(series: Series, delayS: ArrayLike<number>, allowanceMs: number): SealedDay {
  const { at, value } = series;
  const count = at.length;
  const scale = exactScale(value);
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  let sum = 0;
  for (const reading of value) {
    if (reading < min) min = reading;
    if (reading > max) max = reading;
    sum += reading;
  }
  return {
    count,
    firstAt: at[0] as number,
    lastAt: at[count - 1] as number,
    firstValue: value[0] as number,
    lastValue: value[count - 1] as number,
    min,
    max,
    sum,
    scale,
    ...sealGaps(at),
    values: scale === 0 ? floatBytes(value) : sealValues(value, scale),
    hours: sealHours(series, scale, allowanceMs),
    late: sealDelays(delayS, count),
  };
}

function sealGaps(at: Float64Array): { unitMs: number; gaps: Uint8Array } {
  let unitMs = 1000;
  for (let i = 1; i < at.length && unitMs === 1000; i++)
    if (((at[i] as number) - (at[i - 1] as number)) % 1000 !== 0) unitMs = 1;
  const gaps = createVarintWriter(at.length);
  for (let i = 1; i < at.length; i++) gaps.unsigned(((at[i] as number) - (at[i - 1] as number)) / unitMs);
  return { unitMs, gaps: gaps.bytes() };
}

function sealValues(value: Float64Array, scale: number): Uint8Array {
  const deltas = createVarintWriter(value.length);
  let before = Math.round((value[0] as number) * scale);
  for (let i = 1; i < value.length; i++) {
    const scaled = Math.round((value[i] as number) * scale);
    deltas.signed(scaled - before);
    before = scaled;
  }
  return deltas.bytes();
}

function floatBytes(value: Float64Array): Uint8Array {
  const bytes = new Uint8Array(value.length * 4);
  const view = new DataView(bytes.buffer);
  value.forEach((reading, index) => {
    view.setFloat32(index * 4, reading, true);
  });
  return bytes;
}

function sealDelays(delayS: ArrayLike<number>, count: number): Uint8Array | null {
  const lateOnes: number[] = [];
  for (let i = 0; i < count; i++) if ((delayS[i] as number) > LATE_AFTER_S) lateOnes.push(i);
  if (lateOnes.length === 0) return null;
  const late = createVarintWriter(lateOnes.length);
  late.unsigned(lateOnes.length);
  let before = 0;
  let delay = 0;
  for (const index of lateOnes) {
    late.unsigned(index - before);
    late.signed((delayS[index] as number) - delay);
    before = index;
    delay = delayS[index] as number;
  }
  return late.bytes();
}

export type SealedReadings = Pick<
  SealedDay,
  'count' | 'firstAt' | 'firstValue' | 'scale' | 'unitMs' | 'gaps' | 'values'
>;

/** Decodes the readings of a sealed day. */
export function unsealDay(sealed: SealedReadings): Series {
  const at = new Float64Array(sealed.count);
  const value = new Float64Array(sealed.count);
  const gaps = createVarintReader(sealed.gaps);
  let moment = sealed.firstAt;
  at[0] = moment;
  for (let i = 1; i < sealed.count; i++) {
    moment += gaps.unsigned() * sealed.unitMs;
    at[i] = moment;
  }
  if (sealed.scale === 0) {
    const floats = new DataView(sealed.values.buffer, sealed.values.byteOffset, sealed.values.byteLength);
    for (let i = 0; i < sealed.count; i++) value[i] = decimalOf(floats.getFloat32(i * 4, true));
    return { at, value };
  }
  const deltas = createVarintReader(sealed.values);
  let scaled = Math.round(sealed.firstValue * sealed.scale);
  value[0] = sealed.firstValue;
  for (let i = 1; i < sealed.count; i++) {
    scaled += deltas.signed();
    value[i] = scaled / sealed.scale;
  }
  return { at, value };
}

/** Returns the delay of each reading in seconds; 0 for those that were not late. */
export function unsealDelays({ count, late }: Pick<SealedDay, 'count' | 'late'>): Int32Array {
  const delayS = new Int32Array(count);
  if (late === null) return delayS;
  const reader = createVarintReader(late);
  let index = 0;
  let delay = 0;
  for (let left = reader.unsigned(); left > 0; left--) {
    index += reader.unsigned();
    delay += reader.signed();
    delayS[index] = delay;
  }
  return delayS;
}

/** Returns the boundaries of the hours from the first to the last reading. */
function hourBounds(firstAt: number, lastAt: number): Float64Array {
  return steadyBounds(firstAt, lastAt + 1, HOUR_MS);
}

function sealHours(series: Series, scale: number, allowanceMs: number): Uint8Array {
  const last = series.at[series.at.length - 1] as number;
  const buckets = createBuckets(hourBounds(series.at[0] as number, last));
  addReadings(buckets, series, last, allowanceMs, NO_LIMITS);
  const hours = createVarintWriter(16 * buckets.count.length);
  const number = (value: number) =>
    scale === 0 ? hours.float(value) : hours.signed(Math.round(value * scale));
  buckets.count.forEach((count, hour) => {
    const from = buckets.bounds[hour] as number;
    hours.unsigned(count);
    if (count > 0) {
      hours.unsigned((buckets.firstAt[hour] as number) - from);
      hours.unsigned((buckets.lastAt[hour] as number) - (buckets.firstAt[hour] as number));
      number(buckets.min[hour] as number);
      number(buckets.max[hour] as number);
    }
    hours.unsigned(buckets.coveredMs[hour] as number);
    number(buckets.integral[hour] as number);
  });
  return hours.bytes();
}

/**
 * Returns the hourly summaries from the first to the last reading. The time between two readings counts if
 * both are of this day. The caller, who knows both days, adds the time across midnight.
 */
export function unsealHours({
  firstAt,
  lastAt,
  scale,
  hours,
}: Pick<SealedDay, 'firstAt' | 'lastAt' | 'scale' | 'hours'>): Summary[] {
  const reader = createVarintReader(hours);
  const number = () => (scale === 0 ? reader.float() : reader.signed() / scale);
  const bounds = hourBounds(firstAt, lastAt);
  return Array.from(bounds.subarray(0, -1), (from) => {
    const count = reader.unsigned();
    const summary: Summary = {
      from,
      count,
      min: 0,
      max: 0,
      firstAt: 0,
      lastAt: 0,
      integral: 0,
      coveredMs: 0,
    };
    if (count > 0) {
      summary.firstAt = from + reader.unsigned();
      summary.lastAt = summary.firstAt + reader.unsigned();
      summary.min = number();
      summary.max = number();
    }
    summary.coveredMs = reader.unsigned();
    summary.integral = number();
    return summary;
  });
}
