import type { Series } from '../readings/series.ts';

/** Kinds of studies (requirements §3). */
export const STUDY_TYPES = ['full', 'empty', 'periodic'] as const;
export type StudyType = (typeof STUDY_TYPES)[number];

/**
 * Activation energy over the gas constant, K: 83.144 kJ/mol, the default of USP <1079.2> where a product's own is not
 * known.
 */
const ACTIVATION_K = 83_144 / 8.314_472;
const ZERO_CELSIUS_K = 273.15;

/** Each reading holds until the next, though not for longer than its gap allowance. Milliseconds. */
function weights(at: Float64Array, until: number, gapAllowanceMs: number): Float64Array {
  return at.map((moment, i) => Math.min((at[i + 1] ?? until) - moment, gapAllowanceMs));
}

/**
 * Mean kinetic temperature, °C: the constant temperature that does to a product what the measured one did, so that
 * warm hours count for more than cold ones. NaN for no readings.
 */
export function meanKineticTemperature(values: Float64Array, weight: Float64Array): number {
  let sum = 0;
  let total = 0;
  values.forEach((value, i) => {
    sum += (weight[i] as number) * Math.exp(-ACTIVATION_K / (value + ZERO_CELSIUS_K));
    total += weight[i] as number;
  });
  return ACTIVATION_K / -Math.log(sum / total) - ZERO_CELSIUS_K;
}

/** A sensor's part in a study; temperatures in °C. */
export interface StudyPoint {
  channelId: number;
  count: number;
  min: number;
  max: number;
  /** Weighted by the time that each reading held. */
  mean: number;
  meanKinetic: number;
  /** Share of the study's time that readings vouch for, 0 to 1. */
  coverage: number;
  /** Time outside the zone, ms. */
  outsideMs: number;
}

/** What must be met; temperatures in °C, both limits included. */
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
  /** Greatest difference between any two sensors at the same moment, °C; 0 for a single one. */
  uniformity: number;
  /** Channels of the highest maximum and the lowest minimum. */
  hotSpot: number;
  coldSpot: number;
  verdict: StudyVerdict;
}

/** Less than this of the time, and a study says nothing. */
export const ENOUGH_COVERAGE = 0.95;

interface StudySpan {
  /** Epoch ms, `to` not included. */
  from: number;
  to: number;
  gapAllowanceMs: number;
}

/** Judges what the channels measured in the span. Null when none of them measured anything. */
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

/** Walks all readings in order of time with what each sensor said last, unless that is too long ago. */
function uniformityOf(series: readonly Series[], gapAllowanceMs: number): number {
  const next = series.map(() => 0);
  let widest = 0;
  for (;;) {
    let moment = Number.POSITIVE_INFINITY;
    series.forEach(({ at }, i) => {
      moment = Math.min(moment, at[next[i] as number] ?? Number.POSITIVE_INFINITY);
    });
    if (moment === Number.POSITIVE_INFINITY) return widest;
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    series.forEach(({ at, value }, i) => {
      const index = next[i] as number;
      if (at[index] === moment) next[i] = index + 1;
      const last = (next[i] as number) - 1;
      if (last < 0 || moment - (at[last] as number) > gapAllowanceMs) return;
      low = Math.min(low, value[last] as number);
      high = Math.max(high, value[last] as number);
    });
    widest = Math.max(widest, high - low);
  }
}
