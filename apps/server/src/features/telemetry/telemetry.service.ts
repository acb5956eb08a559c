import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import { type CurveSeries, type getCurve, MAX_CURVE_RANGE_MS } from '@isotherm/contracts/telemetry';
import { defaultGapAllowanceMs } from '@isotherm/domain/alarms/alarm-machine';
import { bucketStepMs, findGaps } from '@isotherm/domain/readings/gaps';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { type Sample, windowStatistics } from '@isotherm/domain/readings/statistics';
import type pg from 'pg';
import type { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import type { Caller } from '../../platform/http/caller.ts';
import {
  type BucketTuple,
  type CurveChannelRow,
  countReadings,
  findCurveChannels,
  listAlarmSpans,
  listCurveBuckets,
  listReadings,
} from './curve.repo.ts';

type CurveQuery = z.output<(typeof getCurve)['query']>;

export interface TelemetryService {
  curve(caller: Caller, query: CurveQuery): Promise<ResponseOf<typeof getCurve>>;
}

export function createTelemetryService(pool: pg.Pool, clock: Clock): TelemetryService {
  async function seriesOf(
    channel: CurveChannelRow,
    from: Date,
    to: Date,
    points: number,
  ): Promise<CurveSeries> {
    const rangeMs = to.getTime() - from.getTime();
    // Switches are few and exact; quantities are reduced only when there is more than the eye can tell apart.
    const isSwitch = INDICATORS[channel.indicator].kind === 'switch';
    const rawLimit = isSwitch ? 20_000 : points;
    const isRaw = (await countReadings(pool, channel.id, from, to, rawLimit + 1)) <= rawLimit;
    const known = Math.min(to.getTime(), clock.now());
    if (isRaw)
      return rawSeries(channel, await listReadings(pool, channel.id, from, to), from.getTime(), known);
    const stepMs = bucketStepMs(rangeMs, points);
    const buckets = await listCurveBuckets(pool, channel, from, to, stepMs);
    return bucketSeries(channel, buckets, stepMs, from.getTime(), known);
  }

  return {
    /** Throws `curve.range`, and `channel.not_found` when any channel is outside the caller's scope. */
    async curve(caller, query) {
      const from = new Date(query.from);
      const to = new Date(query.to);
      const range = to.getTime() - from.getTime();
      if (range <= 0 || range > MAX_CURVE_RANGE_MS)
        throw new AppError('curve.range', { days: MAX_CURVE_RANGE_MS / 86_400_000 });
      const channels = await findCurveChannels(pool, caller.scope, query.channels);
      if (channels.length !== new Set(query.channels).size) throw new AppError('channel.not_found');
      const ordered = query.channels.map(
        (id) => channels.find((channel) => channel.id === id) as CurveChannelRow,
      );
      const series: CurveSeries[] = [];
      for (const channel of ordered) series.push(await seriesOf(channel, from, to, query.points));
      const spans = await listAlarmSpans(pool, query.channels, from, to);
      return {
        from: query.from,
        to: query.to,
        series,
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
  };
}

function describe(
  channel: CurveChannelRow,
  stretches: readonly (readonly [number, number])[],
  from: number,
  to: number,
) {
  const allowance = defaultGapAllowanceMs(channel.acquisition_interval_ms);
  return {
    channelId: channel.id,
    name: channel.name,
    indicator: channel.indicator,
    low: channel.low,
    high: channel.high,
    gaps: findGaps(stretches, from, to, allowance).map((gap) => ({
      from: new Date(gap.from).toISOString(),
      to: new Date(gap.to).toISOString(),
    })),
  };
}

function isOutside(channel: CurveChannelRow, value: number): boolean {
  return (channel.high !== null && value > channel.high) || (channel.low !== null && value < channel.low);
}

function rawSeries(
  channel: CurveChannelRow,
  readings: [number, number][],
  from: number,
  to: number,
): CurveSeries {
  const at = readings.map(([moment]) => moment);
  const values = readings.map(([, value]) => value);
  return {
    ...describe(
      channel,
      at.map((moment) => [moment, moment] as const),
      from,
      to,
    ),
    stepMs: null,
    at,
    min: values,
    max: values,
    mean: values,
    statistics: statisticsOf(
      channel,
      readings.map(([moment, value]) => ({
        at: moment,
        mean: value,
        outside: isOutside(channel, value) ? 1 : 0,
      })),
      { count: values.length, minima: values, maxima: values, stepMs: 0 },
      from,
      to,
    ),
  };
}

function bucketSeries(
  channel: CurveChannelRow,
  buckets: readonly BucketTuple[],
  stepMs: number,
  from: number,
  to: number,
): CurveSeries {
  // First and last reading of each bucket show every gap that reaches from one bucket into another.
  const stretches = buckets.map(([, , , , first, last]) => [first, last] as const);
  const minima = buckets.map((bucket) => bucket[1]);
  const maxima = buckets.map((bucket) => bucket[2]);
  return {
    ...describe(channel, stretches, from, to),
    stepMs,
    at: buckets.map((bucket) => bucket[0]),
    min: minima,
    max: maxima,
    mean: buckets.map((bucket) => bucket[3]),
    statistics: statisticsOf(
      channel,
      buckets.map(([, , , mean, first, , count, outside]) => ({ at: first, mean, outside: outside / count })),
      { count: buckets.reduce((sum, bucket) => sum + bucket[6], 0), minima, maxima, stepMs },
      from,
      to,
    ),
  };
}

function statisticsOf(
  channel: CurveChannelRow,
  samples: readonly Sample[],
  all: { count: number; minima: readonly number[]; maxima: readonly number[]; stepMs: number },
  from: number,
  to: number,
): CurveSeries['statistics'] {
  // From the first reading of one bucket to the first of the next there may be a bucket and a silence.
  const allowance = defaultGapAllowanceMs(channel.acquisition_interval_ms) + all.stepMs;
  const statistics = windowStatistics(samples, to, allowance);
  return (
    statistics && {
      ...statistics,
      count: all.count,
      expected: expectedReadings(channel, from, to),
      min: all.minima.reduce((a, b) => Math.min(a, b)),
      max: all.maxima.reduce((a, b) => Math.max(a, b)),
    }
  );
}

function expectedReadings(channel: CurveChannelRow, from: number, to: number): number {
  return Math.max(0, Math.round((to - from) / channel.acquisition_interval_ms));
}
