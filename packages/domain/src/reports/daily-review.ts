import type { DayRecord } from './day-records.ts';

/** Longest initials under a review. */
export const MAX_INITIALS = 8;
/** Letters that are proposed as initials. */
const PROPOSED = 4;

/** What a person saw of a day when they reviewed it. */
export type ReviewedNumbers = Pick<DayRecord, 'from' | 'to' | 'count' | 'min' | 'max' | 'outsideMs'>;

export const REVIEW_STATES = ['running', 'open', 'changed', 'reviewed'] as const;
/**
 * State of the review of a day: it is not over yet, not reviewed, reviewed with numbers that have changed since (late
 * readings, a certificate, another time zone of the organisation), or reviewed.
 */
export type ReviewState = (typeof REVIEW_STATES)[number];

/** Whether a day still has the numbers that were reviewed. */
export const hasSameNumbers = (day: ReviewedNumbers, seen: ReviewedNumbers): boolean =>
  day.from === seen.from &&
  day.to === seen.to &&
  day.count === seen.count &&
  day.min === seen.min &&
  day.max === seen.max &&
  day.outsideMs === seen.outsideMs;

/** Returns the state of a day by its newest review; null if there is none. `now` is in epoch ms. */
export function reviewStateOf(
  day: ReviewedNumbers,
  review: ReviewedNumbers | null,
  now: number,
): ReviewState {
  if (review !== null) return hasSameNumbers(day, review) ? 'reviewed' : 'changed';
  return now < day.to ? 'running' : 'open';
}

/** Whether a person can review a day now: it is over, and what they would sign is not signed yet. */
export const needsReview = (state: ReviewState): boolean => state === 'open' || state === 'changed';

/** Proposes initials for a name: the first letters of its words, or a Chinese name as it is. */
export function initialsOf(name: string): string {
  const words = name.split(/[\s._-]+/u).filter((word) => word !== '');
  const [first = ''] = words;
  const letters = words.length === 1 && /^\p{Script=Han}+$/u.test(first) ? [...first] : words.map(initialOf);
  return letters.slice(0, PROPOSED).join('');
}

const initialOf = (word: string): string => String.fromCodePoint(word.codePointAt(0) as number).toUpperCase();
