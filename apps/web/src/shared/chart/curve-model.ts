import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import type { AlarmKind } from '@isotherm/domain/alarms/catalogue';
import type { Indicator } from '@isotherm/domain/readings/indicator';

/** Data of one channel in the chart: times in epoch milliseconds, values in the canonical unit. */
export interface ChartSeries {
  channelId: number;
  name: string;
  indicator: Indicator;
  stepMs: number | null;
  at: readonly number[];
  min: readonly number[];
  max: readonly number[];
  mean: readonly number[];
  gaps: readonly ChartGap[];
  /** Periods in which the times are estimated. */
  estimated: readonly ChartGap[];
  low: number | null;
  high: number | null;
  /** True for an earlier period of the same channel: a pale line. */
  isEarlier?: boolean;
}

export interface ChartGap {
  from: number;
  to: number;
  /** Text such as `no data 50 min`. */
  label: string;
}

export interface ChartSpan {
  alarmId: number;
  channelId: number;
  level: AlarmLevel;
  kind: AlarmKind;
  from: number;
  to: number;
  /** Text such as `42 min, open`. */
  label: string;
}

export interface TimeRange {
  from: number;
  to: number;
}

/** A named period, such as a defrost in which limits are not evaluated. */
export interface ChartBand extends TimeRange {
  label: string;
  /** True for a period that is hatched: one in which notifications are held back. */
  isHatched?: boolean;
}

/**
 * Returns the segments of a series without gaps, as index pairs with an exclusive end. No line is drawn
 * across a gap. The server derives gaps from the interval of the device; a time bucket without readings is no
 * gap, because the buckets of a short range are shorter than that interval.
 */
export function stretches(series: ChartSeries): [number, number][] {
  const { at, gaps } = series;
  const found: [number, number][] = [];
  let start = 0;
  let gap = 0;
  for (let index = 1; index <= at.length; index += 1) {
    const before = at[index - 1] ?? 0;
    const now = at[index] ?? Number.POSITIVE_INFINITY;
    while (gap < gaps.length && (gaps[gap]?.to ?? 0) <= before) gap += 1;
    const silent = gap < gaps.length && (gaps[gap]?.from ?? 0) < now && (gaps[gap]?.to ?? 0) > before;
    if (index === at.length || silent) {
      found.push([start, index]);
      start = index;
    }
  }
  return found;
}

/** Returns the index of the point nearest to a time; -1 inside a gap or outside the range. */
export function nearestPoint(series: ChartSeries, wanted: number): number {
  const { at, stepMs } = series;
  // A time bucket is drawn at its middle, not at its start.
  const moment = wanted - (stepMs ?? 0) / 2;
  if (at.length === 0) return -1;
  if (series.gaps.some((gap) => wanted > gap.from && wanted < gap.to)) return -1;
  let low = 0;
  let high = at.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((at[middle] ?? 0) < moment) low = middle + 1;
    else high = middle;
  }
  const after = at[low] ?? 0;
  const before = at[low - 1];
  return before !== undefined && moment - before < after - moment ? low - 1 : low;
}

/** Returns the value of an on/off channel at a time: that of the last reading before it. */
export function laneValue(series: ChartSeries, moment: number): number | null {
  const { at, max } = series;
  if (series.gaps.some((gap) => moment > gap.from && moment < gap.to)) return null;
  let found = -1;
  let low = 0;
  let high = at.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if ((at[middle] ?? 0) <= moment) {
      found = middle;
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  return found < 0 ? null : (max[found] ?? null);
}

/**
 * Returns the periods in which an on/off channel was on. A time bucket counts as on if the channel was on at
 * any time in it.
 */
export function onStretches(series: ChartSeries, range: TimeRange): TimeRange[] {
  const { at, max, stepMs } = series;
  const found: TimeRange[] = [];
  for (const [start, end] of stretches({ ...series, stepMs: null })) {
    let since: number | null = null;
    for (let index = start; index < end; index += 1) {
      const on = (max[index] ?? 0) >= 0.5;
      const moment = at[index] ?? 0;
      if (on && since === null) since = moment;
      if (!on && since !== null) {
        found.push({ from: since, to: moment });
        since = null;
      }
    }
    if (since !== null) {
      const gapAfter = series.gaps.find((gap) => gap.from >= (at[end - 1] ?? 0));
      const last = (at[end - 1] ?? 0) + (stepMs ?? 0);
      found.push({ from: since, to: Math.min(gapAfter?.from ?? last, range.to) });
    }
  }
  return found;
}
