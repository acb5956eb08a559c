/** Why a time range is refused, in the order of the checks (requirements §5). */
export const RANGE_FAULTS = ['missing', 'no-maximum', 'format', 'order', 'too-long'] as const;
export type RangeFault = (typeof RANGE_FAULTS)[number];

const DAY_MS = 86_400_000;
const HOUR_MS = DAY_MS / 24;
/** Timestamps have at least 10 digits: seconds. With 12 or more, they are milliseconds. */
const SECONDS = /^\d{10,11}$/;
const MILLISECONDS = /^\d{12,16}$/;

/** A time as it is entered or sent. */
export type TimeInput = Date | number | string | null | undefined;

/** Returns a time in epoch ms: a date, ISO 8601, or a timestamp of at least 10 digits; null for anything else. */
export function momentOf(input: TimeInput): number | null {
  if (input instanceof Date) return finite(input.getTime());
  const text = String(input);
  if (SECONDS.test(text)) return Number(text) * 1000;
  if (MILLISECONDS.test(text)) return Number(text);
  return /^\d{4}-\d\d-\d\d/.test(text) ? finite(Date.parse(text)) : null;
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
const isMissing = (input: TimeInput): boolean => input === null || input === undefined || input === '';

/**
 * Checks a time range. Returns the first fault, or the range in epoch ms. A range may be an hour longer than its days,
 * because the day on which daylight saving time ends has 25 hours.
 */
export function checkTimeRange(
  start: TimeInput,
  end: TimeInput,
  maximumDays: number | null,
): { fault: RangeFault } | { fault: null; from: number; to: number } {
  if (isMissing(start) || isMissing(end)) return { fault: 'missing' };
  if (maximumDays === null || !(maximumDays > 0)) return { fault: 'no-maximum' };
  const from = momentOf(start);
  const to = momentOf(end);
  if (from === null || to === null) return { fault: 'format' };
  if (from > to) return { fault: 'order' };
  if (to - from > maximumDays * DAY_MS + HOUR_MS) return { fault: 'too-long' };
  return { fault: null, from, to };
}
