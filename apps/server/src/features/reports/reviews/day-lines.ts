import { type ReviewState, reviewStateOf } from '@isotherm/domain/reports/daily-review';
import type { DayRecord } from '@isotherm/domain/reports/day-records';
import { clockIn } from '../../../platform/local-time.ts';
import type { SummaryRow } from '../record-report.ts';
import { NONE, type ReportInput, type ReportWords } from '../record-words.ts';
import type { ReviewRow } from './daily-reviews.repo.ts';

/** The days of a channel with their reviews, as texts of the columns of `dayColumns`. */
export interface DayLines {
  row: SummaryRow;
  /** Time zone of the days. */
  zone: string;
  lines: string[][];
}

/** Titles of the columns, with their widths on paper. */
export function dayColumns({
  text,
}: ReportWords): { title: string; width: number | '*'; figure?: boolean }[] {
  return [
    { title: text('reports.review.day'), width: 48 },
    { title: text('reports.column.lowest'), width: 33, figure: true },
    { title: text('reports.review.time'), width: 26 },
    { title: text('reports.column.highest'), width: 33, figure: true },
    { title: text('reports.review.time'), width: 26 },
    { title: text('reports.column.outside'), width: 64, figure: true },
    { title: text('reports.review.initials'), width: 54 },
    { title: text('reports.review.reviewed'), width: 70 },
    { title: text('reports.review.comment'), width: '*' },
  ];
}

/** Returns the first days of all channels that have begun, with the newest review of each and what it corrects. */
export function dayLines(
  rows: readonly SummaryRow[],
  { reviews, at }: Pick<ReportInput, 'reviews' | 'at'>,
  words: ReportWords,
  most = Number.POSITIVE_INFINITY,
): DayLines[] {
  const ofDay = new Map<string, ReviewRow[]>();
  for (const review of reviews) {
    const key = `${review.channelId} ${review.day}`;
    ofDay.set(key, [...(ofDay.get(key) ?? []), review]);
  }
  const now = at.getTime();
  const all: DayLines[] = [];
  let left = most;
  for (const row of rows) {
    const days = row.days.filter(({ from }) => from < now).slice(0, left);
    if (days.length === 0) continue;
    left -= days.length;
    const { id, zone } = row.channel;
    const clock = clockIn(zone);
    const timeOf = (moment: number | null) =>
      moment === null ? NONE : clock(new Date(moment)).slice(11, 16);
    const lines = days.map((day) =>
      lineOf(row, day, ofDay.get(`${id} ${day.day}`) ?? [], now, timeOf, words),
    );
    all.push({ row, zone, lines });
  }
  return all;
}

function lineOf(
  { channel }: SummaryRow,
  day: DayRecord,
  [review, ...earlier]: readonly ReviewRow[],
  now: number,
  timeOf: (moment: number | null) => string,
  words: ReportWords,
): string[] {
  const { text, value, time } = words;
  const state = reviewStateOf(day, review ?? null, now);
  return [
    day.day,
    value(channel, day.min),
    timeOf(day.minAt),
    value(channel, day.max),
    timeOf(day.maxAt),
    outsideWords(day, words),
    initialsWords(state, review, words),
    review ? text('common.listed', { first: review.by, second: time(review.at) }) : NONE,
    [
      review?.comment,
      ...earlier.map(({ initials, at, comment }) => {
        const label = text('reports.review.earlier', { initials, time: time(at) });
        return comment === '' ? label : text('common.labelled', { label, value: comment });
      }),
    ]
      .filter(Boolean)
      .join('\n'),
  ];
}

/** Time outside the limits, and its share of the time that readings cover. */
function outsideWords({ outsideMs, coveredMs }: DayRecord, { duration, text, percent }: ReportWords): string {
  if (outsideMs === null || outsideMs === 0 || coveredMs === 0) return duration(outsideMs);
  return text('reports.review.outside', {
    duration: duration(outsideMs),
    share: percent(outsideMs / coveredMs),
  });
}

function initialsWords(state: ReviewState, review: ReviewRow | undefined, { text }: ReportWords): string {
  if (review === undefined) return text(`reports.review.state.${state}`);
  return state === 'changed'
    ? text('reports.review.changed', { initials: review.initials })
    : review.initials;
}
