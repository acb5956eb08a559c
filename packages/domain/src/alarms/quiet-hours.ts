import { offsetOf } from '../readings/local-days.ts';
import { GROUPED_TO_LEVEL } from './storm.ts';

/**
 * Quiet hours of a recipient: local times on weekdays. Notifications of levels 1 to 4 wait until their end (decision
 * 32).
 */
export interface QuietHours {
  /** Weekdays on which they begin: 1 is Monday, 7 is Sunday. */
  days: readonly number[];
  /** Local times such as `22:00`. If the end is not after the start, they end on the next day. */
  from: string;
  until: string;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

function minutesOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number) as [number, number];
  return hours * 60 + minutes;
}

/**
 * Returns the end of the quiet hours that hold at a moment, epoch ms; null if none do. All times of the local clock
 * count as in the zone's offset at the moment; an end across a change of the clocks is judged again when it is due.
 * Throws for an unknown time zone.
 */
export function quietUntil(hours: QuietHours | null, timeZone: string, now: number): number | null {
  if (hours === null) return null;
  const offset = offsetOf(timeZone)(now);
  const today = Math.floor((now + offset) / DAY_MS) * DAY_MS;
  const from = minutesOf(hours.from) * MINUTE_MS;
  const until = minutesOf(hours.until) * MINUTE_MS;
  const lasts = until > from ? until - from : until + DAY_MS - from;
  const ends = [today - DAY_MS, today]
    // The first of January 1970 was a Thursday.
    .filter((day) => hours.days.includes(((day / DAY_MS + 3) % 7) + 1))
    .map((day) => ({ start: day + from - offset, end: day + from + lasts - offset }))
    .filter(({ start, end }) => start <= now && now < end)
    .map(({ end }) => end);
  return ends.length === 0 ? null : Math.max(...ends);
}

/** True if a notification of this level waits for the end of quiet hours. */
export const respectsQuietHours = (level: number): boolean => level <= GROUPED_TO_LEVEL;
