import type { Indicator } from '../readings/indicator.ts';
import { type AlarmKind, isOfRule, isSilence, KIND_OF } from './catalogue.ts';

/**
 * Types of notifications. The alarm was raised, reached a higher level, is still not acknowledged (`repeated`
 * to the same recipients, `unacknowledged` to those of an escalation), has ended, or continues because of late
 * readings after its end was notified.
 */
export const NOTIFICATION_KINDS = [
  'raised',
  'level-changed',
  'repeated',
  'unacknowledged',
  'ended',
  'reopened',
] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

const DAY_MS = 86_400_000;
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 10 * 60_000;
/** Time after which an undelivered notification is given up, counted from when it was due. */
export const GIVEN_UP_AFTER_MS = DAY_MS;
/** Time for which a popup waits for an open console of its recipient. */
export const POPUP_WAIT_MS = 15 * 60_000;
/** A notification that is claimed later than this after its due time is marked as late. */
export const LATE_AFTER_MS = 60_000;

/** State of an alarm, to decide whether a due repeat or escalation is sent. */
export interface RepeatedAlarm {
  isOpen: boolean;
  /**
   * The highest level that the alarm had reached when it was acknowledged; null if nobody has acknowledged
   * it.
   */
  acknowledgedLevel: number | null;
  level: number;
}

/**
 * Decides whether a due repeat is sent. An acknowledgement stops the repeats of all levels that the alarm
 * had reached; a higher level has its own repeats. If the alarm is at a lower level than the step, the
 * repeat waits for its next time, because the alarm may rise again.
 */
export function judgeRepeat(alarm: RepeatedAlarm, stepLevel: number): 'send' | 'wait' | 'cancel' {
  return judgeEscalation(alarm, { level: stepLevel, lowestLevel: stepLevel });
}

/** Interval at which an escalation is judged again while the alarm is below its level. */
export const ESCALATION_CHECK_MS = 60_000;

/**
 * Decides whether a due escalation is sent. `level` is the level of the alarm whose acknowledgement cancels it;
 * it waits while the alarm is below `lowestLevel`, because the alarm may rise again.
 */
export function judgeEscalation(
  alarm: RepeatedAlarm,
  { level, lowestLevel }: { level: number; lowestLevel: number },
): 'send' | 'wait' | 'cancel' {
  if (!alarm.isOpen || (alarm.acknowledgedLevel ?? 0) >= level) return 'cancel';
  return alarm.level >= lowestLevel ? 'send' : 'wait';
}

/** Time at which the next repeat is due, epoch ms. Repeats that were missed during an outage are skipped. */
export function nextRepeat(dueAt: number, repeatMs: number, now: number): number {
  const missed = Math.max(0, Math.floor((now - dueAt) / repeatMs));
  return dueAt + (missed + 1) * repeatMs;
}

/** By how much a retry may be delayed besides, as a share of its delay. */
const JITTER = 0.2;
const GOLDEN = 0.618033988749895;

/**
 * Jitter of the retries of a notification, from 0 to 1. It follows from the id, so that notifications that failed together
 * are not tried again together, and is the same in every process.
 */
export const jitterOf = (id: number): number => (id * GOLDEN) % 1;

/**
 * Time of the next attempt after this number of failed ones, epoch ms; null if the notification is given up.
 */
export function nextAttempt(
  firstDueAt: number,
  attempts: number,
  now: number,
  jitter: number,
): number | null {
  const delay = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 30));
  const at = now + Math.round(delay * (1 + JITTER * jitter));
  return at - firstDueAt > GIVEN_UP_AFTER_MS ? null : at;
}

const FIELDS: Partial<Record<Indicator, string>> = { battery: 'voltage', power: 'unplugged' };

/**
 * `eventField` of an alarm message (requirements §3). Some quantities have another name there than in this
 * program. Kinds of alarms that do not compare the measured value are appended, as in
 * `temperature-fast-rise`.
 */
export function eventFieldOf(kind: AlarmKind, indicator: Indicator): string {
  if (isSilence(kind)) return 'offline';
  if (!isOfRule(kind)) return kind;
  const field = FIELDS[indicator] ?? indicator;
  return kind === KIND_OF.above || kind === KIND_OF.below ? field : `${field}-${kind}`;
}
