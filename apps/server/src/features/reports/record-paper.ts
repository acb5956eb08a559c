import { fixed } from '@isotherm/i18n/figures';
import type { Content } from 'pdfmake';
import { cell, facts, grid, type PdfDocument } from '../../platform/documents/pdf.ts';
import { NONE, type ReportInput, type ReportWords } from './record-words.ts';
import type { ReportExcursion } from './reports.repo.ts';

/** Largest number of excursions on paper; the report says so if there are more. */
export const MOST_EXCURSIONS = 200;

/** Creates the summary of a report as a document: one line for each channel, and the excursions. */
export function recordPaper(
  input: ReportInput,
  words: ReportWords,
  excursions: readonly ReportExcursion[],
  brand: string,
): PdfDocument {
  const { text, value, time, duration, share } = words;
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
    title: `${title}: ${subject}`,
    brand,
    foot: text('validations.report.generated', { time: time(at), by, zone }),
    language,
    at,
    content,
  };
}
