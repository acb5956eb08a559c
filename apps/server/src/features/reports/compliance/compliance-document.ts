import { insideShare } from '@isotherm/domain/reports/compliance';
import { BAND_BOUNDS } from '@isotherm/domain/reports/compliance-statistics';
import { checkWords, worstWords } from '@isotherm/i18n/compliance-words';
import { fixed, formatDuration, shareWords } from '@isotherm/i18n/figures';
import type { Language } from '@isotherm/i18n/languages';
import { inWords } from '@isotherm/i18n/system-names';
import type { TextId } from '@isotherm/i18n/text-id';
import type { Translate } from '@isotherm/i18n/translator';
import { clockIn } from '../../../platform/local-time.ts';
import { NONE } from '../record-words.ts';
import type { ReportDocument, ReportSection } from '../report-document.ts';
import type { ComplianceExcursion } from './compliance.repo.ts';
import {
  type AssetLine,
  type ComplianceNumbers,
  type ComplianceReport,
  outsideOf,
} from './compliance-report.ts';
import { requiredOf, sharesOf, temperaturesOf } from './compliance-views.ts';

/** Largest numbers of rows on paper. */
const ASSETS_ON_PAPER = 300;
export const EXCURSIONS_ON_PAPER = 200;

export interface ComplianceDocumentInput {
  report: ComplianceReport;
  excursions: readonly ComplianceExcursion[];
  zone: string;
  language: Language;
  /** Name of the person who ordered it. */
  by: string;
  at: Date;
}

/** Lays out a compliance report as tables. */
export function complianceDocument(
  { report, excursions, zone, language, by, at }: ComplianceDocumentInput,
  translate: Translate,
): ReportDocument {
  const text = (id: TextId, values?: Record<string, string | number>) => translate(language, id, values);
  const clock = clockIn(zone);
  const moment = (time: number | Date) => clock(new Date(time)).replace('T', ' ');
  const short = (time: number | Date) => moment(time).slice(0, 16);
  const share = (value: number | null) => (value === null ? NONE : shareWords(value));
  const duration = (ms: number | null) => (ms === null ? NONE : formatDuration(ms, text));
  const degrees = (value: number | null, decimals = 1) =>
    value === null ? NONE : fixed(value, decimals, language);
  const count = (value: number) => fixed(value, 0, language);
  const { pack, range, totals, clauses, sites, assets, periods } = report;
  const title = text('jobs.kind.compliance-report');
  const notMet = clauses.filter(({ verdict }) => verdict === 'not-met').length;
  const met = clauses.filter(({ verdict }) => verdict === 'met').length;
  const answer =
    assets.length === 0
      ? text('reports.compliance.no-assets')
      : notMet > 0
        ? text('reports.compliance.answer.not-met', { count: notMet, total: clauses.length })
        : text('reports.compliance.answer.met', { count: met });

  const bandTitle = (side: 'below' | 'above', band: number) => {
    const [low, high] = [BAND_BOUNDS[band] as number, BAND_BOUNDS[band + 1]];
    if (high === undefined) return text(`reports.band.${side}-more`, { low });
    return text(`reports.band.${side}`, { low, high });
  };
  const bandColumns = (['below', 'above'] as const).flatMap((side) =>
    BAND_BOUNDS.map((_, band) => ({ title: bandTitle(side, band), width: 0, figure: true })),
  );
  const bandsOf = ({ belowMs, aboveMs }: ComplianceNumbers) => [...belowMs, ...aboveMs].map(duration);
  const sharedColumns = [
    { title: text('reports.compliance.inside'), width: 44, figure: true },
    { title: text('reports.column.outside'), width: 54, figure: true },
    ...bandColumns,
    { title: text('reports.column.coverage'), width: 44, figure: true },
    { title: text('reports.excursions'), width: 48, figure: true },
    { title: text('reports.compliance.unhandled'), width: 48, figure: true },
    { title: text('reports.compliance.worst-mkt'), width: 44, figure: true },
  ];
  const sharedCells = (numbers: ComplianceNumbers) => [
    share(insideShare(numbers)),
    duration(outsideOf(numbers)),
    ...bandsOf(numbers),
    share(sharesOf({ ...numbers, outsideMs: 0 }).coverage),
    count(numbers.excursions),
    count(numbers.unhandled),
    degrees(numbers.worstKinetic, 2),
  ];

  const sections: ReportSection[] = [
    {
      heading: text('reports.compliance.clauses'),
      columns: [
        { title: text('reports.compliance.clause'), width: 70 },
        { title: text('reports.compliance.requirement') },
        { title: text('reports.compliance.verdict'), width: 64 },
        { title: text('reports.compliance.failed'), width: 80, figure: true },
        { title: text('reports.compliance.worst'), width: 60, figure: true },
      ],
      rows: clauses.map((clause) => [
        clause.isConfirmed ? clause.reference : `${clause.reference} *`,
        checkWords({ check: clause.check.kind, required: requiredOf(clause) }, text, language),
        text(`reports.verdict.${clause.verdict}`),
        clause.total === 0
          ? NONE
          : text('reports.compliance.failed-of', { failed: clause.failed, total: clause.total }),
        worstWords({ check: clause.check.kind, worst: clause.worst }, text) ?? NONE,
      ]),
      empty: NONE,
    },
    {
      heading: text('reports.compliance.sites'),
      columns: [
        { title: text('reports.compliance.site') },
        { title: text('reports.fact.assets'), width: 40, figure: true },
        ...sharedColumns,
      ],
      rows: sites.map((site) => [site.name, count(site.assets), ...sharedCells(site)]),
      empty: NONE,
    },
    ...(periods.length > 1 ? [monthSection()] : []),
    {
      heading: text('reports.fact.assets'),
      columns: [
        { title: text('reports.column.asset') },
        { title: text('curve.export.code'), width: 0 },
        { title: text('reports.compliance.site'), width: 0 },
        ...sharedColumns,
        { title: text('reports.compliance.window'), width: 0 },
        { title: text('reports.compliance.window-days'), width: 0, figure: true },
        { title: text('reports.compliance.window-covered'), width: 0, figure: true },
        { title: text('reports.column.mkt'), width: 0, figure: true },
        { title: text('reports.column.lowest'), width: 0, figure: true },
        { title: text('reports.column.highest'), width: 0, figure: true },
        { title: text('reports.compliance.longest-gap'), width: 0, figure: true },
        { title: text('reports.compliance.gap-days'), width: 0, figure: true },
        { title: text('reports.compliance.failed-clauses'), width: 60 },
      ],
      rows: assets.map((line) => {
        const { window, min, max, meanKinetic, longestGapMs, gapDays } = temperaturesOf(line);
        return [
          line.row.name,
          line.row.code,
          line.row.site,
          ...sharedCells(line),
          window ? `${short(window.from)} ${NONE} ${short(window.to)}` : NONE,
          window ? count(window.days) : NONE,
          window ? duration(window.coveredMs) : NONE,
          degrees(meanKinetic, 2),
          degrees(min),
          degrees(max),
          duration(longestGapMs),
          count(gapDays),
          failedOf(line),
        ];
      }),
      empty: text('reports.compliance.no-assets'),
      onPaper: {
        most: ASSETS_ON_PAPER,
        limited: text('reports.compliance.limited', { shown: ASSETS_ON_PAPER, total: assets.length }),
      },
    },
    {
      heading: text('reports.excursions'),
      columns: [
        { title: text('alarms.column.level'), width: 30, figure: true },
        { title: text('reports.compliance.site'), width: 0 },
        { title: text('reports.column.asset') },
        { title: text('curve.export.channel'), width: 0 },
        { title: text('logs.from'), width: 72 },
        { title: text('logs.to'), width: 72 },
        { title: text('reports.column.peak'), width: 36, figure: true },
        { title: text('reports.column.cause') },
        { title: text('alarms.column.acknowledged'), width: 62 },
      ],
      rows: excursions.map((each) => [
        count(each.level),
        each.site,
        each.asset,
        inWords(each.channel, language),
        short(each.since),
        each.endedAt ? short(each.endedAt) : NONE,
        degrees(each.peak),
        [each.cause, each.action].filter(Boolean).join(' ') || NONE,
        each.acknowledgedBy ?? NONE,
      ]),
      empty: text('reports.excursions.none'),
      onPaper: {
        most: EXCURSIONS_ON_PAPER,
        limited: text('reports.excursions.limited', { count: EXCURSIONS_ON_PAPER }),
      },
    },
  ];

  return {
    title,
    subject: report.subject,
    period: `${short(range.from)} ${NONE} ${short(range.to)} · ${zone} · ${pack.name}`,
    answer,
    facts: [
      [text('reports.compliance.pack'), `${pack.name} ${pack.version}`],
      [text('reports.fact.assets'), count(assets.length)],
      [text('logs.from'), moment(range.from)],
      [text('logs.to'), moment(range.to)],
      [text('users.time-zone'), zone],
      [text('reports.completeness'), share(sharesOf({ ...totals, outsideMs: 0 }).coverage)],
      [text('reports.fact.created'), moment(at)],
      [text('reports.fact.created-by'), by],
    ],
    sections,
    method: [
      text('reports.compliance.method'),
      `${text('reports.compliance.source')}: ${pack.document}, ${pack.source}`,
      ...(clauses.some(({ isConfirmed }) => !isConfirmed)
        ? [`* ${text('reports.compliance.unconfirmed')}`]
        : []),
    ].join('\n'),
  };

  function failedOf({ failed }: AssetLine): string {
    return pack.clauses
      .filter(({ id }) => failed.includes(id))
      .map(({ id, reference }) => `${reference} (${text(`reports.clause.${id as 'limits'}`)})`)
      .join(', ');
  }

  function monthSection(): ReportSection {
    return {
      heading: text('reports.compliance.months'),
      columns: [
        { title: text('reports.compliance.site') },
        { title: text('reports.compliance.month'), width: 90 },
        { title: text('reports.compliance.inside'), width: 70, figure: true },
        { title: text('reports.column.coverage'), width: 70, figure: true },
      ],
      rows: sites.flatMap((site) =>
        site.periods.map((period, index) => {
          const { inside, coverage } = sharesOf(period);
          const month = new Date(periods[index] as number).toISOString().slice(0, 7);
          return [site.name, month, share(inside), share(coverage)];
        }),
      ),
      empty: NONE,
    };
  }
}
