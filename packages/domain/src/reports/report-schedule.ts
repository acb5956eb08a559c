import { momentOf } from '../alarms/on-call.ts';
import { offsetOf } from '../readings/local-days.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

export const REPORT_INTERVALS = ['day', 'week', 'month'] as const;
export type ReportInterval = (typeof REPORT_INTERVALS)[number];

/** When a scheduled report is made. Times are local. */
export interface ReportTiming {
  interval: ReportInterval;
  /** Day of the week of a weekly report: 1 is Monday, 7 is Sunday. */
  weekday: number;
  /** Day of a monthly report. A month without it has its report on its last day. */
  monthDay: number;
  /** Time of day, as `07:30`. */
  at: string;
  timeZone: string;
}

function isOn({ interval, weekday, monthDay }: ReportTiming, date: number): boolean {
  const day = new Date(date);
  if (interval === 'day') return true;
  if (interval === 'week') return day.getUTCDay() === weekday % 7;
  const last = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate();
  return day.getUTCDate() === Math.min(monthDay, last);
}

/**
 * Returns the first time of a report after a moment (epoch ms). A time of day that is skipped when clocks are set forward
 * is replaced by the first one after it; of a time that occurs twice, the first one counts. Throws for an unknown time
 * zone.
 */
export function nextReport(timing: ReportTiming, after: number): number {
  const offsetAt = offsetOf(timing.timeZone);
  const [hours, minutes] = timing.at.split(':').map(Number) as [number, number];
  const ofDay = (hours * 60 + minutes) * MINUTE_MS;
  for (let date = dateOf(after, offsetAt) - DAY_MS; ; date += DAY_MS) {
    if (!isOn(timing, date)) continue;
    const moment = momentOf(date + ofDay, offsetAt);
    if (moment > after) return moment;
  }
}

/**
 * Returns what a report made at a moment is about: the last full local day, the last seven, or the last calendar month;
 * epoch ms, the end is exclusive.
 */
export function reportedPeriod(
  interval: ReportInterval,
  at: number,
  timeZone: string,
): { from: number; to: number } {
  const offsetAt = offsetOf(timeZone);
  const today = dateOf(at, offsetAt);
  if (interval !== 'month')
    return {
      from: momentOf(today - (interval === 'day' ? 1 : 7) * DAY_MS, offsetAt),
      to: momentOf(today, offsetAt),
    };
  const day = new Date(today);
  const monthBegin = (shift: number) => Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + shift, 1);
  return { from: momentOf(monthBegin(-1), offsetAt), to: momentOf(monthBegin(0), offsetAt) };
}

/** Returns the local date of a moment, given as midnight in UTC. */
const dateOf = (at: number, offsetAt: (at: number) => number) =>
  Math.floor((at + offsetAt(at)) / DAY_MS) * DAY_MS;
