import { ALARM_LEVELS } from '@isotherm/domain/alarms/alarm-level';
import { isAboutSwitch } from '@isotherm/domain/alarms/catalogue';
import { comparedWords, faultWords } from '@isotherm/i18n/alarm-words';
import type { Language } from '@isotherm/i18n/languages';
import { inWords } from '@isotherm/i18n/system-names';
import type { Translate } from '@isotherm/i18n/translator';
import { NONE } from '../record-words.ts';
import type { ReportDocument } from '../report-document.ts';
import { reportTexts } from './report-texts.ts';
import type { NamedScope } from './table-scope.ts';
import type { AlarmRow, AlarmSums, ByLevel } from './tables.repo.ts';

const ON_PAPER = 400;

export interface AlarmReportData {
  sums: AlarmSums;
  sites: (AlarmSums & { organizationId: number; name: string; assets: number })[];
  days: { day: string; levels: ByLevel }[];
  rows: AlarmRow[];
}

export interface DocumentInput {
  scope: NamedScope;
  zone: string;
  language: Language;
  by: string;
  at: Date;
}

/** Lays out a report of alarms as tables. */
export function alarmDocument(
  { sums, sites, days, rows }: AlarmReportData,
  { scope, zone, language, by, at }: DocumentInput,
  translate: Translate,
): ReportDocument {
  const { text, moment, short, count, duration } = reportTexts(language, zone, translate);
  const levelTitles = ALARM_LEVELS.map((level) => ({
    title: text('alarms.level', { level }),
    width: 46,
    figure: true,
  }));
  return {
    title: text('jobs.kind.alarm-report'),
    subject: scope.name,
    period: `${short(scope.from)} ${NONE} ${short(scope.to)} · ${zone}`,
    answer:
      sums.total === 0
        ? text('reports.alarms.none')
        : text('reports.alarms.answer', { count: sums.total, open: sums.unacknowledged }),
    facts: [
      [text('logs.from'), moment(scope.from)],
      [text('logs.to'), moment(scope.to)],
      [text('users.time-zone'), zone],
      [text('reports.alarms.median'), duration(sums.medianMs)],
      [text('reports.fact.created'), moment(at)],
      [text('reports.fact.created-by'), by],
    ],
    sections: [
      {
        heading: text('reports.compliance.sites'),
        columns: [
          { title: text('reports.compliance.site') },
          { title: text('reports.fact.assets'), width: 44, figure: true },
          { title: text('reports.alarms.alarms'), width: 44, figure: true },
          ...levelTitles,
          { title: text('reports.alarms.unacknowledged'), width: 60, figure: true },
          { title: text('reports.alarms.median'), width: 60, figure: true },
        ],
        rows: sites.map((site) => [
          site.name,
          count(site.assets),
          count(site.total),
          ...site.levels.map(count),
          count(site.unacknowledged),
          duration(site.medianMs),
        ]),
        empty: text('reports.alarms.none'),
      },
      {
        heading: text('reports.alarms.days'),
        columns: [{ title: text('reports.alarms.day') }, ...levelTitles],
        rows: days.map(({ day, levels }) => [day, ...levels.map(count)]),
        empty: text('reports.alarms.none'),
      },
      {
        heading: text('reports.alarms.alarms'),
        columns: [
          { title: text('alarms.column.level'), width: 30, figure: true },
          { title: text('reports.alarms.fault'), width: 64 },
          { title: text('reports.column.asset') },
          { title: text('curve.export.code'), width: 0 },
          { title: text('reports.compliance.site'), width: 0 },
          { title: text('curve.export.channel'), width: 0 },
          { title: text('curve.export.device'), width: 0 },
          { title: text('alarms.fact.raised'), width: 62 },
          { title: text('alarms.fact.ended'), width: 62 },
          { title: text('reports.column.peak'), width: 44, figure: true },
          { title: text('reports.column.cause') },
          { title: text('alarms.column.acknowledged'), width: 58 },
          { title: text('reports.alarms.acknowledged-at'), width: 0 },
        ],
        rows: rows.map((row) => [
          count(row.level),
          faultWords(row.indicator, row.kind, text),
          row.asset || NONE,
          row.code,
          row.site,
          inWords(row.channel, language),
          row.device,
          short(row.raisedAt),
          short(row.endedAt),
          row.peak === null || isAboutSwitch(row)
            ? NONE
            : comparedWords(row.indicator, row.kind, row.peak, language, text),
          [row.cause, row.action].filter(Boolean).join(' ') || NONE,
          row.acknowledgedBy || NONE,
          short(row.acknowledgedAt),
        ]),
        empty: text('reports.alarms.none'),
        onPaper: {
          most: ON_PAPER,
          limited: text('reports.rows.limited', { shown: ON_PAPER, total: sums.total }),
        },
      },
    ],
    method: text('reports.alarms.method'),
  };
}
