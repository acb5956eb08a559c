import { kineticRate, temperatureOfRate } from '../readings/mean-kinetic.ts';
import type { Series } from '../readings/series.ts';

/** Types of studies (requirements §3). */
export const STUDY_TYPES = ['full', 'empty', 'periodic'] as const;
export type StudyType = (typeof STUDY_TYPES)[number];

/**
 * Returns the weight of each reading in milliseconds: the time until the next one, limited by the gap
 * allowance.
 */
function weights(at: Float64Array, until: number, gapAllowanceMs: number): Float64Array {
  return at.map((moment, i) => Math.min((at[i + 1] ?? until) - moment, gapAllowanceMs));
}

/**
 * Returns the mean kinetic temperature in °C: the constant temperature that has the same effect on a product
 * as the measured ones, so that warm hours weigh more than cold ones. NaN without readings.
 */
export function meanKineticTemperature(values: Float64Array, weight: Float64Array): number {
  let sum = 0;
  let total = 0;
  values.forEach((value, i) => {
    sum += (weight[i] as number) * kineticRate(value);
    total += weight[i] as number;
  });
  return temperatureOfRate(sum / total);
}

/** Result of one sensor in a study; temperatures are in °C. */
export interface StudyPoint {
  channelId: number;
  count: number;
  min: number;
  max: number;
  /** Mean, weighted by the time for which each reading counts. */
  mean: number;
  meanKinetic: number;
  /** Fraction of the study's duration that readings cover, 0 to 1. */
  coverage: number;
  /** Time outside the required range in ms. */
  outsideMs: number;
}

/** The required temperature range in °C; both limits are inclusive. */
export interface StudyZone {
  min: number;
  max: number;
}

export const STUDY_VERDICTS = ['passed', 'failed', 'insufficient'] as const;
export type StudyVerdict = (typeof STUDY_VERDICTS)[number];

export interface StudyResult {
  points: StudyPoint[];
  min: number;
  max: number;
  mean: number;
  meanKinetic: number;
  /** Greatest difference between any two sensors at the same time in °C; 0 for a single sensor. */
  uniformity: number;
  /** Channel with the highest maximum; `coldSpot` is the one with the lowest minimum. */
  hotSpot: number;
  coldSpot: number;
  verdict: StudyVerdict;
}

/** A study with a lower coverage than this has not enough data. */
export const ENOUGH_COVERAGE = 0.95;

interface StudySpan {
  /** Start in epoch ms; `to` is the end, exclusive. */
  from: number;
  to: number;
  gapAllowanceMs: number;
}

/** Evaluates the readings of the channels in the time span. Returns null if there are none. */
export function judgeStudy(
  series: ReadonlyMap<number, Series>,
  zone: StudyZone,
  span: StudySpan,
): StudyResult | null {
  const measured = [...series].filter(([, { at }]) => at.length > 0);
  const points = measured.map(([channelId, own]) => pointOf(channelId, own, zone, span));
  const [first, ...others] = points;
  if (!first) return null;
  const hottest = others.reduce((best, point) => (point.max > best.max ? point : best), first);
  const coldest = others.reduce((best, point) => (point.min < best.min ? point : best), first);
  const meanOf = (of: (point: StudyPoint) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const enough = points.length === series.size && points.every((point) => point.coverage >= ENOUGH_COVERAGE);
  const outside = points.some((point) => point.min < zone.min || point.max > zone.max);
  return {
    points,
    min: coldest.min,
    max: hottest.max,
    mean: meanOf((point) => point.mean),
    meanKinetic: meanOf((point) => point.meanKinetic),
    uniformity: uniformityOf(
      measured.map(([, own]) => own),
      span.gapAllowanceMs,
    ),
    hotSpot: hottest.channelId,
    coldSpot: coldest.channelId,
    verdict: outside ? 'failed' : enough ? 'passed' : 'insufficient',
  };
}

function pointOf(channelId: number, { at, value }: Series, zone: StudyZone, span: StudySpan): StudyPoint {
  const held = weights(at, span.to, span.gapAllowanceMs);
  const point = { channelId, count: at.length, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY };
  let covered = 0;
  let weighted = 0;
  let outsideMs = 0;
  value.forEach((one, i) => {
    const ms = held[i] as number;
    point.min = Math.min(point.min, one);
    point.max = Math.max(point.max, one);
    covered += ms;
    weighted += one * ms;
    if (one < zone.min || one > zone.max) outsideMs += ms;
  });
  return {
    ...point,
    mean: weighted / covered,
    meanKinetic: meanKineticTemperature(value, held),
    coverage: covered / (span.to - span.from),
    outsideMs,
  };
}

/** Data structure that gives the minimum of values which change one by one, in logarithmic time. */
function createLeast(size: number) {
  // A binary tree in an array: the leaves are the second half, and each node is the smaller one of its
  // children.
  const nodes = new Float64Array(2 * size).fill(Number.POSITIVE_INFINITY);
  return {
    set(index: number, value: number): void {
      let at = index + size;
      nodes[at] = value;
      for (at >>= 1; at > 0; at >>= 1)
        nodes[at] = Math.min(nodes[2 * at] as number, nodes[2 * at + 1] as number);
    },
    least: () => nodes[1] as number,
    /** Returns the index of a minimum. */
    which(): number {
      let at = 1;
      while (at < size) at = nodes[2 * at] === nodes[1] ? 2 * at : 2 * at + 1;
      return at - size;
    },
  };
}

/**
 * Returns the greatest difference between sensors. It goes through all readings in order of time with the
 * last value of each sensor, unless that value is too old.
 */
function uniformityOf(series: readonly Series[], gapAllowanceMs: number): number {
  const due = createLeast(series.length);
  const low = createLeast(series.length);
  /** The values are negated, so that their minimum is the maximum. */
  const high = createLeast(series.length);
  const next = series.map(() => 0);
  /** True while the next event of a sensor is that its last value becomes too old. */
  const fading = series.map(() => false);
  const nextAt = (i: number) => (series[i] as Series).at[next[i] as number] ?? Number.POSITIVE_INFINITY;
  for (const i of series.keys()) due.set(i, nextAt(i));
  let widest = 0;
  for (let moment = due.least(); moment < Number.POSITIVE_INFINITY; moment = due.least()) {
    const faded: number[] = [];
    while (due.least() === moment) {
      const i = due.which();
      if (fading[i]) {
        fading[i] = false;
        faded.push(i);
        due.set(i, nextAt(i));
        continue;
      }
      const value = (series[i] as Series).value[next[i] as number] as number;
      low.set(i, value);
      high.set(i, -value);
      next[i] = (next[i] as number) + 1;
      fading[i] = nextAt(i) - moment > gapAllowanceMs;
      due.set(i, fading[i] ? moment + gapAllowanceMs : nextAt(i));
    }
    widest = Math.max(widest, -high.least() - low.least());
    for (const i of faded) {
      low.set(i, Number.POSITIVE_INFINITY);
      high.set(i, Number.POSITIVE_INFINITY);
    }
  }
  return widest;
}
