import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { fixed, formatDuration, limitWords, shareWords } from '@isotherm/i18n/figures';
import type { Language } from '@isotherm/i18n/languages';
import { inWords } from '@isotherm/i18n/system-names';
import type { TextId } from '@isotherm/i18n/text-id';
import type { Translate } from '@isotherm/i18n/translator';
import { clockIn } from '../../platform/local-time.ts';
import { completenessOf, type ReportedChannel, type ReportRange, type SummaryRow } from './record-report.ts';
import type { ReportAsset } from './reports.repo.ts';
import type { ReviewRow } from './reviews/daily-reviews.repo.ts';

/** Placeholder of an unknown value. */
export const NONE = '–';
const NAMED = 20;

/** What every file of a report states, besides its content. */
export interface ReportInput {
  assets: readonly ReportAsset[];
  rows: readonly SummaryRow[];
  /** Reviews of the days of the rows, the newest first. */
  reviews: readonly ReviewRow[];
  /** An earlier range of the same length, with which the report is compared; its rows are those of the same channels. */
  earlier: { range: ReportRange; rows: readonly SummaryRow[] } | null;
  range: ReportRange;
  zone: string;
  language: Language;
  /** Name of the person who ordered it. */
  by: string;
  at: Date;
}

/** Words and numbers of a report in a language and a time zone. */
export function createReportWords(
  { language, zone }: Pick<ReportInput, 'language' | 'zone'>,
  translate: Translate,
) {
  const text = (id: TextId, values?: Record<string, string | number>) => translate(language, id, values);
  const clock = clockIn(zone);
  const time = (at: number | Date) => clock(new Date(at)).slice(0, 16).replace('T', ' ');
  const withOffset = (at: number | Date) => clock(new Date(at)).replace('T', ' ');
  const value = ({ indicator }: ReportedChannel, reading: number | null | undefined, more = 0) =>
    reading === null || reading === undefined
      ? NONE
      : fixed(reading, INDICATORS[indicator].precision + more, language);
  const channelName = ({ name }: ReportedChannel) => inWords(name, language);
  const unitOf = ({ indicator }: ReportedChannel) => INDICATORS[indicator].unit;
  const finite = (limit: number) => (Number.isFinite(limit) ? limit : null);
  const limits = (channel: ReportedChannel) => {
    const { precision } = INDICATORS[channel.indicator];
    const { spans } = channel;
    return spans
      .flatMap(({ from, low, high }) => {
        const words = limitWords({ low: finite(low), high: finite(high) }, precision, language);
        return words === null ? [] : [spans.length > 1 ? `${words} (${time(from)})` : words];
      })
      .join('; ');
  };

  return {
    text,
    time,
    value,
    channelName,
    unitOf,
    limits: (channel: ReportedChannel) => limits(channel) || NONE,
    versions: ({ versions }: ReportedChannel) => versions.map(({ id }) => `#${id}`).join(', ') || NONE,
    duration: (ms: number | null) => (ms === null ? NONE : formatDuration(ms, text)),
    share,
    /** A share with two decimals, for those near 0. */
    percent: (part: number) => `${fixed(100 * part, 2, language)} %`,
    head: (channel: ReportedChannel) => {
      const unit = unitOf(channel);
      return `${channel.asset} (${channel.code}) · ${channelName(channel)}${unit && ` (${unit})`}`;
    },
    /** Labels and values of the facts that a report states. */
    facts: ({ assets, rows, range, by, at }: ReportInput): [string, string][] => {
      const names = assets.slice(0, NAMED).map(({ name, code }) => `${name} (${code})`);
      const rest = assets.length - names.length;
      return [
        [text('reports.fact.assets'), [names.join(', '), ...(rest > 0 ? [`+${rest}`] : [])].join(' ')],
        [text('logs.from'), withOffset(range.from)],
        [text('logs.to'), withOffset(range.to)],
        [text('users.time-zone'), zone],
        [text('reports.completeness'), share(completenessOf(rows))],
        [text('reports.fact.created'), withOffset(at)],
        [text('reports.fact.created-by'), by],
      ];
    },
  };
  function share(each: number | null): string {
    return each === null ? NONE : shareWords(each);
  }
}

export type ReportWords = ReturnType<typeof createReportWords>;

/** Columns of the summary: their titles, and the text of each in a row. */
export function summaryColumns(words: ReportWords): { title: string; cell(row: SummaryRow): string }[] {
  const { text, value, time } = words;
  return [
    { title: text('reports.column.asset'), cell: ({ channel }) => channel.asset },
    { title: text('curve.export.code'), cell: ({ channel }) => channel.code },
    { title: text('curve.export.channel'), cell: ({ channel }) => words.channelName(channel) },
    { title: text('curve.export.unit'), cell: ({ channel }) => words.unitOf(channel) },
    {
      title: text('reports.column.lowest'),
      cell: ({ channel, statistics }) => value(channel, statistics?.min),
    },
    {
      title: text('reports.column.lowest-at'),
      cell: ({ statistics }) => (statistics ? time(statistics.minAt) : NONE),
    },
    {
      title: text('reports.column.highest'),
      cell: ({ channel, statistics }) => value(channel, statistics?.max),
    },
    {
      title: text('reports.column.highest-at'),
      cell: ({ statistics }) => (statistics ? time(statistics.maxAt) : NONE),
    },
    {
      title: text('reports.column.mean'),
      cell: ({ channel, statistics }) => value(channel, statistics?.mean, 1),
    },
    { title: text('reports.column.mkt'), cell: ({ channel, meanKinetic }) => value(channel, meanKinetic, 1) },
    { title: text('reports.column.outside'), cell: ({ outsideMs }) => words.duration(outsideMs) },
    { title: text('reports.column.coverage'), cell: ({ coverage }) => words.share(coverage) },
    { title: text('reports.column.readings'), cell: ({ statistics }) => String(statistics?.count ?? 0) },
    { title: text('reports.column.limits'), cell: ({ channel }) => words.limits(channel) },
    { title: text('reports.column.versions'), cell: ({ channel }) => words.versions(channel) },
    { title: text('curve.export.device'), cell: ({ channel }) => channel.device },
    { title: text('reports.column.certificate'), cell: ({ channel }) => channel.certificate ?? NONE },
    { title: text('reports.column.due'), cell: ({ channel }) => channel.dueOn ?? NONE },
  ];
}
