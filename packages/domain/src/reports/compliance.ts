import type { AssetKind } from '../assets/asset-kind.ts';
import type { CompliancePeriod, ComplianceStatistics } from './compliance-statistics.ts';
import { type Clause, INTERVAL_TOLERANCE_MS, type RulePack } from './rule-packs.ts';

const DAY_MS = 86_400_000;
/** Highest upper limit that counts as controlled cold, °C. */
const COLD_HIGH = 8;
/** Assets in which goods are transported. */
const TRANSPORT: readonly AssetKind[] = ['vehicle', 'cold-box', 'container'];
/** Kinds of assets that need several measuring points. */
const SPACES: readonly AssetKind[] = ['vehicle', 'cold-store'];

export const isTransport = (kind: AssetKind): boolean => TRANSPORT.includes(kind);

/** A channel as it is judged. Times are in epoch ms. */
export interface JudgedChannel {
  /** False for the humidity of a place, which is not a measuring point of its own. */
  isTemperature: boolean;
  /** Null without readings. */
  statistics: ComplianceStatistics | null;
  /** Limits at the end of the range; null without one. */
  low: number | null;
  high: number | null;
  /** The newest certificate of the sensor. */
  calibratedAt: number | null;
  calibrationDueAt: number | null;
  /** Local days of the range that are over, and those of them that were reviewed. */
  dueDays: number;
  reviewedDays: number;
}

/** An asset as it is judged. */
export interface JudgedAsset {
  kind: AssetKind;
  channels: readonly JudgedChannel[];
  excursions: number;
  /** Excursions without acknowledgement, cause or corrective action. */
  unhandled: number;
  /** When the last study was judged, and when the alarms of its site were tested last. */
  mappedAt: number | null;
  testedAt: number | null;
}

/** `none`: the clause does not apply, or nothing is known about it. */
export type AssetVerdict = 'met' | 'failed' | 'none';

/** What a clause found in an asset: the verdict, and the worst number behind it where there is one. */
export interface Finding {
  verdict: AssetVerdict;
  /** A time in ms, a share for `coverage`, or days for `review`; null if the check has no number. */
  worst: number | null;
}

const NONE: Finding = { verdict: 'none', worst: null };
const found = (isMet: boolean, worst: number | null = null): Finding => ({
  verdict: isMet ? 'met' : 'failed',
  worst,
});

/** Checks a clause for an asset. `end` is the end of the range, epoch ms. */
export function judgeAsset(pack: RulePack, clause: Clause, asset: JudgedAsset, end: number): Finding {
  const { check } = clause;
  const { channels } = asset;
  const known = channels.flatMap(({ statistics }) => statistics ?? []);
  switch (check.kind) {
    case 'limits':
      if (known.length === 0) return NONE;
      return found(known.every(({ coveredMs, limitedMs }) => limitedMs >= coveredMs));
    case 'within': {
      const limited = known.filter(({ limitedMs }) => limitedMs > 0);
      if (limited.length === 0) return NONE;
      const worst = Math.max(...limited.map(outsideMsOf));
      return found(worst === 0, worst);
    }
    case 'handled':
      return asset.excursions === 0 ? NONE : found(asset.unhandled === 0);
    case 'interval': {
      if (known.length === 0) return NONE;
      const permitted = isTransport(asset.kind) ? check.transportMs : check.storageMs;
      const worst = Math.max(...known.map(({ longestGapMs }) => longestGapMs));
      return found(worst <= permitted + INTERVAL_TOLERANCE_MS, worst);
    }
    case 'coverage': {
      if (channels.length === 0) return NONE;
      const worst = Math.min(...channels.map(({ statistics }) => coverageOf(statistics)));
      return found(worst >= check.share, worst);
    }
    case 'exposure': {
      const index = pack.clauses.filter(({ check: { kind } }) => kind === 'exposure').indexOf(clause);
      const cold = channels.flatMap(({ statistics, low, high, isTemperature }) =>
        statistics && isTemperature && isControlledCold(low, high)
          ? [statistics.exposureMs[index] as number]
          : [],
      );
      if (cold.length === 0) return NONE;
      const worst = Math.max(...cold);
      return found(worst < check.exposure.ms, worst);
    }
    case 'calibration':
      if (channels.length === 0) return NONE;
      return found(
        channels.every(
          ({ calibratedAt, calibrationDueAt }) =>
            calibrationDueAt !== null &&
            calibrationDueAt > end &&
            isRecent(calibratedAt, check.everyDays, end),
        ),
      );
    case 'mapping':
      return found(isRecent(asset.mappedAt, check.everyDays, end));
    case 'alarm-test':
      return found(isRecent(asset.testedAt, check.everyDays, end));
    case 'points':
      return found(
        channels.filter(({ isTemperature }) => isTemperature).length >=
          (SPACES.includes(asset.kind) ? check.most : 1),
      );
    case 'review': {
      const due = channels.filter(({ isTemperature, dueDays }) => isTemperature && dueDays > 0);
      if (due.length === 0) return NONE;
      const missing = Math.max(
        ...due.map(({ dueDays, reviewedDays }) => Math.max(0, dueDays - reviewedDays)),
      );
      return found(missing === 0, missing);
    }
  }
}

/** Whether goods are refrigerated and not frozen. */
const isControlledCold = (low: number | null, high: number | null): boolean =>
  low !== null && low >= 0 && high !== null && high <= COLD_HIGH;

const isRecent = (at: number | null, everyDays: number | null, end: number): boolean =>
  at !== null && at <= end && (everyDays === null || at >= end - everyDays * DAY_MS);

/** Time outside the limits, on both sides. */
export const outsideMsOf = ({ belowMs, aboveMs }: ComplianceStatistics): number =>
  [...belowMs, ...aboveMs].reduce((sum, ms) => sum + ms, 0);

/** Share of the expected time that readings cover, 0 to 1; 0 without readings. */
export function coverageOf(statistics: ComplianceStatistics | null): number {
  if (statistics === null) return 0;
  const { coveredMs, expectedMs } = statistics;
  return expectedMs > 0 ? Math.min(1, coveredMs / expectedMs) : 1;
}

export const CLAUSE_VERDICTS = ['met', 'not-met', 'not-assessed'] as const;
export type ClauseVerdict = (typeof CLAUSE_VERDICTS)[number];

/** What is found of a clause in all assets. */
export interface ClauseResult {
  verdict: ClauseVerdict;
  /** Assets that fail it, and assets to which it applies. */
  failed: number;
  total: number;
  worst: number | null;
}

/** Combines the findings of a clause: it is met if no asset fails it. */
export function combineFindings(clause: Clause, findings: readonly Finding[]): ClauseResult {
  const judged = findings.filter(({ verdict }) => verdict !== 'none');
  const failed = judged.filter(({ verdict }) => verdict === 'failed').length;
  const numbers = judged.flatMap(({ worst }) => worst ?? []);
  const isLowest = clause.check.kind === 'coverage';
  // Not spread into Math.max: there may be more assets than a call may have arguments.
  const worst = numbers.reduce<number | null>(
    (known, each) => (known === null || (isLowest ? each < known : each > known) ? each : known),
    null,
  );
  return {
    verdict: judged.length === 0 ? 'not-assessed' : failed === 0 ? 'met' : 'not-met',
    failed,
    total: judged.length,
    worst,
  };
}

/** Numbers of a site, or of all: sums over channels. */
export interface ComplianceTotals {
  channels: number;
  expectedMs: number;
  coveredMs: number;
  limitedMs: number;
  belowMs: number[];
  aboveMs: number[];
  /** Highest mean kinetic temperature of a window; null if there is none. */
  worstKinetic: number | null;
  periods: CompliancePeriod[];
}

/** Sums the statistics of channels. `periodMs` is the length of each period, which channels without readings should cover. */
export function totalsOf(
  all: readonly (ComplianceStatistics | null)[],
  bands: number,
  periodMs: readonly number[],
): ComplianceTotals {
  const rangeMs = periodMs.reduce((sum, ms) => sum + ms, 0);
  const totals: ComplianceTotals = {
    channels: all.length,
    expectedMs: 0,
    coveredMs: 0,
    limitedMs: 0,
    belowMs: new Array<number>(bands).fill(0),
    aboveMs: new Array<number>(bands).fill(0),
    worstKinetic: null,
    periods: periodMs.map(() => ({ expectedMs: 0, coveredMs: 0, limitedMs: 0, outsideMs: 0 })),
  };
  for (const statistics of all) {
    for (const [index, period] of totals.periods.entries()) {
      const own = statistics?.periods[index];
      period.expectedMs += own ? own.expectedMs : (periodMs[index] as number);
      if (!own) continue;
      period.coveredMs += own.coveredMs;
      period.limitedMs += own.limitedMs;
      period.outsideMs += own.outsideMs;
    }
    if (statistics === null) {
      totals.expectedMs += rangeMs;
      continue;
    }
    totals.expectedMs += statistics.expectedMs;
    totals.coveredMs += statistics.coveredMs;
    totals.limitedMs += statistics.limitedMs;
    for (let band = 0; band < bands; band++) {
      (totals.belowMs[band] as number) += statistics.belowMs[band] as number;
      (totals.aboveMs[band] as number) += statistics.aboveMs[band] as number;
    }
    const celsius = statistics.worstWindow?.celsius;
    if (celsius !== undefined && (totals.worstKinetic === null || celsius > totals.worstKinetic))
      totals.worstKinetic = celsius;
  }
  return totals;
}

/** Share of the covered time with limits that was within them, 0 to 1; null if no limit was in force. */
export function insideShare({ limitedMs, belowMs, aboveMs }: ComplianceTotals): number | null {
  if (limitedMs === 0) return null;
  const outside = [...belowMs, ...aboveMs].reduce((sum, ms) => sum + ms, 0);
  return (limitedMs - outside) / limitedMs;
}
