import { setImmediate } from 'node:timers/promises';
import { AppError, type ErrorCode } from '@isotherm/contracts/errors';
import { MAX_REPORT_DAYS } from '@isotherm/contracts/reports';
import { defaultGapAllowanceMs } from '@isotherm/domain/alarms/alarm-machine';
import { type Buckets, createReducer, NO_LIMITS, steadyBounds } from '@isotherm/domain/readings/buckets';
import { bucketStepMs } from '@isotherm/domain/readings/gaps';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { NO_READINGS, type Series, sliceSeries } from '@isotherm/domain/readings/series';
import {
  createDayRecords,
  type DayRecord,
  type LocalDay,
  localDays,
} from '@isotherm/domain/reports/day-records';
import {
  createRecordStatistics,
  type LimitSpan,
  limitSpans,
  type RecordStatistics,
} from '@isotherm/domain/reports/record-statistics';
import { checkTimeRange, type RangeFault } from '@isotherm/domain/reports/time-range';
import type pg from 'pg';
import type { Caller } from '../../platform/http/caller.ts';
import { loadSeries } from '../telemetry/index.ts';
import {
  findLimitVersions,
  findReportAssets,
  findReportChannels,
  type LimitVersionRow,
  type ReportAsset,
  type ReportChannel,
} from './reports.repo.ts';

/** Readings that are in memory at the same time while statistics are computed. */
const READINGS_AT_ONCE = 400_000;
const CELSIUS = '°C';

const FAULT: Record<RangeFault, ErrorCode> = {
  missing: 'time.selInput',
  'no-maximum': 'time.no_maximum',
  format: 'time.format',
  order: 'time.order',
  'too-long': 'time.too_long',
};

/** Range of a report in epoch ms. Throws the fault of requirements §5 that comes first. */
export function reportRange(
  asked: { from?: string | undefined; to?: string | undefined },
  days = MAX_REPORT_DAYS,
): ReportRange {
  const checked = checkTimeRange(asked.from, asked.to, days);
  if (checked.fault !== null) throw new AppError(FAULT[checked.fault], { days });
  return { from: checked.from, to: checked.to };
}

export interface ReportRange {
  from: number;
  /** Exclusive. */
  to: number;
}

/** Returns the assets of a report. Throws `asset.not_found` if any is outside the caller's scope. */
export async function reportAssets(
  pool: pg.Pool,
  caller: Caller,
  ids: readonly number[],
): Promise<ReportAsset[]> {
  const wanted = [...new Set(ids)];
  const assets = await findReportAssets(pool, caller.scope, wanted);
  if (assets.length !== wanted.length) throw new AppError('asset.not_found');
  return assets;
}

/** A channel of a report, with the limits in force in its range. */
export interface ReportedChannel extends ReportChannel {
  spans: LimitSpan[];
  versions: LimitVersionRow[];
  /** Days of the range in the time zone of the organisation, for temperatures only. */
  days: LocalDay[];
  /** Limits of these days, which may begin before the range and end after it. */
  daySpans: LimitSpan[];
}

/** Returns the channels of assets in the order of the report. */
export async function reportChannels(
  pool: pg.Pool,
  assets: readonly ReportAsset[],
  range: ReportRange,
): Promise<ReportedChannel[]> {
  const channels = await findReportChannels(
    pool,
    assets.map(({ id }) => id),
    new Date(range.from),
  );
  return withLimits(pool, channels, range);
}

/** Adds the days of a range and the limits in force to channels. */
export async function withLimits(
  pool: pg.Pool,
  channels: readonly ReportChannel[],
  { from, to }: ReportRange,
): Promise<ReportedChannel[]> {
  const ofZone = new Map<string, LocalDay[]>();
  const daysIn = (zone: string) => {
    const known = ofZone.get(zone) ?? localDays(from, to, zone);
    ofZone.set(zone, known);
    return known;
  };
  const prepared = channels.map((channel) => {
    const days = channel.indicator === 'temperature' ? daysIn(channel.zone) : [];
    return { channel, days, reach: reachOf(channel, days, { from, to }) };
  });
  const versions = new Map<number, LimitVersionRow[]>();
  const ids = channels.map(({ id }) => id);
  const first = prepared.reduce((least, { reach }) => Math.min(least, reach.from), from);
  const last = prepared.reduce((most, { reach }) => Math.max(most, reach.to), to);
  for (const row of await findLimitVersions(pool, ids, new Date(first), new Date(last)))
    versions.set(row.channelId, [...(versions.get(row.channelId) ?? []), row]);
  return prepared.map(({ channel, days, reach }) => {
    const all = versions.get(channel.id) ?? [];
    const own = all.filter((version) => version.from < to && version.until > from);
    return {
      ...channel,
      versions: own,
      spans: limitSpans(own, from, to),
      days,
      daySpans: limitSpans(all, reach.from, reach.to),
    };
  });
}

/** Readings that count for the days of a channel: also those beside the first and last one, which hold across midnight. */
function reachOf({ intervalMs }: ReportChannel, days: readonly LocalDay[], range: ReportRange): ReportRange {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return range;
  const beside = defaultGapAllowanceMs(intervalMs);
  return { from: Math.min(range.from, first.from - beside), to: Math.max(range.to, last.to + beside) };
}

/** A row of the summary. Values are null without readings. */
export interface SummaryRow {
  channel: ReportedChannel;
  statistics: RecordStatistics | null;
  /** Share of the range up to now that readings cover, 0 to 1; null if the range is in the future. */
  coverage: number | null;
  /** Null if no limit was in force. */
  outsideMs: number | null;
  /** Null for quantities other than temperatures. */
  meanKinetic: number | null;
  /** Empty for quantities other than temperatures, and if no days were wanted. */
  days: DayRecord[];
  /** Lowest and highest values for a chart; null if no chart was wanted. */
  buckets: Buckets | null;
}

/** What is computed besides the statistics, from the same readings. */
export interface SummaryParts {
  days?: boolean;
  /** Number of points of a chart. */
  points?: number;
}

/**
 * Computes the statistics of channels, a few at a time. `between` is called before each portion and may throw to end
 * the work; it also lets other work of the process come first.
 */
export async function summarize(
  pool: pg.Pool,
  channels: readonly ReportedChannel[],
  range: ReportRange,
  now: number,
  between: (part: number) => Promise<void>,
  parts: SummaryParts = {},
): Promise<SummaryRow[]> {
  const { from, to } = range;
  const { days = false, points = 0 } = parts;
  const bounds = points > 0 ? steadyBounds(from, to, bucketStepMs(Math.max(1, to - from), points)) : null;
  const rows: SummaryRow[] = [];
  while (rows.length < channels.length) {
    await between(rows.length / channels.length);
    const some = nextPortion(channels.slice(rows.length), to - from);
    const reaches = some.map((channel) => (days ? reachOf(channel, channel.days, range) : range));
    const series =
      from < to
        ? await loadSeries(
            pool,
            some.map(({ id }) => id),
            Math.min(...reaches.map((reach) => reach.from)),
            Math.max(...reaches.map((reach) => reach.to)),
          )
        : new Map<number, Series>();
    for (const channel of some) {
      rows.push(rowOf(channel, series.get(channel.id) ?? NO_READINGS, range, now, days, bounds));
      await setImmediate();
    }
  }
  return rows;
}

function nextPortion(channels: readonly ReportedChannel[], lengthMs: number): ReportedChannel[] {
  let readings = 0;
  const some = channels.findIndex(({ intervalMs }, index) => {
    readings += lengthMs / intervalMs;
    return index > 0 && readings > READINGS_AT_ONCE;
  });
  return channels.slice(0, some === -1 ? channels.length : some);
}

function rowOf(
  channel: ReportedChannel,
  readings: Series,
  { from, to }: ReportRange,
  now: number,
  withDays: boolean,
  bounds: Float64Array | null,
): SummaryRow {
  const gapAllowanceMs = defaultGapAllowanceMs(channel.intervalMs);
  const known = Math.min(to, now);
  const inside = sliceSeries(readings, from, to);
  const collector = createRecordStatistics(gapAllowanceMs, channel.spans);
  collector.add(inside);
  const statistics = collector.finish(known);
  const hasLimits = channel.versions.length > 0;
  const isTemperature = INDICATORS[channel.indicator].unit === CELSIUS;
  return {
    channel,
    statistics,
    coverage: known > from ? Math.min(1, (statistics?.coveredMs ?? 0) / (known - from)) : null,
    outsideMs: hasLimits && statistics ? statistics.outsideMs : null,
    meanKinetic: isTemperature ? (statistics?.meanKinetic ?? null) : null,
    days: withDays ? daysOf(channel, readings, gapAllowanceMs, now) : [],
    buckets: bounds && bucketsOf(bounds, inside, gapAllowanceMs, known),
  };
}

function daysOf(
  { days, daySpans }: ReportedChannel,
  readings: Series,
  gapAllowanceMs: number,
  now: number,
): DayRecord[] {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return [];
  const collector = createDayRecords(days, gapAllowanceMs, daySpans);
  // Other channels of the portion may reach farther.
  collector.add(sliceSeries(readings, first.from - gapAllowanceMs, last.to + gapAllowanceMs));
  return collector.finish(now);
}

function bucketsOf(bounds: Float64Array, readings: Series, gapAllowanceMs: number, known: number): Buckets {
  const reducer = createReducer(bounds, gapAllowanceMs, NO_LIMITS);
  reducer.add(readings);
  return reducer.finish(known);
}

/** Share of the covered time within the limits, 0 to 1; null if no limit was in force, or nothing is covered. */
export const insideOf = ({ statistics, outsideMs }: SummaryRow): number | null =>
  statistics === null || outsideMs === null || statistics.coveredMs === 0
    ? null
    : 1 - outsideMs / statistics.coveredMs;

/** Returns the mean coverage of the rows; null if none has a range in the past. */
export function completenessOf(rows: readonly SummaryRow[]): number | null {
  const known = rows.flatMap(({ coverage }) => coverage ?? []);
  return known.length === 0 ? null : known.reduce((sum, each) => sum + each, 0) / known.length;
}
