import { type DailyReview, listDailyReviews, reviewDays } from '@isotherm/contracts/daily-reviews';
import type { RecordDay, RecordRow } from '@isotherm/contracts/reports';
import { type ReviewState, reviewStateOf } from '@isotherm/domain/reports/daily-review';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';
import type { RecordRange } from './reports.queries.ts';

const REVIEWS = ['reports', 'reviews'];

/** Reviews of the days of assets in a range, the newest first. */
export function reviewsQuery(assets: readonly number[], range: RecordRange | null) {
  return queryOptions({
    queryKey: [...REVIEWS, assets.join(','), range],
    queryFn: ({ signal }) =>
      call(listDailyReviews, { query: { assets: assets.join(','), ...range }, signal, quiet: true }),
    enabled: assets.length > 0 && range !== null,
  });
}

/** A day of a channel with its reviews, the newest first. */
export interface ReviewedDay {
  row: RecordRow;
  day: RecordDay;
  reviews: DailyReview[];
  state: ReviewState;
}

/** Joins the days of a report with their reviews: the newest day first, then by asset and channel. */
export function reviewedDays(
  rows: readonly RecordRow[],
  reviews: readonly DailyReview[],
  now: number,
): ReviewedDay[] {
  const ofDay = new Map<string, DailyReview[]>();
  for (const review of reviews) {
    const key = `${review.channelId} ${review.day}`;
    ofDay.set(key, [...(ofDay.get(key) ?? []), review]);
  }
  return rows
    .flatMap((row) =>
      row.days.map((day): ReviewedDay => {
        const own = ofDay.get(`${row.channelId} ${day.day}`) ?? [];
        return { row, day, reviews: own, state: reviewStateOf(numbersOf(day), latestOf(own), now) };
      }),
    )
    .sort((a, b) => (a.day.day < b.day.day ? 1 : a.day.day > b.day.day ? -1 : 0));
}

const numbersOf = <Day extends { from: string; to: string }>({ from, to, ...numbers }: Day) => ({
  ...numbers,
  from: Date.parse(from),
  to: Date.parse(to),
});
const latestOf = ([review]: readonly DailyReview[]) => (review ? numbersOf(review) : null);

/** Signs days off with the numbers that the person saw. */
export function useReviewDays() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({
      days,
      initials,
      comment,
    }: {
      days: readonly ReviewedDay[];
      initials: string;
      comment: string;
    }) =>
      call(reviewDays, {
        body: {
          initials,
          comment,
          days: days.map(({ row: { channelId }, day: { day, from, to, count, min, max, outsideMs } }) => ({
            channelId,
            day,
            from,
            to,
            count,
            min,
            max,
            outsideMs,
          })),
        },
        quiet: true,
      }),
    // Also after an error: the values may have changed.
    onSettled: () => client.invalidateQueries({ queryKey: ['reports'] }),
  });
}
