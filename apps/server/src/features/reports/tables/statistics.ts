import type { Statistic, StatisticGroup } from '@isotherm/contracts/table-reports';
import { fixed } from '@isotherm/i18n/figures';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import { NONE } from '../record-words.ts';
import type { ReportDocument } from '../report-document.ts';
import type { DocumentInput } from './alarm-table.ts';
import { reportTexts } from './report-texts.ts';
import { type DeviceDays, statAlarms, statAssets, statDevices, statMessages } from './statistics.repo.ts';
import type { TableScope } from './tables.repo.ts';

const HOUR_MS = 3_600_000;
/** Rates are per asset and this many hours, about six weeks, so that they are readable numbers. */
const RATE_HOURS = 1000;

export interface Statistics {
  total: Statistic;
  rows: Statistic[];
}

/** Computes statistics by group; the group with the most alarms first, days in order. */
export async function computeStatistics(
  db: pg.Pool,
  scope: TableScope,
  group: StatisticGroup,
  zone: string,
): Promise<Statistics> {
  const [total] = await statisticsOf(db, scope, null, zone);
  const rows = await statisticsOf(db, scope, group, zone);
  rows.sort((a, b) =>
    group === 'day' ? a.key.localeCompare(b.key) : b.alarms - a.alarms || a.name.localeCompare(b.name),
  );
  return { total: total ?? statistic('', '', {}, hoursOf(scope)), rows };
}

/** Returns the period of the same length before. */
export function scopeBefore<S extends TableScope>(scope: S): S {
  const length = scope.to.getTime() - scope.from.getTime();
  return { ...scope, from: new Date(scope.from.getTime() - length), to: scope.from };
}

/** Computes what was counted in the period before. Days of two periods are not compared with each other. */
export async function statisticsBefore(
  db: pg.Pool,
  scope: TableScope,
  group: StatisticGroup,
  zone: string,
): Promise<Statistics> {
  if (group !== 'day') return computeStatistics(db, scope, group, zone);
  const [total] = await statisticsOf(db, scope, null, zone);
  return { total: total ?? statistic('', '', {}, hoursOf(scope)), rows: [] };
}

interface Parts {
  assets?: number;
  alarms?: number;
  medianMs?: number | null;
  days?: DeviceDays;
  messages?: number | null;
  failed?: number | null;
  units?: number | null;
}

const hoursOf = ({ from, to }: TableScope) => (to.getTime() - from.getTime()) / HOUR_MS;

async function statisticsOf(
  db: pg.Pool,
  scope: TableScope,
  group: StatisticGroup | null,
  zone: string,
): Promise<Statistic[]> {
  const found = new Map<string, { name: string; parts: Parts }>();
  const add = (key: string, name: string, parts: Parts) => {
    const own = found.get(key);
    if (own) Object.assign(own.parts, parts);
    else found.set(key, { name, parts: { ...parts } });
  };
  const assets = await statAssets(db, scope.path, group === 'day' ? null : group);
  if (group !== 'day') for (const { key, name, assets: count } of assets) add(key, name, { assets: count });
  for (const { key, name, alarms, medianMs } of await statAlarms(db, scope, group, zone))
    add(key, name, { alarms, medianMs });
  for (const { key, name, ...days } of await statDevices(db, scope, group)) add(key, name, { days });
  if (group !== 'model')
    for (const { key, name, ...messages } of await statMessages(db, scope, group, zone))
      add(key, name, messages);
  const isDay = group === 'day';
  const unknown = group === 'model' ? null : 0;
  return [...found].map(([key, { name, parts }]) =>
    statistic(
      key,
      name,
      {
        messages: unknown,
        failed: unknown,
        units: unknown,
        ...parts,
        ...(isDay ? { assets: assets[0]?.assets ?? 0 } : {}),
      },
      isDay ? 24 : hoursOf(scope),
    ),
  );
}

function statistic(key: string, name: string, parts: Parts, hours: number): Statistic {
  const { assets = 0, alarms = 0, medianMs = null, days, messages = 0, failed = 0, units = 0 } = parts;
  return {
    key,
    name,
    assets,
    alarms,
    rate: assets > 0 && hours > 0 ? (alarms / assets / hours) * RATE_HOURS : null,
    medianMs,
    availability: days && days.deviceDays > 0 ? 1 - days.silentDays / days.deviceDays : null,
    completeness: days && days.due > 0 ? Math.min(1, days.received / days.due) : null,
    messages,
    failed,
    units,
  };
}

/** Lays out statistics as a table. */
export function statisticsDocument(
  { total, rows }: Statistics,
  before: Statistics,
  group: StatisticGroup,
  { scope, zone, language, by, at }: DocumentInput,
  translate: Translate,
): ReportDocument {
  const { text, moment, short, count, duration, share } = reportTexts(language, zone, translate);
  const earlier = new Map(before.rows.map((row) => [row.key, row.alarms]));
  const alarmsBefore = (row: Statistic): string => {
    if (row === total) return count(before.total.alarms);
    return group === 'day' ? NONE : count(earlier.get(row.key) ?? 0);
  };
  const cells = (row: Statistic) => [
    count(row.assets),
    count(row.alarms),
    alarmsBefore(row),
    row.rate === null ? NONE : fixed(row.rate, 2, language),
    duration(row.medianMs),
    row.availability === null ? NONE : share(row.availability, 1),
    row.completeness === null ? NONE : share(row.completeness, 1),
    row.messages === null ? NONE : count(row.messages),
    row.failed === null ? NONE : count(row.failed),
    row.units === null ? NONE : count(row.units),
  ];
  const figure = (title: string, width = 48) => ({ title, width, figure: true });
  return {
    title: text('jobs.kind.statistics-report'),
    subject: scope.name,
    period: `${short(scope.from)} ${NONE} ${short(scope.to)} · ${zone}`,
    answer: text('reports.statistics.answer', { alarms: total.alarms, assets: total.assets }),
    facts: [
      [text('logs.from'), moment(scope.from)],
      [text('logs.to'), moment(scope.to)],
      [text('users.time-zone'), zone],
      [text('reports.fact.created'), moment(at)],
      [text('reports.fact.created-by'), by],
    ],
    sections: [
      {
        heading: text(`reports.statistics.by.${group}`),
        columns: [
          { title: text(`reports.statistics.${group}`) },
          figure(text('reports.fact.assets'), 40),
          figure(text('reports.alarms.alarms'), 40),
          figure(text('reports.statistics.alarms-before'), 48),
          figure(text('reports.statistics.rate'), 70),
          figure(text('reports.alarms.median'), 70),
          figure(text('reports.statistics.availability')),
          figure(text('reports.completeness')),
          figure(text('reports.statistics.messages')),
          // There is no room for it on paper.
          figure(text('reports.statistics.failed'), 0),
          figure(text('reports.statistics.units')),
        ],
        rows: [
          [text('reports.statistics.total'), ...cells(total)],
          ...rows.map((row) => [row.name || NONE, ...cells(row)]),
        ],
        empty: NONE,
      },
    ],
    method: text('reports.statistics.method'),
  };
}
