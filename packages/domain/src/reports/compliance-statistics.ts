import type { FactDay } from '../readings/day-facts.ts';
import { kineticRate, temperatureOfRate } from '../readings/mean-kinetic.ts';
import { DAY_MS } from '../readings/sealed-day.ts';
import type { Series } from '../readings/series.ts';
import type { LimitSpan } from './record-statistics.ts';

/**
 * Bounds of the bands of time outside limits, in units beyond the limit: up to 2 units, 2 to 5 units, more. A value that
 * is exactly on a bound is in the lower band.
 */
export const BAND_BOUNDS = [0, 2, 5] as const;
const BANDS = BAND_BOUNDS.length;

/** A temperature that must not last: in one stretch, or in total. The value itself counts. */
export interface Exposure {
  side: 'above' | 'below';
  celsius: number;
  /** Whether stretches add up. */
  isTotal: boolean;
  /** Time that is too long. */
  ms: number;
}

/** The window of full UTC days with the highest mean kinetic temperature. */
export interface KineticWindow {
  celsius: number;
  /** Epoch ms; the window is cut by the range. */
  from: number;
  to: number;
  /** Time that readings cover in it. */
  coveredMs: number;
}

/** Sums of a part of the range, by full UTC days. */
export interface CompliancePeriod {
  expectedMs: number;
  coveredMs: number;
  limitedMs: number;
  outsideMs: number;
}

/** What a compliance report states about one channel. */
export interface ComplianceStatistics {
  count: number;
  min: number;
  max: number;
  /** Time in which readings are expected: from the first one, or since when they are expected. */
  expectedMs: number;
  coveredMs: number;
  /** Covered time in which a limit was in force. */
  limitedMs: number;
  /** Time below the lower and above the upper limit in force, by band. */
  belowMs: number[];
  aboveMs: number[];
  /** For each exposure: the total or the longest stretch, depending on the exposure. */
  exposureMs: number[];
  /** Longest time without a reading in the range, up to now. */
  longestGapMs: number;
  /** UTC days of the range in which a time between readings was longer than permitted. */
  gapDays: number;
  /** Mean kinetic temperature of the whole range; null if no reading counts for any time. */
  meanKinetic: number | null;
  worstWindow: KineticWindow | null;
  /** In the order of the periods of the input. */
  periods: CompliancePeriod[];
}

export interface ComplianceInput {
  /** Range in epoch ms, up to now at most. */
  from: number;
  to: number;
  /** Since when readings are expected: a channel may be newer than the range. */
  expectedFrom: number;
  gapAllowanceMs: number;
  spans: readonly LimitSpan[];
  exposures: readonly Exposure[];
  /** Longest permitted time between readings; null if there is none. */
  permittedMs: number | null;
  /** Days of a window of the mean kinetic temperature. */
  windowDays: number;
  /** Starts of the periods into which sums are divided: the beginning of the range, then UTC midnights in it; epoch ms. */
  periods: readonly number[];
}

/**
 * Computes the statistics of a channel from facts of days and from readings, in order of time. Both give the same result:
 * days are only accepted without readings if nothing in them depends on single readings (`needsReadings`).
 */
export function createComplianceStatistics(input: ComplianceInput) {
  const { from, to, expectedFrom, gapAllowanceMs, spans, exposures, permittedMs, windowDays, periods } =
    input;
  const firstDay = Math.floor(from / DAY_MS);
  const dayCount = Math.max(0, Math.ceil(to / DAY_MS) - firstDay);
  const covered = new Float64Array(dayCount);
  const kinetic = new Float64Array(dayCount);
  const limited = new Float64Array(dayCount);
  const outside = new Float64Array(dayCount);
  const hasGap = new Uint8Array(dayCount);
  const belowMs = new Array<number>(BANDS).fill(0);
  const aboveMs = new Array<number>(BANDS).fill(0);
  const exposureMs = exposures.map(() => 0);
  const stretches = exposures.map(() => 0);
  let count = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  let longestGapMs = 0;
  let firstAt = to;
  let lastAt = Math.max(from, expectedFrom);
  let lastValue = 0;
  let span = 0;

  /** The limits in force at a time; times only grow. */
  function limitsAt(moment: number): LimitSpan | undefined {
    while (span < spans.length && (spans[span] as LimitSpan).until <= moment) span++;
    return spans[span];
  }

  /** Notes a time without a reading. */
  function noteGap(begin: number, end: number): void {
    longestGapMs = Math.max(longestGapMs, end - begin);
    if (permittedMs === null || end - begin <= permittedMs) return;
    const last = Math.min(dayCount - 1, Math.floor((end - 1) / DAY_MS) - firstDay);
    for (let day = Math.floor(begin / DAY_MS) - firstDay; day <= last; day++) hasGap[day] = 1;
  }

  /** Counts the last reading until the next one. */
  function hold(until: number): void {
    const ms = until - lastAt;
    if (ms > 0) noteGap(lastAt, until);
    if (count === 0) firstAt = until;
    // A reading after the end of the range is not followed by any time in it.
    if (count === 0 || ms <= 0) return;
    if (ms > gapAllowanceMs) {
      stretches.fill(0);
      return;
    }
    const day = Math.floor(lastAt / DAY_MS) - firstDay;
    (covered[day] as number) += ms;
    (kinetic[day] as number) += kineticRate(lastValue) * ms;
    expose(ms);
    const limits = limitsAt(lastAt);
    if (!limits || !isLimited(limits)) return;
    (limited[day] as number) += ms;
    const { low, high } = limits;
    if (lastValue >= low && lastValue <= high) return;
    (outside[day] as number) += ms;
    if (lastValue > high) (aboveMs[bandOf(lastValue - high)] as number) += ms;
    else (belowMs[bandOf(low - lastValue)] as number) += ms;
  }

  function expose(ms: number): void {
    for (let i = 0; i < exposures.length; i++) {
      const exposure = exposures[i] as Exposure;
      const stretch = isExposed(exposure, lastValue) ? (stretches[i] as number) + ms : 0;
      stretches[i] = stretch;
      if (!exposure.isTotal) exposureMs[i] = Math.max(exposureMs[i] as number, stretch);
      else if (stretch > 0) (exposureMs[i] as number) += ms;
    }
  }

  return {
    /** Whether the facts of a day are not enough: it was outside limits or exposed, or limits came or went on it. */
    needsReadings({ firstAt, lastAt: end, min: lowest, max: highest }: FactDay): boolean {
      // Plain loops, as this is asked for each day of each channel.
      for (const each of exposures)
        if (isExposed(each, each.side === 'above' ? highest : lowest)) return true;
      let limits = 0;
      let all = 0;
      for (const own of spans) {
        if (own.from > end || own.until <= firstAt) continue;
        all++;
        if (!isLimited(own)) continue;
        limits++;
        if (lowest < own.low || highest > own.high) return true;
      }
      return limits > 0 && limits < all;
    },

    addDay(day: FactDay): void {
      hold(day.firstAt);
      stretches.fill(0);
      const index = day.day - firstDay;
      longestGapMs = Math.max(longestGapMs, day.longestMs);
      if (permittedMs !== null && day.longestMs > permittedMs) hasGap[index] = 1;
      (covered[index] as number) += day.coveredMs;
      (kinetic[index] as number) += day.kinetic;
      const limits = limitsAt(day.firstAt);
      if (limits && isLimited(limits)) (limited[index] as number) += day.coveredMs;
      count += day.count;
      min = Math.min(min, day.min);
      max = Math.max(max, day.max);
      lastAt = day.lastAt;
      lastValue = day.lastValue;
    },

    addReadings({ at, value }: Series): void {
      for (let i = 0; i < at.length; i++) {
        const moment = at[i] as number;
        hold(moment);
        const reading = value[i] as number;
        count++;
        if (reading < min) min = reading;
        if (reading > max) max = reading;
        lastAt = moment;
        lastValue = reading;
      }
    },

    /** Returns the statistics; null without readings. */
    finish(): ComplianceStatistics | null {
      hold(to);
      if (count === 0) return null;
      const whole = sumOf(covered, kinetic, 0, dayCount);
      return {
        count,
        min,
        max,
        expectedMs: to - Math.min(firstAt, Math.max(from, expectedFrom)),
        coveredMs: whole.coveredMs,
        limitedMs: sum(limited),
        belowMs,
        aboveMs,
        exposureMs,
        longestGapMs,
        gapDays: sum(hasGap),
        meanKinetic: whole.coveredMs > 0 ? temperatureOfRate(whole.kinetic / whole.coveredMs) : null,
        worstWindow: worstWindow(),
        periods: periods.map((begin, index) => periodOf(begin, Math.min(to, periods[index + 1] ?? to))),
      };
    },
  };

  function periodOf(begin: number, end: number): CompliancePeriod {
    const first = Math.floor(begin / DAY_MS) - firstDay;
    const last = Math.ceil(end / DAY_MS) - firstDay;
    const expected = Math.min(firstAt, Math.max(from, expectedFrom));
    return {
      expectedMs: Math.max(0, end - Math.max(begin, expected)),
      coveredMs: sum(covered.subarray(first, last)),
      limitedMs: sum(limited.subarray(first, last)),
      outsideMs: sum(outside.subarray(first, last)),
    };
  }

  function worstWindow(): KineticWindow | null {
    let worst: KineticWindow | null = null;
    const size = Math.min(windowDays, dayCount);
    for (let day = 0; day + size <= dayCount; day++) {
      const own = sumOf(covered, kinetic, day, day + size);
      if (own.coveredMs === 0) continue;
      const celsius = temperatureOfRate(own.kinetic / own.coveredMs);
      if (worst !== null && celsius <= worst.celsius) continue;
      worst = {
        celsius,
        from: Math.max(from, (firstDay + day) * DAY_MS),
        to: Math.min(to, (firstDay + day + size) * DAY_MS),
        coveredMs: own.coveredMs,
      };
    }
    return worst;
  }
}

export type ComplianceCollector = ReturnType<typeof createComplianceStatistics>;

const isLimited = ({ low, high }: LimitSpan): boolean => Number.isFinite(low) || Number.isFinite(high);

const isExposed = ({ side, celsius }: Exposure, value: number): boolean =>
  side === 'above' ? value >= celsius : value <= celsius;

/** Index of the band of a value that is this far beyond the limit. */
const bandOf = (beyond: number): number =>
  BAND_BOUNDS.findIndex((_, band) => beyond <= (BAND_BOUNDS[band + 1] ?? Number.POSITIVE_INFINITY));

function sum(column: Float64Array | Uint8Array): number {
  let total = 0;
  for (const each of column) total += each;
  return total;
}

function sumOf(
  covered: Float64Array,
  kinetic: Float64Array,
  begin: number,
  end: number,
): { coveredMs: number; kinetic: number } {
  const sum = { coveredMs: 0, kinetic: 0 };
  for (let day = begin; day < end; day++) {
    sum.coveredMs += covered[day] as number;
    sum.kinetic += kinetic[day] as number;
  }
  return sum;
}
