import {
  COMPLIANCE_PAGE_ASSETS,
  type ComplianceAsset,
  type ComplianceClause,
  type ComplianceSite,
  type ComplianceSort,
  type getComplianceReport,
} from '@isotherm/contracts/compliance';
import type { ResponseOf } from '@isotherm/contracts/route';
import { insideShare } from '@isotherm/domain/reports/compliance';
import type { Clause } from '@isotherm/domain/reports/rule-packs';
import { pageOfRows, type SortOrder, sortedRows } from '@isotherm/domain/reports/sorted-rows';
import type { AssetLine, ComplianceNumbers, ComplianceReport } from './compliance-report.ts';

/** Values by which assets are sorted; equal ones stay in the order of the report, the worst first. */
const SORT_VALUE: Record<ComplianceSort, (asset: ComplianceAsset) => string | number | null> = {
  failed: ({ failed }) => failed.length,
  name: ({ name }) => name,
  inside: ({ inside }) => inside,
  coverage: ({ coverage }) => coverage,
  excursions: ({ excursions }) => excursions,
  unhandled: ({ unhandled }) => unhandled,
  worstKinetic: ({ worstKinetic }) => worstKinetic,
  max: ({ max }) => max,
  longestGapMs: ({ longestGapMs }) => longestGapMs,
};

const isoOf = (at: number) => new Date(at).toISOString();

/** The report as the page shows it: all sites, and the assets that match the filter. */
export function viewOf(
  report: ComplianceReport,
  filter: { site?: number | undefined; failing?: string | undefined; search: string },
  page: { sort: ComplianceSort; order: SortOrder; page: number },
): ResponseOf<typeof getComplianceReport> {
  const { packId, pack, range, totals, clauses, periods, sites, assets } = report;
  const { name, version, document, source } = pack;
  const sought = filter.search.trim().toLowerCase();
  const matching = assets.filter(
    ({ row, failed }) =>
      (filter.site === undefined || row.siteId === filter.site) &&
      (filter.failing === undefined || failed.includes(filter.failing)) &&
      (sought === '' || `${row.name} ${row.code}`.toLowerCase().includes(sought)),
  );
  return {
    from: isoOf(range.from),
    to: isoOf(range.to),
    pack: { id: packId, name, version, document, source },
    totals: {
      ...numbersOf(totals),
      assets: assets.length,
      failing: assets.filter(({ failed }) => failed.length > 0).length,
    },
    clauses: clauses.map(clauseOf),
    periods: periods.map(isoOf),
    sites: sites.map(
      (site): ComplianceSite => ({
        ...numbersOf(site),
        organizationId: site.id,
        name: site.name,
        assets: site.assets,
        failing: site.failing,
        periods: site.periods.map(sharesOf),
      }),
    ),
    matching: matching.length,
    assets: pageOfRows(
      sortedRows(matching.map(assetOf), SORT_VALUE[page.sort], page.order),
      page.page,
      COMPLIANCE_PAGE_ASSETS,
    ),
  };
}

/** Shares of a sum over channels; null where nothing is known. */
export function sharesOf({
  expectedMs,
  coveredMs,
  limitedMs,
  outsideMs,
}: {
  expectedMs: number;
  coveredMs: number;
  limitedMs: number;
  outsideMs: number;
}): { inside: number | null; coverage: number | null } {
  return {
    inside: limitedMs > 0 ? (limitedMs - outsideMs) / limitedMs : null,
    coverage: expectedMs > 0 ? Math.min(1, coveredMs / expectedMs) : null,
  };
}

function numbersOf(numbers: ComplianceNumbers) {
  const { channels, expectedMs, coveredMs, belowMs, aboveMs, excursions, unhandled, worstKinetic } = numbers;
  return {
    channels,
    coverage: expectedMs > 0 ? Math.min(1, coveredMs / expectedMs) : null,
    inside: insideShare(numbers),
    belowMs,
    aboveMs,
    excursions,
    unhandled,
    worstKinetic,
  };
}

/** Numbers of a check, for its words. */
export function requiredOf({ check }: Clause): ComplianceClause['required'] {
  switch (check.kind) {
    case 'interval':
      return { storageMs: check.storageMs, transportMs: check.transportMs };
    case 'coverage':
      return { share: check.share };
    case 'exposure': {
      const { celsius, side, ms } = check.exposure;
      return { celsius, isAbove: side === 'above', ms };
    }
    case 'calibration':
    case 'mapping':
    case 'alarm-test':
      return { days: check.everyDays };
    case 'points':
      return { points: check.most };
    default:
      return {};
  }
}

function clauseOf(clause: ComplianceReport['clauses'][number]): ComplianceClause {
  const { id, reference, check, isConfirmed, verdict, failed, total, worst } = clause;
  return {
    id,
    reference,
    check: check.kind,
    required: requiredOf(clause),
    isConfirmed,
    verdict,
    failed,
    total,
    worst,
  };
}

/** Extremes and means of the temperatures of an asset, and the window with the highest mean kinetic temperature. */
export function temperaturesOf({ temperatures, statistics }: AssetLine) {
  const all = temperatures.map((each) => each.statistics);
  const highest = (values: readonly number[]) => (values.length === 0 ? null : Math.max(...values));
  const worst = temperatures.reduce<AssetLine['temperatures'][number] | null>(
    (known, each) =>
      (each.statistics.worstWindow?.celsius ?? Number.NEGATIVE_INFINITY) >
      (known?.statistics.worstWindow?.celsius ?? Number.NEGATIVE_INFINITY)
        ? each
        : known,
    null,
  );
  const known = statistics.flatMap((each) => each ?? []);
  return {
    min: all.length === 0 ? null : Math.min(...all.map(({ min }) => min)),
    max: highest(all.map(({ max }) => max)),
    meanKinetic: highest(all.flatMap(({ meanKinetic }) => meanKinetic ?? [])),
    window: worst?.statistics.worstWindow
      ? { ...worst.statistics.worstWindow, days: worst.windowDays }
      : null,
    longestGapMs: highest(known.map(({ longestGapMs }) => longestGapMs)),
    gapDays: highest(known.map(({ gapDays }) => gapDays)) ?? 0,
  };
}

function assetOf(line: AssetLine): ComplianceAsset {
  const { row, failed } = line;
  const { window, ...temperatures } = temperaturesOf(line);
  return {
    ...numbersOf(line),
    ...temperatures,
    window: window && {
      days: window.days,
      from: isoOf(window.from),
      to: isoOf(window.to),
      coveredMs: window.coveredMs,
    },
    assetId: row.id,
    name: row.name,
    code: row.code,
    kind: row.kind,
    siteId: row.siteId,
    site: row.site,
    failed,
  };
}
