import { AppError, type ErrorCode } from '@isotherm/contracts/errors';
import { MAX_REPORT_DAYS } from '@isotherm/contracts/reports';
import { defaultGapAllowanceMs } from '@isotherm/domain/alarms/alarm-machine';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { NO_READINGS } from '@isotherm/domain/readings/series';
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
}

/** Returns the channels of assets in the order of the report. */
export async function reportChannels(
  pool: pg.Pool,
  assets: readonly ReportAsset[],
  { from, to }: ReportRange,
): Promise<ReportedChannel[]> {
  const channels = await findReportChannels(
    pool,
    assets.map(({ id }) => id),
    new Date(from),
  );
  const versions = new Map<number, LimitVersionRow[]>();
  const ids = channels.map(({ id }) => id);
  for (const row of await findLimitVersions(pool, ids, new Date(from), new Date(to)))
    versions.set(row.channelId, [...(versions.get(row.channelId) ?? []), row]);
  return channels.map((channel) => {
    const own = versions.get(channel.id) ?? [];
    return { ...channel, versions: own, spans: limitSpans(own, from, to) };
  });
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
}

/**
 * Computes the statistics of channels, a few at a time. `between` is called before each portion and may throw to end
 * the work; it also lets other work of the process come first.
 */
export async function summarize(
  pool: pg.Pool,
  channels: readonly ReportedChannel[],
  { from, to }: ReportRange,
  now: number,
  between: (part: number) => Promise<void>,
): Promise<SummaryRow[]> {
  const known = Math.min(to, now);
  const rows: SummaryRow[] = [];
  while (rows.length < channels.length) {
    await between(rows.length / channels.length);
    const some = nextPortion(channels.slice(rows.length), to - from);
    const ids = some.map(({ id }) => id);
    const series = from < to ? await loadSeries(pool, ids, from, to) : new Map();
    for (const channel of some) {
      const statistics = createRecordStatistics(defaultGapAllowanceMs(channel.intervalMs), channel.spans);
      statistics.add(series.get(channel.id) ?? NO_READINGS);
      rows.push(rowOf(channel, statistics.finish(known), known - from));
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

function rowOf(channel: ReportedChannel, statistics: RecordStatistics | null, lengthMs: number): SummaryRow {
  const hasLimits = channel.versions.length > 0;
  const isTemperature = INDICATORS[channel.indicator].unit === CELSIUS;
  return {
    channel,
    statistics,
    coverage: lengthMs > 0 ? Math.min(1, (statistics?.coveredMs ?? 0) / lengthMs) : null,
    outsideMs: hasLimits && statistics ? statistics.outsideMs : null,
    meanKinetic: isTemperature ? (statistics?.meanKinetic ?? null) : null,
  };
}

/** Returns the mean coverage of the rows; null if none has a range in the past. */
export function completenessOf(rows: readonly SummaryRow[]): number | null {
  const known = rows.flatMap(({ coverage }) => coverage ?? []);
  return known.length === 0 ? null : known.reduce((sum, each) => sum + each, 0) / known.length;
}
