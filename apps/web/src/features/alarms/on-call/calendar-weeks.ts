import { localDayBounds, offsetOf } from '@isotherm/domain/readings/local-days';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_DAYS = 7;

/**
 * Returns the starts of the days of weeks that begin on Monday in this zone: eight for each week, of which the
 * last one is the end. The first week is that of `now`, moved by `offset` weeks.
 */
export function weeksOf(now: number, zone: string, count: number, offset = 0): number[][] {
  const weekday = (new Date(now + offsetOf(zone)(now)).getUTCDay() + 6) % WEEK_DAYS;
  // Noon is on the same date in any zone, even if a night between has 23 or 25 hours.
  const noon = (localDayBounds(now, now, zone)[0] ?? now) + 12 * HOUR_MS;
  const monday = noon + (offset * WEEK_DAYS - weekday) * DAY_MS;
  const days = [...localDayBounds(monday, monday + count * WEEK_DAYS * DAY_MS, zone)];
  return Array.from({ length: count }, (_, week) => days.slice(week * WEEK_DAYS, (week + 1) * WEEK_DAYS + 1));
}
