import { kineticRate, temperatureOfRate } from '../readings/mean-kinetic.ts';
import type { Series } from '../readings/series.ts';

/** A limit of a channel and the time in which its version was in force; epoch ms, the end may be infinite. */
export interface LimitVersion {
  kind: 'low' | 'high';
  limit: number;
  from: number;
  until: number;
}

/** Limits of a channel in a stretch of time: those of the strictest rules in force. Without a rule, they are infinite. */
export interface LimitSpan {
  from: number;
  until: number;
  low: number;
  high: number;
}

/** Returns the limits from `from` to `to` in stretches without gaps, each with the same limits. */
export function limitSpans(versions: readonly LimitVersion[], from: number, to: number): LimitSpan[] {
  const inside = versions.flatMap((each) => [each.from, each.until]).filter((at) => at > from && at < to);
  const bounds = [...new Set([from, ...inside, to])].sort((a, b) => a - b);
  const spans: LimitSpan[] = [];
  for (const [index, begin] of bounds.slice(0, -1).entries()) {
    const until = bounds[index + 1] as number;
    const limits = (kind: LimitVersion['kind']) =>
      versions
        .filter((each) => each.kind === kind && each.from <= begin && each.until >= until)
        .map(({ limit }) => limit);
    const low = Math.max(Number.NEGATIVE_INFINITY, ...limits('low'));
    const high = Math.min(Number.POSITIVE_INFINITY, ...limits('high'));
    const last = spans.at(-1);
    if (last && last.low === low && last.high === high) last.until = until;
    else spans.push({ from: begin, until, low, high });
  }
  return spans;
}

/** What a report states about one channel. Means are weighted by time. */
export interface RecordStatistics {
  count: number;
  min: number;
  minAt: number;
  max: number;
  maxAt: number;
  /** Null if no reading counts for any time: single readings between gaps. */
  mean: number | null;
  /** Mean kinetic temperature; only meaningful for temperatures. */
  meanKinetic: number | null;
  /** Time that readings cover. */
  coveredMs: number;
  /** Time outside the limits in force at the time of each reading (decision 24). */
  outsideMs: number;
}

/**
 * Computes the statistics of a channel, segment by segment in order of time. Each reading counts until the next one,
 * and never across a gap (decision 7).
 */
export function createRecordStatistics(gapAllowanceMs: number, spans: readonly LimitSpan[]) {
  const total = {
    count: 0,
    min: Number.POSITIVE_INFINITY,
    minAt: 0,
    max: Number.NEGATIVE_INFINITY,
    maxAt: 0,
  };
  let coveredMs = 0;
  let outsideMs = 0;
  let integral = 0;
  let kinetic = 0;
  let lastAt = 0;
  let lastValue = 0;
  let span = 0;

  function hold(until: number): void {
    const ms = until - lastAt;
    if (total.count === 0 || ms <= 0 || ms > gapAllowanceMs) return;
    coveredMs += ms;
    integral += lastValue * ms;
    kinetic += kineticRate(lastValue) * ms;
    while (span < spans.length && (spans[span] as LimitSpan).until <= lastAt) span++;
    const limits = spans[span];
    if (limits && (lastValue < limits.low || lastValue > limits.high)) outsideMs += ms;
  }

  return {
    add({ at, value }: Series): void {
      for (let i = 0; i < at.length; i++) {
        const moment = at[i] as number;
        const reading = value[i] as number;
        hold(moment);
        total.count++;
        if (reading < total.min) {
          total.min = reading;
          total.minAt = moment;
        }
        if (reading > total.max) {
          total.max = reading;
          total.maxAt = moment;
        }
        lastAt = moment;
        lastValue = reading;
      }
    },
    /** Returns the statistics; `known` is the time up to which data is known. Null without readings. */
    finish(known: number): RecordStatistics | null {
      hold(known);
      if (total.count === 0) return null;
      const isCovered = coveredMs > 0;
      return {
        ...total,
        mean: isCovered ? integral / coveredMs : null,
        meanKinetic: isCovered ? temperatureOfRate(kinetic / coveredMs) : null,
        coveredMs,
        outsideMs,
      };
    },
  };
}
