import type { RecordStatistics } from '@isotherm/domain/reports/record-statistics';
import { fixed } from '@isotherm/i18n/figures';
import type { Content } from 'pdfmake';
import { cell, facts, grid, type PdfDocument, strip } from '../../platform/documents/pdf.ts';
import { recordCharts } from './record-charts.ts';
import { comparedColumns, comparedRows } from './record-comparison.ts';
import { insideOf, type SummaryRow } from './record-report.ts';
import { NONE, type ReportInput, type ReportWords } from './record-words.ts';
import type { ReportExcursion } from './reports.repo.ts';
import { dayColumns, dayLines } from './reviews/day-lines.ts';

/** Largest number of excursions on paper; the report says so if there are more. */
export const MOST_EXCURSIONS = 200;

/** Days on paper, a month of 20 channels; the workbook has all of them. Other documents wait while one is laid out. */
const MOST_DAYS = 620;

/**
 * Creates the summary of a report as a document: one line for each channel, a chart for each asset, the days with their
 * reviews, and the excursions.
 */
export function recordPaper(
  input: ReportInput,
  words: ReportWords,
  excursions: readonly ReportExcursion[],
  brand: string,
): PdfDocument {
  const { text, value, time, duration } = words;
  const { rows, assets, at, by, zone, language, range } = input;
  const title = text('jobs.kind.record-report');
  const subject = assets.length === 1 ? `${assets[0]?.name} (${assets[0]?.code})` : title;
  const ofChannel = new Map(rows.map(({ channel }) => [channel.id, channel]));
  const outside = rows.filter(({ outsideMs }) => outsideMs !== null && outsideMs > 0);
  const hasData = rows.some(({ statistics }) => statistics !== null);
  const limited = rows.filter(({ channel }) => channel.versions.length > 0).length;
  const answer = !hasData
    ? text('reports.no-data')
    : outside.length > 0
      ? text('reports.answer.outside', {
          count: outside.length,
          duration: duration(Math.max(...outside.map(({ outsideMs }) => outsideMs ?? 0))),
        })
      : limited === 0
        ? text('reports.answer.unlimited')
        : text('reports.answer.inside', { count: limited });
  const shown = excursions.slice(0, MOST_EXCURSIONS);

  const content: Content[] = [
    { text: subject, style: 'title' },
    cell(`${time(range.from)} ${NONE} ${time(range.to)} · ${zone}`, { margin: [0, 2, 0, 8] }),
    { text: answer, fontSize: 11, bold: true, margin: [0, 0, 0, 10] },
    facts(words.facts(input)),
    ...summaryOf(input, words),
    ...comparisonOf(input, words),
    ...recordCharts(input, words),
    ...daysOf(input, words),
    { text: text('reports.excursions'), style: 'heading' },
    shown.length === 0
      ? cell(text('reports.excursions.none'))
      : grid(
          [
            { title: text('alarms.column.level'), width: 30, figure: true },
            { title: text('reports.column.asset'), width: '*' },
            { title: text('logs.from'), width: 72 },
            { title: text('logs.to'), width: 72 },
            { title: text('reports.column.peak'), width: 36, figure: true },
            { title: text('reports.column.cause'), width: '*' },
            { title: text('alarms.column.acknowledged'), width: 62 },
          ],
          shown.map((each) => {
            const channel = ofChannel.get(each.channelId);
            return [
              fixed(each.level, 0, language),
              channel ? `${channel.asset} · ${words.channelName(channel)}` : NONE,
              time(each.since),
              each.endedAt ? time(each.endedAt) : NONE,
              channel ? value(channel, each.peak) : NONE,
              [each.cause, each.action].filter(Boolean).join(' ') || NONE,
              each.acknowledgedBy ?? NONE,
            ];
          }),
        ),
    ...(excursions.length > shown.length
      ? [cell(text('reports.excursions.limited', { count: MOST_EXCURSIONS }), { margin: [0, 4, 0, 0] })]
      : []),
    { text: text('reports.sources'), style: 'heading' },
    grid(
      [
        { title: text('reports.column.asset'), width: '*' },
        { title: text('curve.export.channel'), width: '*' },
        { title: text('curve.export.device'), width: 56 },
        { title: text('reports.column.limits'), width: 80 },
        { title: text('reports.column.versions'), width: 60 },
        { title: text('reports.column.certificate'), width: 70 },
        { title: text('reports.column.due'), width: 52 },
      ],
      rows.map(({ channel }) => [
        channel.asset,
        words.channelName(channel),
        channel.device,
        words.limits(channel),
        words.versions(channel),
        channel.certificate ?? NONE,
        channel.dueOn ?? NONE,
      ]),
    ),
    { text: text('reports.method'), style: 'note', margin: [0, 14, 0, 0] },
  ];
  return {
    title: text('common.labelled', { label: title, value: subject }),
    brand,
    foot: text('validations.report.generated', { time: time(at), by, zone }),
    language,
    at,
    content,
    signatures: [
      { label: text('reports.signature.prepared'), name: by, date: time(at).slice(0, 10) },
      { label: text('reports.signature.reviewed'), name: '', date: text('reports.signature-date') },
      { label: text('reports.signature.approved'), name: '', date: text('reports.signature-date') },
    ],
  };
}

/** A line for each channel; the figures of a single one are larger. */
function summaryOf({ rows }: ReportInput, words: ReportWords): Content[] {
  const { text, value, duration, share } = words;
  const [first, ...others] = rows;
  if (first?.statistics && others.length === 0) return [figuresOf(first, first.statistics, words)];
  return [
    { text: text('reports.summary'), style: 'heading' },
    grid(
      [
        { title: text('reports.column.asset'), width: '*' },
        { title: text('curve.export.channel'), width: '*' },
        { title: text('reports.column.lowest'), width: 36, figure: true },
        { title: text('reports.column.highest'), width: 36, figure: true },
        { title: text('reports.column.mean'), width: 36, figure: true },
        { title: text('reports.column.mkt'), width: 40, figure: true },
        { title: text('reports.column.outside'), width: 54, figure: true },
        { title: text('reports.column.coverage'), width: 44, figure: true },
      ],
      rows.map(({ channel, statistics, meanKinetic, outsideMs, coverage }) => [
        `${channel.asset} (${channel.code})`,
        [words.channelName(channel), words.unitOf(channel)].filter(Boolean).join(' · '),
        value(channel, statistics?.min),
        value(channel, statistics?.max),
        value(channel, statistics?.mean, 1),
        value(channel, meanKinetic, 1),
        duration(outsideMs),
        share(coverage),
      ]),
    ),
  ];
}

function figuresOf(row: SummaryRow, statistics: RecordStatistics, words: ReportWords): Content {
  const { text, value, time, duration, percent } = words;
  const { channel, meanKinetic, outsideMs, coverage } = row;
  const unit = words.unitOf(channel);
  const withUnit = (reading: number | null, more = 0) =>
    reading === null ? NONE : `${value(channel, reading, more)} ${unit}`.trim();
  const inside = insideOf(row);
  return strip([
    [text('reports.column.lowest'), withUnit(statistics.min), time(statistics.minAt)],
    [text('reports.column.highest'), withUnit(statistics.max), time(statistics.maxAt)],
    [text('reports.column.mean'), withUnit(statistics.mean, 1)],
    ...(meanKinetic === null
      ? []
      : ([[text('reports.column.mkt'), withUnit(meanKinetic, 1)]] as [string, string][])),
    [text('reports.column.outside'), duration(outsideMs), inside === null ? '' : percent(1 - inside)],
    [text('reports.column.coverage'), words.share(coverage)],
  ]);
}

/** The statistics of an earlier range beside those of the report. */
function comparisonOf(input: ReportInput, words: ReportWords): Content[] {
  const { earlier } = input;
  if (earlier === null) return [];
  const { text, time } = words;
  const columns = comparedColumns(words);
  const { from, to } = earlier.range;
  return [
    grid(
      [
        { title: text('reports.column.asset'), width: '*' },
        { title: text('curve.export.channel'), width: '*' },
        ...columns.map(({ title, width }) => ({ title, width, figure: true })),
      ],
      comparedRows(input).map(({ row, before }) => [
        `${row.channel.asset} (${row.channel.code})`,
        words.channelName(row.channel),
        ...columns.map(({ cell }) => `${cell(before)} → ${cell(row)}`),
      ]),
      text('reports.compare.heading', { from: time(from), to: time(to) }),
    ),
  ];
}

/** The days of each channel with their reviews. */
function daysOf(input: ReportInput, words: ReportWords): Content[] {
  const { text } = words;
  const now = input.at.getTime();
  const total = input.rows.reduce((sum, { days }) => sum + days.filter(({ from }) => from < now).length, 0);
  if (total === 0) return [];
  const columns = dayColumns(words);
  const tables = dayLines(input.rows, input, words, MOST_DAYS).map(({ row: { channel }, zone, lines }) =>
    grid(
      columns,
      lines,
      text('reports.review.heading', {
        asset: `${channel.asset} · ${words.channelName(channel)}`,
        unit: words.unitOf(channel),
        zone,
      }),
    ),
  );
  return [
    ...tables,
    ...(total > MOST_DAYS
      ? [cell(text('reports.review.limited', { count: MOST_DAYS, total }), { margin: [0, 4, 0, 0] })]
      : []),
    { text: text('reports.review.method'), style: 'note', margin: [0, 4, 0, 0] },
  ];
}
