import type { Gap } from '../readings/gaps.ts';
import { mktWindowMs } from '../readings/mean-kinetic.ts';
import { type Series, sliceSeries } from '../readings/series.ts';
import { decidingMkt, highestMkt, type MktWindow, weightedMkt } from './mean-kinetic.ts';
import { type BudgetBand, isAboveRange, type ProductLimits } from './product-profile.ts';

/** A trip with a lower coverage cannot be released without a closer look. */
export const ENOUGH_COVERAGE = 0.95;

/** Use of one band of the stability budget. `allowedMs` is 0 where the profile has no band. */
export interface BandUse {
  low: number | null;
  high: number | null;
  allowedMs: number;
  usedMs: number;
}

/** Proposed outcome; people decide. */
export const PROPOSALS = ['release', 'within-budget', 'reject', 'insufficient'] as const;
export type Proposal = (typeof PROPOSALS)[number];

export interface Verdict {
  proposal: Proposal;
  /** Number of readings that were judged. */
  readings: number;
  /** °C; null without readings. */
  min: number | null;
  max: number | null;
  /** Mean kinetic temperature of the whole trip. */
  meanKinetic: number | null;
  /** The highest mean kinetic temperature in any window that the standard asks for; null if no window is covered well enough. */
  mktWindow: MktWindow | null;
  /** Time outside the range, ms. */
  outsideMs: number;
  /** Use of the bands of the budget, and of the temperatures without a band if there were any. */
  bands: BandUse[];
  /** Fraction of the trip that readings cover, 0 to 1. */
  coverage: number;
  gaps: Gap[];
  /** Times outside the range, from the first reading outside to the end of the last. */
  excursions: Gap[];
}

/** A stretch of a trip on one probe. */
export interface TripPart {
  /** Readings of the probe, also those of one allowance before `from`. */
  series: Series;
  from: number;
  to: number;
  /** Time for which a reading counts at most: a longer silence is a gap. */
  allowanceMs: number;
}

/** A reading with the time for which it counts. */
interface CountedReading {
  /** Time of the reading, which may be before its part of the trip. */
  at: number;
  value: number;
  /** Time from which it counts. */
  from: number;
  ms: number;
  allowanceMs: number;
}

/**
 * Returns the readings with the times for which they count: until the next one, at most the allowance. The last
 * reading before a part of the trip counts from the beginning of the part.
 */
function countedReadings(parts: readonly TripPart[]): CountedReading[] {
  const counted: CountedReading[] = [];
  for (const { series, from, to, allowanceMs } of parts) {
    const { at, value } = sliceSeries(series, from - allowanceMs, to);
    for (let i = 0; i < at.length; i++) {
      const moment = at[i] as number;
      const begin = Math.max(moment, from);
      const ms = Math.min(at[i + 1] ?? to, moment + allowanceMs) - begin;
      if (ms > 0)
        counted.push({
          at: moment,
          value: value[i] as number,
          from: begin,
          ms: Math.min(ms, to - begin),
          allowanceMs,
        });
    }
  }
  return counted;
}

/** Returns the silences that are longer than the allowance of the reading before them. */
function gapsBetween(
  counted: readonly CountedReading[],
  from: number,
  to: number,
  allowanceMs: number,
): Gap[] {
  const gaps: Gap[] = [];
  let last: Pick<CountedReading, 'at' | 'from' | 'allowanceMs'> = { at: from, from, allowanceMs };
  for (const each of [...counted, { at: to, from: to, allowanceMs }]) {
    if (each.from - last.at > last.allowanceMs) gaps.push({ from: last.from, to: each.from });
    last = each;
  }
  return gaps;
}

/** True if a temperature lies in a band. The end of the band beside the range belongs to the range. */
export function isInBand(value: number, band: BudgetBand, limits: ProductLimits): boolean {
  const { low, high } = band;
  return isAboveRange(band, limits)
    ? value > (low as number) && value <= (high ?? Infinity)
    : value < (high as number) && value >= (low ?? -Infinity);
}

/**
 * Judges the readings of a trip by the limits of its product. Time without readings counts neither as inside nor
 * as outside; it lowers the coverage. `parts` follow each other, `from` and `to` are those of the whole trip in
 * epoch ms. `isCut` says that readings of the trip were left out, so that it can be rejected but not released.
 */
export function judgeTrip(
  parts: readonly TripPart[],
  from: number,
  to: number,
  limits: ProductLimits,
  isCut = false,
): Verdict {
  const counted = countedReadings(parts);
  const used = limits.budget.map(() => 0);
  let outsideMs = 0;
  let coveredMs = 0;
  let unbandedMs = 0;
  let hasUnbanded = false;
  let min: number | null = null;
  let max: number | null = null;
  const excursions: Gap[] = [];
  let open: Gap | null = null;
  for (const { value: temperature, from: moment, ms } of counted) {
    coveredMs += ms;
    min = Math.min(min ?? temperature, temperature);
    max = Math.max(max ?? temperature, temperature);
    if (temperature >= limits.temperatureLow && temperature <= limits.temperatureHigh) {
      open = null;
      continue;
    }
    outsideMs += ms;
    if (open && open.to === moment) open.to = moment + ms;
    else {
      open = { from: moment, to: moment + ms };
      excursions.push(open);
    }
    const band = limits.budget.findIndex((each) => isInBand(temperature, each, limits));
    if (band >= 0) used[band] = (used[band] as number) + ms;
    else {
      hasUnbanded = true;
      unbandedMs += ms;
    }
  }
  const bands: BandUse[] = limits.budget.map(({ low, high, hours }, i) => ({
    low,
    high,
    allowedMs: hours * 3_600_000,
    usedMs: used[i] as number,
  }));
  if (hasUnbanded) bands.push({ low: null, high: null, allowedMs: 0, usedMs: unbandedMs });
  const meanKinetic = weightedMkt(
    counted.map(({ value }) => value),
    counted.map(({ ms }) => ms),
    limits.activationKj,
  );
  const mktWindow = highestMkt(counted, from, mktWindowMs(limits.temperatureHigh), limits.activationKj);
  const coverage = to > from ? Math.min(1, coveredMs / (to - from)) : 0;
  return {
    proposal: proposalOf({ hasUnbanded, bands, outsideMs, coverage, meanKinetic, mktWindow, limits, isCut }),
    readings: counted.length,
    min,
    max,
    meanKinetic,
    mktWindow,
    outsideMs,
    bands,
    coverage,
    gaps: gapsBetween(counted, from, to, parts[0]?.allowanceMs ?? 0),
    excursions,
  };
}

function proposalOf({
  hasUnbanded,
  bands,
  outsideMs,
  coverage,
  meanKinetic,
  mktWindow,
  limits: { mktLimit },
  isCut,
}: Pick<Verdict, 'bands' | 'outsideMs' | 'coverage' | 'meanKinetic' | 'mktWindow'> & {
  hasUnbanded: boolean;
  limits: ProductLimits;
  isCut: boolean;
}): Proposal {
  // The bands of the budget alone: a reading without time behind it still has no budget.
  if (hasUnbanded || bands.some(({ usedMs, allowedMs }) => usedMs > allowedMs)) return 'reject';
  const deciding = decidingMkt({ meanKinetic, mktWindow });
  if (mktLimit !== null && deciding !== null && deciding.value > mktLimit) return 'reject';
  if (isCut || coverage < ENOUGH_COVERAGE) return 'insufficient';
  return outsideMs > 0 ? 'within-budget' : 'release';
}
