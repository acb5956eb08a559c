import { ENOUGH_COVERAGE } from '../waybills/verdict.ts';
import type { Exposure } from './compliance-statistics.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Tolerance of recording intervals, since devices measure at slightly different seconds. */
export const INTERVAL_TOLERANCE_MS = MINUTE_MS;

/** How a clause is checked. Each check is about assets, and its words are `reports.check.<kind>`. */
export type ComplianceCheck =
  /** A limit was in force for all readings. */
  | { kind: 'limits' }
  /** No reading was outside the limits in force. */
  | { kind: 'within' }
  /** Each excursion is acknowledged with its cause and a corrective action. */
  | { kind: 'handled' }
  /** Longest time between readings, of stores and of transport. */
  | { kind: 'interval'; storageMs: number; transportMs: number }
  /** Share of the time that readings cover. */
  | { kind: 'coverage'; share: number }
  /** A temperature that must not last, in assets with limits between 0 and 8 °C. */
  | { kind: 'exposure'; exposure: Exposure }
  /** Each sensor has a certificate that is valid at the end, and not older than this. */
  | { kind: 'calibration'; everyDays: number | null }
  /** A validation study was judged, not longer ago than this. */
  | { kind: 'mapping'; everyDays: number | null }
  /** Alarms of the site were tested, not longer ago than this before the end. */
  | { kind: 'alarm-test'; everyDays: number }
  /** Number of measuring points in vehicles and cold stores; every other asset needs one. */
  | { kind: 'points'; most: number }
  /** Extremes were reviewed for every day that is over. */
  | { kind: 'review' };

export const CHECK_KINDS = [
  'limits',
  'within',
  'handled',
  'interval',
  'coverage',
  'exposure',
  'calibration',
  'mapping',
  'alarm-test',
  'points',
  'review',
] as const satisfies readonly ComplianceCheck['kind'][];
export type CheckKind = (typeof CHECK_KINDS)[number];

export interface Clause {
  /** Unique within the pack and stable, as it is part of addresses. */
  id: string;
  /** Where it is in the document. */
  reference: string;
  check: ComplianceCheck;
  /** False if only summaries of the document could be read, and the number in the check is taken from them. */
  isConfirmed: boolean;
}

/** A set of clauses of a regulation. A pack that changes gets another version, which each report states. */
export interface RulePack {
  name: string;
  version: string;
  /** Title of the document. */
  document: string;
  source: string;
  clauses: readonly Clause[];
}

export const RULE_PACK_IDS = ['gsp', 'eu-gdp', 'who', 'vfc'] as const;
export type RulePackId = (typeof RULE_PACK_IDS)[number];

const COVERAGE: ComplianceCheck = { kind: 'coverage', share: ENOUGH_COVERAGE };
const interval = (storageMinutes: number, transportMinutes = storageMinutes): ComplianceCheck => ({
  kind: 'interval',
  storageMs: storageMinutes * MINUTE_MS,
  transportMs: transportMinutes * MINUTE_MS,
});

export const RULE_PACKS: Readonly<Record<RulePackId, RulePack>> = {
  gsp: {
    name: 'GSP',
    version: '2013.1',
    document: 'Good Supply Practice for Pharmaceutical Products, annexes (CFDA notice 38 of 2013)',
    source: 'http://m.chrk.com.cn/art_3322.htm',
    clauses: [
      { id: 'limits', reference: 'Annex 3', check: { kind: 'limits' }, isConfirmed: true },
      { id: 'within', reference: 'Annex 3', check: { kind: 'within' }, isConfirmed: true },
      { id: 'interval', reference: 'Annex 3', check: interval(30, 5), isConfirmed: true },
      { id: 'coverage', reference: 'Annex 3', check: COVERAGE, isConfirmed: true },
      { id: 'handled', reference: 'Annex 4', check: { kind: 'handled' }, isConfirmed: true },
      { id: 'points', reference: 'Annex 3', check: { kind: 'points', most: 2 }, isConfirmed: false },
      {
        id: 'calibration',
        reference: 'Annex 3',
        check: { kind: 'calibration', everyDays: 366 },
        isConfirmed: false,
      },
      {
        id: 'mapping',
        reference: 'Annex 5',
        check: { kind: 'mapping', everyDays: 366 },
        isConfirmed: false,
      },
    ],
  },
  'eu-gdp': {
    name: 'EU GDP',
    version: '2013.1',
    document: 'Guidelines on Good Distribution Practice of medicinal products for human use (2013/C 343/01)',
    source: 'https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=CELEX:52013XC1123(01)',
    clauses: [
      {
        id: 'mapping',
        reference: '3.2.1',
        check: { kind: 'mapping', everyDays: null },
        isConfirmed: true,
      },
      { id: 'limits', reference: '3.3', check: { kind: 'limits' }, isConfirmed: false },
      {
        id: 'alarm-test',
        reference: '3.3',
        check: { kind: 'alarm-test', everyDays: 366 },
        isConfirmed: false,
      },
      { id: 'coverage', reference: '3.2.1', check: COVERAGE, isConfirmed: true },
      { id: 'within', reference: '5.5', check: { kind: 'within' }, isConfirmed: false },
      { id: 'handled', reference: '1.2', check: { kind: 'handled' }, isConfirmed: false },
      {
        id: 'calibration',
        reference: '9.4',
        check: { kind: 'calibration', everyDays: 366 },
        isConfirmed: true,
      },
    ],
  },
  who: {
    name: 'WHO',
    version: '2015.1',
    document: 'WHO Technical Report Series 961, Annex 9, with its technical supplements',
    source: 'https://www.telugugmp.com/2020/11/who-technical-supplements-1-to-16-to-model-guid.html',
    clauses: [
      { id: 'within', reference: 'Annex 9', check: { kind: 'within' }, isConfirmed: false },
      { id: 'limits', reference: 'Supplement 6', check: { kind: 'limits' }, isConfirmed: false },
      { id: 'interval', reference: 'Supplement 6', check: interval(10), isConfirmed: false },
      { id: 'coverage', reference: 'Supplement 6', check: COVERAGE, isConfirmed: false },
      {
        id: 'freezing',
        reference: 'PQS E006',
        check: {
          kind: 'exposure',
          exposure: { side: 'below', celsius: -0.5, isTotal: false, ms: HOUR_MS },
        },
        isConfirmed: true,
      },
      {
        id: 'heat',
        reference: 'PQS E006',
        check: {
          kind: 'exposure',
          exposure: { side: 'above', celsius: 8, isTotal: false, ms: 10 * HOUR_MS },
        },
        isConfirmed: false,
      },
      { id: 'handled', reference: 'Annex 9', check: { kind: 'handled' }, isConfirmed: false },
      {
        id: 'mapping',
        reference: 'Supplement 8',
        check: { kind: 'mapping', everyDays: null },
        isConfirmed: false,
      },
      {
        id: 'calibration',
        reference: 'Supplement 10',
        check: { kind: 'calibration', everyDays: 366 },
        isConfirmed: false,
      },
    ],
  },
  vfc: {
    name: 'VFC',
    version: '2024.2',
    document: 'CDC Vaccine Storage and Handling Toolkit; Vaccines for Children: digital data loggers',
    source: 'https://eziz.org/vaccine-storage/digital-data-loggers',
    clauses: [
      { id: 'within', reference: 'Storage', check: { kind: 'within' }, isConfirmed: false },
      { id: 'limits', reference: 'Data loggers', check: { kind: 'limits' }, isConfirmed: true },
      { id: 'interval', reference: 'Data loggers', check: interval(30), isConfirmed: true },
      { id: 'coverage', reference: 'Data loggers', check: COVERAGE, isConfirmed: true },
      {
        id: 'calibration',
        reference: 'Data loggers',
        check: { kind: 'calibration', everyDays: null },
        isConfirmed: true,
      },
      { id: 'handled', reference: 'Excursions', check: { kind: 'handled' }, isConfirmed: false },
      { id: 'review', reference: 'Daily review', check: { kind: 'review' }, isConfirmed: true },
    ],
  },
};

/** The exposures that a pack asks for, in the order of its clauses. */
export function exposuresOf({ clauses }: RulePack): Exposure[] {
  return clauses.flatMap(({ check }) => (check.kind === 'exposure' ? [check.exposure] : []));
}

/** Longest permitted time between readings of an asset; null if the pack states none. */
export function permittedIntervalMs({ clauses }: RulePack, isTransport: boolean): number | null {
  for (const { check } of clauses)
    if (check.kind === 'interval')
      return (isTransport ? check.transportMs : check.storageMs) + INTERVAL_TOLERANCE_MS;
  return null;
}
