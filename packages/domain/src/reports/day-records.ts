import { localDayBounds, offsetOf } from '../readings/local-days.ts';
import type { Series } from '../readings/series.ts';
import type { LimitSpan } from './record-statistics.ts';

/** A local day; times are in epoch ms, the end is exclusive. It has 23 or 25 hours when clocks change. */
export interface LocalDay {
  /** As `2026-11-25`. */
  day: string;
  from: number;
  to: number;
}

/** Returns the local days that a range touches, each in full. Throws for an unknown zone. */
export function localDays(from: number, to: number, zone: string): LocalDay[] {
  if (from >= to) return [];
  const offsetAt = offsetOf(zone);
  const bounds = localDayBounds(from, to, zone);
  return Array.from(bounds.subarray(1), (end, index) => {
    const begin = bounds[index] as number;
    return { day: new Date(begin + offsetAt(begin)).toISOString().slice(0, 10), from: begin, to: end };
  });
}

/** What is known about a channel on a local day. Without readings, the extremes and their times are null. */
export interface DayRecord extends LocalDay {
  count: number;
  min: number | null;
  minAt: number | null;
  max: number | null;
  maxAt: number | null;
  /** Time that readings cover. */
  coveredMs: number;
  /** Time outside the limits in force at the time of each reading (decision 24); null if no limit was in force. */
  outsideMs: number | null;
}

/**
 * Computes the days of a channel, segment by segment in order of time. Each reading counts until the next one, also across
 * midnight, and never across a gap (decision 7). So that a day has the same numbers in each report, readings from the gap
 * allowance before the first day to the gap allowance after the last one must be added, and `spans` must cover them. Days must
 * follow each other.
 */
export function createDayRecords(
  days: readonly LocalDay[],
  gapAllowanceMs: number,
  spans: readonly LimitSpan[],
) {
  // Columns of numbers, as each reading of a month of hundreds of channels passes here.
  const ends = Float64Array.from(days, ({ to }) => to);
  const count = new Float64Array(days.length);
  const min = new Float64Array(days.length).fill(Number.POSITIVE_INFINITY);
  const minAt = new Float64Array(days.length);
  const max = new Float64Array(days.length).fill(Number.NEGATIVE_INFINITY);
  const maxAt = new Float64Array(days.length);
  const coveredMs = new Float64Array(days.length);
  const outsideMs = new Float64Array(days.length);
  const begin = days[0]?.from ?? 0;
  let lastAt = Number.NEGATIVE_INFINITY;
  let lastValue = 0;
  /** The first day that ends after the last reading. */
  let current = 0;
  let span = 0;

  function hold(until: number): void {
    if (until <= lastAt || until - lastAt > gapAllowanceMs) return;
    while (span < spans.length && (spans[span] as LimitSpan).until <= lastAt) span++;
    const limits = spans[span];
    const isOutside = limits !== undefined && (lastValue < limits.low || lastValue > limits.high);
    let from = Math.max(lastAt, begin);
    for (let day = current; day < days.length && from < until; day++) {
      const to = Math.min(until, ends[day] as number);
      (coveredMs[day] as number) += to - from;
      if (isOutside) (outsideMs[day] as number) += to - from;
      from = to;
    }
  }

  return {
    add({ at, value }: Series): void {
      for (let i = 0; i < at.length; i++) {
        const moment = at[i] as number;
        const reading = value[i] as number;
        hold(moment);
        lastAt = moment;
        lastValue = reading;
        while (current < days.length && moment >= (ends[current] as number)) current++;
        if (current === days.length || moment < begin) continue;
        (count[current] as number)++;
        if (reading < (min[current] as number)) {
          min[current] = reading;
          minAt[current] = moment;
        }
        if (reading > (max[current] as number)) {
          max[current] = reading;
          maxAt[current] = moment;
        }
      }
    },
    /** Returns the days; `known` is the time up to which data is known. */
    finish(known: number): DayRecord[] {
      hold(known);
      return days.map((day, index): DayRecord => {
        const orNull = (column: Float64Array) => (count[index] === 0 ? null : (column[index] as number));
        return {
          ...day,
          count: count[index] as number,
          min: orNull(min),
          minAt: orNull(minAt),
          max: orNull(max),
          maxAt: orNull(maxAt),
          coveredMs: Math.round(coveredMs[index] as number),
          outsideMs: hasLimits(day, spans) ? Math.round(outsideMs[index] as number) : null,
        };
      });
    },
  };
}

const hasLimits = (day: LocalDay, spans: readonly LimitSpan[]): boolean =>
  spans.some(
    ({ from, until, low, high }) =>
      from < day.to && until > day.from && (Number.isFinite(low) || Number.isFinite(high)),
  );
