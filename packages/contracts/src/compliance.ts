import { ASSET_KINDS } from '@isotherm/domain/assets/asset-kind';
import { CLAUSE_VERDICTS } from '@isotherm/domain/reports/compliance';
import { CHECK_KINDS, RULE_PACK_IDS } from '@isotherm/domain/reports/rule-packs';
import { z } from 'zod';
import { job } from './jobs.ts';
import { MAX_REPORT_ASSETS, REPORT_FORMATS } from './reports.ts';
import { defineRoute, id, idList, moment, timeZone } from './route.ts';

/** Longest range of a compliance report, in days. */
export const MAX_COMPLIANCE_DAYS = 366;
/** Largest number of assets of a compliance report. */
export const MAX_COMPLIANCE_ASSETS = 10_000;
/** Number of assets of a page, in the order that the reader chose. The files contain all of them. */
export const COMPLIANCE_PAGE_ASSETS = 50;
export const COMPLIANCE_SORTS = [
  'failed',
  'name',
  'inside',
  'coverage',
  'excursions',
  'unhandled',
  'worstKinetic',
  'max',
  'longestGapMs',
] as const;
export type ComplianceSort = (typeof COMPLIANCE_SORTS)[number];

const count = z.number().int();
const ms = z.number();
const share = z.number().nullable();

/** Sums over channels; shares are 0 to 1, and null where nothing is known. */
const totals = z.object({
  channels: count,
  /** Share of the expected time that readings cover. */
  coverage: share,
  /** Share of the covered time with limits that was within them. */
  inside: share,
  /** Time below the lower and above the upper limit, by band (`BAND_BOUNDS`). */
  belowMs: z.array(ms),
  aboveMs: z.array(ms),
  excursions: count,
  /** Excursions without acknowledgement, cause or corrective action. */
  unhandled: count,
  /** Highest mean kinetic temperature of a window, °C. */
  worstKinetic: z.number().nullable(),
});

const clause = z.object({
  id: z.string(),
  reference: z.string(),
  check: z.enum(CHECK_KINDS),
  /** Numbers of the check: a time or a share, by its kind. */
  required: z.object({
    storageMs: ms.optional(),
    transportMs: ms.optional(),
    celsius: z.number().optional(),
    isAbove: z.boolean().optional(),
    ms: ms.optional(),
    share: z.number().optional(),
    days: z.number().nullable().optional(),
    points: count.optional(),
  }),
  isConfirmed: z.boolean(),
  verdict: z.enum(CLAUSE_VERDICTS),
  failed: count,
  total: count,
  /** Worst number of all assets: a time, a share for `coverage`, or days for `review`. */
  worst: z.number().nullable(),
});
export type ComplianceClause = z.output<typeof clause>;

const site = totals.extend({
  organizationId: z.number().int(),
  name: z.string(),
  assets: count,
  /** Assets that fail any clause. */
  failing: count,
  /** In the order of `periods` of the report. */
  periods: z.array(z.object({ inside: share, coverage: share })),
});
export type ComplianceSite = z.output<typeof site>;

const assetLine = totals.extend({
  assetId: z.number().int(),
  name: z.string(),
  code: z.string(),
  kind: z.enum(ASSET_KINDS),
  siteId: z.number().int(),
  site: z.string(),
  /** Lowest and highest temperature, °C. */
  min: z.number().nullable(),
  max: z.number().nullable(),
  /** Highest mean kinetic temperature of its channels over the whole range, °C. */
  meanKinetic: z.number().nullable(),
  /** The window behind `worstKinetic`, and how much of it readings cover. */
  window: z.object({ days: count, from: moment, to: moment, coveredMs: ms }).nullable(),
  longestGapMs: ms.nullable(),
  gapDays: count,
  /** Ids of the clauses that it fails. */
  failed: z.array(z.string()),
});
export type ComplianceAsset = z.output<typeof assetLine>;

const about = {
  /** Checked as the range of a records report is, with up to 366 days. */
  from: z.string().max(40).optional(),
  to: z.string().max(40).optional(),
  pack: z.enum(RULE_PACK_IDS).default('gsp'),
  /** With the organisations below it; the caller's organisation if neither it nor assets are given. */
  organizationId: id.optional(),
};

/**
 * Judges assets by a rule pack. Throws the faults of the range, `asset.not_found`, `organization.not_found`,
 * `report.too_many_assets`.
 */
export const getComplianceReport = defineRoute({
  name: 'getComplianceReport',
  method: 'GET',
  path: '/report/compliance',
  access: 'report-compliance:view',
  summary:
    'Verdict for each clause of a rule pack, with time outside limits, coverage, excursions and MKT by site',
  query: z.object({
    ...about,
    assets: idList(MAX_REPORT_ASSETS).optional(),
    /** Only assets of this site are in `assets`. */
    site: id.optional(),
    /** Only assets that fail this clause are in `assets`. */
    failing: z.string().max(40).optional(),
    /** Searched in names and codes. */
    search: z.string().max(100).default(''),
    /** Those that fail the most clauses first, by default. */
    sort: z.enum(COMPLIANCE_SORTS).default('failed'),
    order: z.enum(['asc', 'desc']).default('desc'),
    page: z.coerce.number().int().min(1).max(100_000).default(1),
  }),
  response: z.object({
    from: moment,
    to: moment,
    pack: z.object({
      id: z.enum(RULE_PACK_IDS),
      name: z.string(),
      version: z.string(),
      document: z.string(),
      source: z.string(),
    }),
    totals: totals.extend({ assets: count, failing: count }),
    clauses: z.array(clause),
    /** Starts of the months of the range. */
    periods: z.array(moment),
    sites: z.array(site),
    /** Number of assets that match; a page of `COMPLIANCE_PAGE_ASSETS` of them is in `assets`. */
    matching: count,
    assets: z.array(assetLine),
  }),
});

/** Orders the report as a file. Throws what `getComplianceReport` throws, and `job.too_many`. */
export const orderComplianceReport = defineRoute({
  name: 'orderComplianceReport',
  method: 'POST',
  path: '/report/compliance/order',
  access: 'report-compliance:export',
  machines: false,
  summary: 'Order a compliance report as a file: XLSX, CSV or PDF',
  body: z.object({
    ...about,
    assets: z.array(id).min(1).max(MAX_REPORT_ASSETS).optional(),
    format: z.enum(REPORT_FORMATS),
    /** Time zone of the times in the file. */
    zone: timeZone,
  }),
  response: job,
});
