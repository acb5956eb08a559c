import { offsetOf } from '../readings/local-days.ts';
import { momentOf } from './on-call.ts';

/**
 * Alarm tests send a message marked as a test to the recipients of a policy step. All times are epoch ms.
 */

/** Notification channels that a test uses. SMS is left out, because a test costs no units. */
export const TESTED_CHANNELS = ['email', 'web', 'url-push'] as const;
export type TestedChannel = (typeof TESTED_CHANNELS)[number];

const DAY_MS = 86_400_000;

/** How many tests a person may start in any hour, because each sends messages. Schedules are not limited. */
export const TESTS_PER_HOUR = 20;

/** Time after which a test that was not confirmed is overdue. */
export const TEST_OVERDUE_MS = DAY_MS;

export const TEST_INTERVALS = ['weeks', 'months'] as const;
export type TestInterval = (typeof TEST_INTERVALS)[number];

/** A test that is repeated every so many weeks or months at a local time. */
export interface TestSchedule {
  every: number;
  interval: TestInterval;
  /** Date of the first test, as `2026-11-23`. It sets the weekday, or the day of the month. */
  startsOn: string;
  /** Local time, as `10:00`. */
  at: string;
  timeZone: string;
}

/** Local time of the n-th test, given as if it were in UTC. A month without the day has its test on its last day. */
function localTimeOf({ every, interval, startsOn, at }: TestSchedule, n: number): number {
  const first = new Date(`${startsOn}T${at}:00Z`);
  if (interval === 'weeks') return first.getTime() + n * every * 7 * DAY_MS;
  const month = first.getUTCMonth() + n * every;
  const lastDay = new Date(Date.UTC(first.getUTCFullYear(), month + 1, 0)).getUTCDate();
  return Date.UTC(
    first.getUTCFullYear(),
    month,
    Math.min(first.getUTCDate(), lastDay),
    first.getUTCHours(),
    first.getUTCMinutes(),
  );
}

/** Time of the first test of a schedule after a moment. Throws for an unknown time zone. */
export function nextTest(schedule: TestSchedule, after: number): number {
  const offsetAt = offsetOf(schedule.timeZone);
  const longest = schedule.every * (schedule.interval === 'weeks' ? 7 : 31) * DAY_MS;
  // An estimate that is never too late, because no interval is longer.
  let n = Math.max(0, Math.floor((after - localTimeOf(schedule, 0)) / longest) - 1);
  for (;;) {
    const moment = momentOf(localTimeOf(schedule, n), offsetAt);
    if (moment > after) return moment;
    n += 1;
  }
}

export const TEST_STATES = ['failed', 'overdue', 'waiting', 'confirmed'] as const;
export type TestState = (typeof TEST_STATES)[number];

/** Numbers of the messages of a test. */
export interface TestCounts {
  messages: number;
  /** Messages that failed and that nobody has confirmed otherwise. */
  failed: number;
  /** Messages to people who have not confirmed. */
  unconfirmed: number;
}

/** State of a test: failed if a message did not arrive or nobody was told, otherwise whether all have confirmed. */
export function testState(
  { messages, failed, unconfirmed }: TestCounts,
  startedAt: number,
  now: number,
): TestState {
  if (messages === 0 || failed > 0) return 'failed';
  if (unconfirmed === 0) return 'confirmed';
  return now - startedAt > TEST_OVERDUE_MS ? 'overdue' : 'waiting';
}
