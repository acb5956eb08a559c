import { MAX_COMPLIANCE_ASSETS, MAX_COMPLIANCE_DAYS } from '@isotherm/contracts/compliance';
import { AppError } from '@isotherm/contracts/errors';
import { defaultGapAllowanceMs } from '@isotherm/domain/alarms/alarm-machine';
import { mktWindowDays } from '@isotherm/domain/readings/mean-kinetic';
import {
  type ClauseResult,
  type ComplianceTotals,
  combineFindings,
  type Finding,
  isTransport,
  type JudgedAsset,
  type JudgedChannel,
  judgeAsset,
  totalsOf,
} from '@isotherm/domain/reports/compliance';
import {
  BAND_BOUNDS,
  type ComplianceCollector,
  type ComplianceStatistics,
  createComplianceStatistics,
} from '@isotherm/domain/reports/compliance-statistics';
import { localDays } from '@isotherm/domain/reports/day-records';
import { type LimitSpan, limitSpans } from '@isotherm/domain/reports/record-statistics';
import {
  type Clause,
  exposuresOf,
  permittedIntervalMs,
  RULE_PACKS,
  type RulePack,
  type RulePackId,
} from '@isotherm/domain/reports/rule-packs';
import type pg from 'pg';
import type { Caller } from '../../../platform/http/caller.ts';
import { digestHistory } from '../../telemetry/index.ts';
import { type ReportRange, reportRange } from '../record-report.ts';
import { findLimitVersions, type LimitVersionRow } from '../reports.repo.ts';
import { countReviewedDays } from '../reviews/daily-reviews.repo.ts';
import {
  type ComplianceAssetRow,
  type ComplianceChannelRow,
  countComplianceAssets,
  countExcursions,
  findAlarmTests,
  findComplianceAssets,
  findComplianceChannels,
  findReportOrganization,
} from './compliance.repo.ts';

/** Channels whose history is digested together. */
const CHANNELS_AT_ONCE = 200;
/** Share of the progress that is spent before histories are read. */
const BEGIN_PART = 0.05;

/** What a compliance report is asked about. */
export interface ComplianceAsked {
  from?: string | undefined;
  to?: string | undefined;
  pack: RulePackId;
  organizationId?: number | undefined;
  assets?: readonly number[] | undefined;
}

/** Numbers of an asset, a site or all. */
export interface ComplianceNumbers extends ComplianceTotals {
  excursions: number;
  unhandled: number;
}

/** An asset in the report. */
export interface AssetLine extends ComplianceNumbers {
  row: ComplianceAssetRow;
  /** Statistics of the temperatures, of which extremes and the mean kinetic temperature are stated. */
  temperatures: { statistics: ComplianceStatistics; windowDays: number }[];
  statistics: (ComplianceStatistics | null)[];
  findings: Finding[];
  failed: string[];
}

export interface SiteLine extends ComplianceNumbers {
  id: number;
  name: string;
  assets: number;
  failing: number;
}

export interface ComplianceReport {
  packId: RulePackId;
  pack: RulePack;
  range: ReportRange;
  /** Name of the organisation, or of the assets. */
  subject: string;
  /** Starts of the months, epoch ms. */
  periods: number[];
  clauses: (Clause & ClauseResult)[];
  totals: ComplianceNumbers;
  sites: SiteLine[];
  /** The worst first. */
  assets: AssetLine[];
}

/** Assets of a report, and what it is called. */
export interface ComplianceSubject {
  rows: ComplianceAssetRow[];
  /** Name of the organisation; null if assets were chosen. */
  organization: string | null;
}

export const complianceRange = (asked: Pick<ComplianceAsked, 'from' | 'to'>): ReportRange =>
  reportRange(asked, MAX_COMPLIANCE_DAYS);

/** Returns the assets that the report is about. Throws `asset.not_found`, `organization.not_found`, `report.too_many_assets`. */
export async function complianceSubject(
  pool: pg.Pool,
  caller: Pick<Caller, 'scope' | 'organizationId'>,
  asked: ComplianceAsked,
  until: Date,
): Promise<ComplianceSubject> {
  const { scope } = caller;
  if (asked.assets) {
    const ids = [...new Set(asked.assets)];
    const rows = await findComplianceAssets(pool, scope, { ids, path: scope }, until, ids.length);
    if (rows.length !== ids.length) throw new AppError('asset.not_found');
    return { rows, organization: null };
  }
  const own = await findReportOrganization(pool, scope, asked.organizationId ?? caller.organizationId);
  if (!own) throw new AppError('organization.not_found');
  const wanted = { ids: null, path: own.path };
  const rows = await findComplianceAssets(pool, scope, wanted, until, MAX_COMPLIANCE_ASSETS + 1);
  if (rows.length > MAX_COMPLIANCE_ASSETS)
    throw new AppError('report.too_many_assets', {
      count: await countComplianceAssets(pool, scope, own.path),
      most: MAX_COMPLIANCE_ASSETS,
    });
  return { rows, organization: own.name };
}

/**
 * Computes a compliance report from the facts of sealed days. `between` is called before each portion and may throw to end
 * the work.
 */
export async function computeCompliance(
  pool: pg.Pool,
  subject: ComplianceSubject & { name: string },
  packId: RulePackId,
  range: ReportRange,
  now: number,
  between: (part: number) => Promise<void>,
): Promise<ComplianceReport> {
  const pack = RULE_PACKS[packId];
  const { rows } = subject;
  const [from, until] = [new Date(range.from), new Date(range.to)];
  await between(0);
  const ids = rows.map(({ id }) => id);
  const siteIds = [...new Set(rows.map(({ siteId }) => siteId))];
  const channels = await findComplianceChannels(pool, ids, from, until);
  const excursions = await countExcursions(pool, ids, from, until);
  const tests = await findAlarmTests(pool, siteIds, until);
  const known = Math.max(range.from, Math.min(range.to, now));
  const periods = monthsOf(range.from, known);
  const kinds = new Map(rows.map(({ id, kind }) => [id, kind]));
  const reviewOf = await reviewsIn(pool, pack, rows, channels, { from: range.from, to: known });
  const input = { pack, from: range.from, known, periods };
  const digested = new Map<number, DigestedChannel[]>();
  for (let at = 0; at < channels.length; at += CHANNELS_AT_ONCE) {
    await between(BEGIN_PART + (1 - BEGIN_PART) * (at / channels.length));
    const some = channels.slice(at, at + CHANNELS_AT_ONCE);
    for (const each of await digest(pool, some, kinds, input)) {
      const own = digested.get(each.row.assetId);
      if (own) own.push(each);
      else digested.set(each.row.assetId, [each]);
    }
  }
  const periodMs = periods.map((begin, index) => (periods[index + 1] ?? known) - begin);
  const assets = rows.map((row): AssetLine => {
    const own = digested.get(row.id) ?? [];
    const counts = excursions.get(row.id) ?? { excursions: 0, unhandled: 0 };
    const judged: JudgedAsset = {
      kind: row.kind,
      channels: own.map((each) => ({ ...judgedOf(each), ...reviewOf(each.row) })),
      ...counts,
      mappedAt: row.mappedAt,
      testedAt: tests.get(row.siteId) ?? null,
    };
    const findings = pack.clauses.map((clause) => judgeAsset(pack, clause, judged, range.to));
    const statistics = own.map((each) => each.statistics);
    return {
      ...totalsOf(statistics, BAND_BOUNDS.length, periodMs),
      ...counts,
      row,
      statistics,
      temperatures: own.flatMap(({ row: { indicator }, statistics, windowDays }) =>
        indicator === 'temperature' && statistics ? [{ statistics, windowDays }] : [],
      ),
      findings,
      failed: pack.clauses.flatMap(({ id }, index) => (findings[index]?.verdict === 'failed' ? [id] : [])),
    };
  });
  const clauses = pack.clauses.map((clause, index) => ({
    ...clause,
    ...combineFindings(
      clause,
      assets.map(({ findings }) => findings[index] as Finding),
    ),
  }));
  const numbersOf = (some: readonly AssetLine[]): ComplianceNumbers => ({
    ...totalsOf(
      some.flatMap(({ statistics }) => statistics),
      BAND_BOUNDS.length,
      periodMs,
    ),
    excursions: some.reduce((sum, each) => sum + each.excursions, 0),
    unhandled: some.reduce((sum, each) => sum + each.unhandled, 0),
  });
  const bySite = new Map<number, AssetLine[]>(siteIds.map((id) => [id, []]));
  for (const line of assets) bySite.get(line.row.siteId)?.push(line);
  const sites = [...bySite].map(
    ([id, some]): SiteLine => ({
      ...numbersOf(some),
      id,
      name: some[0]?.row.site ?? '',
      assets: some.length,
      failing: some.filter(({ failed }) => failed.length > 0).length,
    }),
  );
  return {
    packId,
    pack,
    range,
    subject: subject.name,
    periods,
    clauses,
    totals: numbersOf(assets),
    sites,
    assets: [...assets].sort(
      (a, b) => b.failed.length - a.failed.length || outsideOf(b) - outsideOf(a) || a.row.id - b.row.id,
    ),
  };
}

/** Time outside limits on both sides. */
export const outsideOf = ({ belowMs, aboveMs }: ComplianceTotals): number =>
  [...belowMs, ...aboveMs].reduce((sum, ms) => sum + ms, 0);

interface DigestedChannel {
  row: ComplianceChannelRow;
  statistics: ComplianceStatistics | null;
  windowDays: number;
  low: number | null;
  high: number | null;
}

const judgedOf = ({ row, statistics, low, high }: DigestedChannel) => ({
  isTemperature: row.indicator === 'temperature',
  statistics,
  low,
  high,
  calibratedAt: row.calibratedAt,
  calibrationDueAt: row.calibrationDueAt,
});

type ReviewedChannel = Pick<JudgedChannel, 'dueDays' | 'reviewedDays'>;

/** Returns a function for the reviewed days of a channel; nothing is read if the rule pack has no such check. */
async function reviewsIn(
  pool: pg.Pool,
  { clauses }: RulePack,
  assets: readonly ComplianceAssetRow[],
  channels: readonly ComplianceChannelRow[],
  { from, to }: ReportRange,
): Promise<(row: ComplianceChannelRow) => ReviewedChannel> {
  if (clauses.every(({ check }) => check.kind !== 'review')) return () => ({ dueDays: 0, reviewedDays: 0 });
  const ids = channels.flatMap(({ id, indicator }) => (indicator === 'temperature' ? [id] : []));
  const reviewed = await countReviewedDays(pool, ids, new Date(from), new Date(to));
  const zones = new Map(assets.map(({ id, zone }) => [id, zone]));
  const days = new Map([...new Set(zones.values())].map((zone) => [zone, localDays(from, to, zone)]));
  return ({ id, assetId, since, retiredAt }) => {
    const [begin, end] = [Math.max(from, since ?? from), Math.min(to, retiredAt ?? to)];
    const own = days.get(zones.get(assetId) ?? '') ?? [];
    return {
      dueDays: own.filter((day) => day.from >= begin && day.to <= end).length,
      reviewedDays: reviewed.get(id) ?? 0,
    };
  };
}

async function digest(
  pool: pg.Pool,
  channels: readonly ComplianceChannelRow[],
  kinds: ReadonlyMap<number, ComplianceAssetRow['kind']>,
  { pack, from, known, periods }: { pack: RulePack; from: number; known: number; periods: readonly number[] },
): Promise<DigestedChannel[]> {
  const ids = channels.map(({ id }) => id);
  const versions = new Map<number, LimitVersionRow[]>();
  for (const row of await findLimitVersions(pool, ids, new Date(from), new Date(known))) {
    const own = versions.get(row.channelId);
    if (own) own.push(row);
    else versions.set(row.channelId, [row]);
  }
  const prepared = channels.map((row) => {
    const spans = limitSpans(versions.get(row.id) ?? [], from, known);
    const last = spans.at(-1);
    const windowDays = mktWindowDays(finite(last?.high));
    const to = Math.max(from, Math.min(known, row.retiredAt ?? known));
    const collector = createComplianceStatistics({
      from,
      to,
      expectedFrom: Math.min(to, row.since ?? from),
      gapAllowanceMs: defaultGapAllowanceMs(row.intervalMs),
      spans,
      exposures: row.indicator === 'temperature' ? exposuresOf(pack) : [],
      permittedMs: permittedIntervalMs(pack, isTransport(kinds.get(row.assetId) ?? 'refrigerator')),
      windowDays,
      periods,
    });
    return { row, collector, windowDays, low: finite(last?.low), high: finite(last?.high) };
  });
  const collectors = new Map<number, ComplianceCollector>(
    prepared.map((each) => [each.row.id, each.collector]),
  );
  await digestHistory(pool, collectors, from, known);
  return prepared.map(({ row, collector, windowDays, low, high }) => ({
    row,
    windowDays,
    low,
    high,
    statistics: forIndicator(row, collector.finish()),
  }));
}

/** Only temperatures have a mean kinetic temperature. */
function forIndicator(
  { indicator }: ComplianceChannelRow,
  statistics: ComplianceStatistics | null,
): ComplianceStatistics | null {
  return indicator === 'temperature' || statistics === null
    ? statistics
    : { ...statistics, meanKinetic: null, worstWindow: null };
}

const finite = (limit: LimitSpan['low'] | undefined): number | null =>
  limit !== undefined && Number.isFinite(limit) ? limit : null;

/** Returns the beginning of the range, and the UTC months that begin in it; epoch ms. */
function monthsOf(from: number, to: number): number[] {
  const months = [from];
  const first = new Date(from);
  for (let shift = 1; ; shift++) {
    const month = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + shift, 1);
    if (month >= to) return months;
    months.push(month);
  }
}
