import { offsetOf } from '../readings/local-days.ts';

/**
 * The schedule of a condition says at which local times an alarm may be raised. A moment is judged by the
 * wall clock of the time zone, so that an hour that clocks skip is in no span, and both passes of an hour that
 * occurs twice are.
 */
export interface Schedule {
  spans: readonly ScheduleSpan[];
  /** Empty in the input of a policy: that of its organisation. */
  timeZone: string;
  holidays: HolidayTreatment;
}

/**
 * A span that repeats every week. If `until` is not later than `from`, it ends on the next day; with equal times it
 * lasts a whole day.
 */
export interface ScheduleSpan {
  /** Days of the week on which the span begins. */
  days: readonly Weekday[];
  /** Local time, as `08:00`. */
  from: string;
  /** Local time, excluded. */
  until: string;
}

/** Days of the week as in ISO 8601: 1 is Monday, 7 is Sunday. */
export const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/**
 * What holds for spans that begin on a holiday: the same as on other days, nothing, or the spans of a Sunday.
 */
export const HOLIDAY_TREATMENTS = ['ignore', 'never', 'as-sunday'] as const;
export type HolidayTreatment = (typeof HOLIDAY_TREATMENTS)[number];

/** A schedule with the holidays of the channel's organisation. */
export interface RuleSchedule extends Schedule {
  /** Dates as numbers of days since 1970-01-01. */
  holidayDays: ReadonlySet<number>;
}

/** Largest number of spans of a schedule. */
export const MAX_SPANS = 7;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const SUNDAY = 7;

export type ScheduleFault = 'schedule' | 'time-zone';

/** Checks a schedule; returns null if it is valid. */
export function scheduleFault({ spans, timeZone }: Schedule): ScheduleFault | null {
  const isSpan = ({ days, from, until }: ScheduleSpan) =>
    days.length > 0 && new Set(days).size === days.length && TIME.test(from) && TIME.test(until);
  if (spans.length === 0 || spans.length > MAX_SPANS || !spans.every(isSpan)) return 'schedule';
  if (timeZone === '') return null;
  try {
    offsetOf(timeZone);
    return null;
  } catch {
    return 'time-zone';
  }
}

/** True if two schedules have the same spans in the same order, and treat holidays in the same way. */
export function isSameSchedule(a: Schedule | null, b: Schedule | null): boolean {
  if (a === null || b === null) return a === b;
  return keyOf(a) === keyOf(b);
}

const keyOf = ({ spans, timeZone, holidays }: Schedule) =>
  JSON.stringify([timeZone, holidays, ...spans.map(({ days, from, until }) => [...days, from, until])]);

/** Number of days from 1970-01-01 to a date such as `2026-12-25`. */
export const dayNumberOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY_MS;

/** The greatest offset of a time zone from UTC (Kiribati). */
const EARLIEST_ZONE_MS = 14 * 60 * MINUTE_MS;

/** True if a date such as `2026-12-25` has begun in any time zone. */
export const hasBegun = (date: string, now: number): boolean =>
  dayNumberOf(date) * DAY_MS - EARLIEST_ZONE_MS <= now;

/** True if alarms may be raised at a moment (epoch ms). Without a schedule they always may. */
export function isScheduled(schedule: RuleSchedule | null | undefined, at: number): boolean {
  if (!schedule) return true;
  const local = at + localOffset(schedule.timeZone, at);
  const day = Math.floor(local / DAY_MS);
  const minute = (local - day * DAY_MS) / MINUTE_MS;
  return schedule.spans.some((span) => {
    const from = minutesOf(span.from);
    const until = minutesOf(span.until);
    if (from < until) return minute >= from && minute < until && beginsOn(schedule, span, day);
    return (
      (minute >= from && beginsOn(schedule, span, day)) ||
      (minute < until && beginsOn(schedule, span, day - 1))
    );
  });
}

/**
 * The moment since which alarms may be raised without interruption, to the minute; minus infinity if that is
 * before `earliest`. Alarms may be raised at `at`.
 */
export function scheduledSince(schedule: RuleSchedule, at: number, earliest: number): number {
  let since = Math.floor(at / MINUTE_MS) * MINUTE_MS;
  while (isScheduled(schedule, since - MINUTE_MS)) {
    since -= MINUTE_MS;
    if (since < earliest) return Number.NEGATIVE_INFINITY;
  }
  return since;
}

function beginsOn({ holidays, holidayDays }: RuleSchedule, { days }: ScheduleSpan, day: number): boolean {
  const weekday = ((((day + 3) % 7) + 7) % 7) + 1;
  if (holidays === 'ignore' || !holidayDays.has(day)) return days.includes(weekday as Weekday);
  return holidays === 'as-sunday' && days.includes(SUNDAY);
}

function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

/** Largest number of days of a time zone that are cached. */
const CACHED_DAYS = 3_000;

interface ZoneOffsets {
  at(moment: number): number;
  /** Offset of a UTC day; null if it changes on that day. */
  days: Map<number, number | null>;
}
const zones = new Map<string, ZoneOffsets>();

/**
 * Offset of a time zone from UTC. It is cached for days on which it does not change, since its computation by
 * Intl takes longer than the evaluation of a reading.
 */
function localOffset(timeZone: string, at: number): number {
  let zone = zones.get(timeZone);
  if (!zone) {
    zone = { at: offsetOf(timeZone), days: new Map() };
    zones.set(timeZone, zone);
  }
  const day = Math.floor(at / DAY_MS);
  let offset = zone.days.get(day);
  if (offset === undefined) {
    const first = zone.at(day * DAY_MS);
    offset = first === zone.at((day + 1) * DAY_MS) ? first : null;
    if (zone.days.size >= CACHED_DAYS) zone.days.clear();
    zone.days.set(day, offset);
  }
  return offset ?? zone.at(at);
}
