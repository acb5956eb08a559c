import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import {
  type Aggregates,
  type CurveSeries,
  type getAggregates,
  type getCurve,
  MAX_AGGREGATE_RANGE_MS,
  MAX_CURVE_RANGE_MS,
  type WrongClock,
} from '@isotherm/contracts/telemetry';
import { defaultGapAllowanceMs } from '@isotherm/domain/alarms/alarm-machine';
import { type Buckets, meanOf, NO_LIMITS, steadyBounds, totalOf } from '@isotherm/domain/readings/buckets';
import { bucketStepMs, findGaps } from '@isotherm/domain/readings/gaps';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { localDayBounds } from '@isotherm/domain/readings/local-days';
import type { Series } from '@isotherm/domain/readings/series';
import type pg from 'pg';
import type { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { type CurveChannelRow, findCurveChannels, listAlarmSpans } from './curve.repo.ts';
import { listWrongClocks } from './device-clocks.repo.ts';
import { type ReducedHistory, reduceHistory } from './history.ts';

type CurveQuery = z.output<(typeof getCurve)['query']>;
type AggregatesQuery = z.output<(typeof getAggregates)['query']>;

export interface TelemetryService {
  curve(caller: Pick<Caller, 'scope'>, query: CurveQuery): Promise<ResponseOf<typeof getCurve>>;
  aggregates(caller: Caller, query: AggregatesQuery): Promise<Aggregates>;
}

/**
 * Changes of a switch are few and returned exactly up to this number; measured quantities are reduced when
 * there are more points than can be seen.
 */
const MOST_OF_A_SWITCH = 20_000;

export function createTelemetryService(pool: pg.Pool, clock: Clock): TelemetryService {
  /**
   * Returns channels in the requested order. Throws `channel.not_found` when any is outside the caller's
   * scope.
   */
  async function channelsOf(
    caller: Pick<Caller, 'scope'>,
    ids: readonly number[],
  ): Promise<CurveChannelRow[]> {
    const channels = new Map((await findCurveChannels(pool, caller.scope, ids)).map((row) => [row.id, row]));
    return [...new Set(ids)].map((id) => {
      const channel = channels.get(id);
      if (!channel) throw new AppError('channel.not_found');
      return channel;
    });
  }

  async function wrongClocksOf(ids: readonly number[], from: number, to: number) {
    const found = new Map<number, WrongClock[]>();
    for (const row of await listWrongClocks(pool, ids, new Date(from), new Date(to))) {
      const own = found.get(row.channel_id) ?? [];
      found.set(row.channel_id, own);
      own.push({
        from: row.valid_from.toISOString(),
        until: row.valid_until?.toISOString() ?? null,
        offsetMs: row.offset_ms,
      });
    }
    return found;
  }

  return {
    /** Throws `curve.range`, and `channel.not_found` when any channel is outside the caller's scope. */
    async curve(caller, query) {
      const { from, to } = rangeOf(query, MAX_CURVE_RANGE_MS);
      const channels = await channelsOf(caller, query.channels);
      const stepMs = bucketStepMs(to - from, query.points);
      const bounds = steadyBounds(from, to, stepMs);
      const starts = bounds.slice();
      bounds[0] = from;
      bounds[bounds.length - 1] = to;
      const now = clock.now();
      const reduce = async (switches: boolean, most: number) => {
        const own = channels.filter((row) => (INDICATORS[row.indicator].kind === 'switch') === switches);
        return own.length === 0
          ? []
          : [...(await reduceHistory(pool, own.map(toReduced), bounds, now, most, query.told))];
      };
      const reduced = new Map([
        ...(await reduce(false, query.points)),
        ...(await reduce(true, MOST_OF_A_SWITCH)),
      ]);
      const window = { from, to: Math.min(to, now) };
      const wrongClocks = await wrongClocksOf(query.channels, from, to);
      const spans = await listAlarmSpans(pool, query.channels, new Date(from), new Date(to));
      return {
        from: query.from,
        to: query.to,
        series: channels.map((channel) =>
          seriesOf(
            channel,
            reduced.get(channel.id) as ReducedHistory,
            wrongClocks.get(channel.id) ?? [],
            starts,
            stepMs,
            window,
          ),
        ),
        alarms: spans.map((row) => ({
          alarmId: row.id,
          channelId: row.channel_id,
          level: row.level,
          kind: row.kind,
          since: row.since.toISOString(),
          raisedAt: row.raised_at.toISOString(),
          endedAt: row.ended_at?.toISOString() ?? null,
        })),
      };
    },

    /** Throws what `curve` throws. */
    async aggregates(caller, query) {
      const { from, to } = rangeOf(query, MAX_AGGREGATE_RANGE_MS[query.period]);
      const channels = await channelsOf(caller, query.channels);
      const bounds = periodBounds(from, to, query.period, query.zone);
      const now = clock.now();
      const reduced = await reduceHistory(pool, channels.map(toReduced), bounds, now, 0);
      const wrongClocks = await wrongClocksOf(query.channels, from, to);
      return {
        at: [...bounds.subarray(0, -1)],
        to: bounds[bounds.length - 1] as number,
        series: channels.map((channel) => ({
          channelId: channel.id,
          name: channel.name,
          indicator: channel.indicator,
          ...aggregatesOf((reduced.get(channel.id) as ReducedHistory).buckets, now),
          estimated: wrongClocks.get(channel.id) ?? [],
        })),
      };
    },
  };
}

/** Returns the range in epoch ms. Throws `curve.range` for a range that is empty or longer than `most`. */
export function rangeOf(query: { from: string; to: string }, most: number): { from: number; to: number } {
  const from = Date.parse(query.from);
  const to = Date.parse(query.to);
  if (to <= from || to - from > most) throw new AppError('curve.range', { days: most / 86_400_000 });
  return { from, to };
}

function toReduced(channel: CurveChannelRow) {
  return {
    id: channel.id,
    gapAllowanceMs: defaultGapAllowanceMs(channel.acquisition_interval_ms),
    limits: { low: channel.low ?? NO_LIMITS.low, high: channel.high ?? NO_LIMITS.high },
  };
}

interface Window {
  from: number;
  /** End of the window, not later than now. */
  to: number;
}

/** Returns the sources of a channel; empty if the same sensor measured all the time. */
function sourcesOf({ past, device, serial }: CurveChannelRow, { from }: Window): CurveSeries['sources'] {
  const shown = past
    .map((each) => ({ ...each, until: new Date(each.until).toISOString() }))
    .filter(({ until }) => Date.parse(until) > from);
  return shown.length === 0 ? [] : [...shown, { device, serial, until: null }];
}

function seriesOf(
  channel: CurveChannelRow,
  { buckets, readings }: ReducedHistory,
  wrongClocks: CurveSeries['estimated'],
  starts: Float64Array,
  stepMs: number,
  window: Window,
): CurveSeries {
  const points = readings ? pointsOf(readings) : bucketPoints(buckets, starts, stepMs);
  const total = totalOf(buckets);
  return {
    channelId: channel.id,
    name: channel.name,
    indicator: channel.indicator,
    low: channel.low,
    high: channel.high,
    corrected: channel.corrected,
    hiddenFrom:
      channel.expires_at && channel.expires_at.getTime() < window.to
        ? channel.expires_at.toISOString()
        : null,
    calibrationEndedAt:
      channel.calibration_ended_at && channel.calibration_ended_at.getTime() < window.to
        ? channel.calibration_ended_at.toISOString()
        : null,
    sources: sourcesOf(channel, window),
    estimated: wrongClocks,
    gaps: findGaps(
      readings ? Array.from(readings.at, (at) => [at, at] as const) : stretchesOf(buckets),
      window.from,
      window.to,
      defaultGapAllowanceMs(channel.acquisition_interval_ms),
    ).map((gap) => ({ from: new Date(gap.from).toISOString(), to: new Date(gap.to).toISOString() })),
    ...points,
    statistics:
      total.count === 0
        ? null
        : { ...total, outsideMs: Math.round(total.outsideMs), expected: expectedReadings(channel, window) },
  };
}

function pointsOf({ at, value }: Series) {
  const values = [...value];
  return { stepMs: null, at: [...at], min: values, max: values, mean: values };
}

/** Returns the indexes of buckets with readings. */
function filled(buckets: Buckets): number[] {
  return [...buckets.count.keys()].filter((bucket) => (buckets.count[bucket] as number) > 0);
}

function bucketPoints(buckets: Buckets, starts: Float64Array, stepMs: number) {
  const own = filled(buckets);
  return {
    stepMs,
    at: own.map((bucket) => starts[bucket] as number),
    min: own.map((bucket) => buckets.min[bucket] as number),
    max: own.map((bucket) => buckets.max[bucket] as number),
    mean: own.map((bucket) => rounded(meanOf(buckets, bucket))),
  };
}

/**
 * Returns the periods with readings; the first and last readings of the buckets show every gap between
 * buckets.
 */
function stretchesOf(buckets: Buckets) {
  return filled(buckets).map(
    (bucket) => [buckets.firstAt[bucket] as number, buckets.lastAt[bucket] as number] as const,
  );
}

/** Rounds a mean to more digits than any sensor has and fewer than a double has. */
function rounded(mean: number): number {
  return Math.round(mean * 10_000) / 10_000;
}

function expectedReadings(channel: CurveChannelRow, { from, to }: Window): number {
  return Math.max(0, Math.round((to - from) / channel.acquisition_interval_ms));
}

const PERIOD_MS = { '5-minutes': 300_000, hour: 3_600_000 } as const;

/**
 * Returns the bounds of whole periods in the zone's local time, from the one that contains `from` to the one
 * that contains `to`.
 */
function periodBounds(
  from: number,
  to: number,
  period: AggregatesQuery['period'],
  zone: string,
): Float64Array {
  const days = localDayBounds(from, to, zone);
  if (period === 'day') return days;
  const step = PERIOD_MS[period];
  const bounds: number[] = [];
  for (let day = 0; day + 1 < days.length; day++)
    for (let at = days[day] as number; at < (days[day + 1] as number); at += step)
      if (at + step > from && at < to) bounds.push(at);
  return Float64Array.from([...bounds, Math.min((bounds.at(-1) as number) + step, days.at(-1) as number)]);
}

function aggregatesOf(buckets: Buckets, now: number) {
  const { bounds, count, min, max, coveredMs, integral } = buckets;
  const each = <T>(of: (bucket: number) => T) => Array.from(count.keys(), of);
  const known = (bucket: number) => Math.min(bounds[bucket + 1] as number, now) - (bounds[bucket] as number);
  const has = (bucket: number) => (count[bucket] as number) > 0;
  return {
    count: [...count],
    min: each((bucket) => (has(bucket) ? (min[bucket] as number) : null)),
    max: each((bucket) => (has(bucket) ? (max[bucket] as number) : null)),
    mean: each((bucket) => {
      const covered = coveredMs[bucket] as number;
      return covered > 0 ? rounded((integral[bucket] as number) / covered) : null;
    }),
    coverage: each((bucket) =>
      known(bucket) > 0 ? Math.round(((coveredMs[bucket] as number) / known(bucket)) * 1000) / 10 : null,
    ),
  };
}
