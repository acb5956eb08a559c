import type { Indicator } from '../readings/indicator.ts';
import { type AlarmKind, isOffset, isSilence, KIND_OF } from './catalogue.ts';

/**
 * Types of notifications. The alarm was raised, reached a higher level, is still not acknowledged, has
 * ended, or continues because of late readings after its end was notified.
 */
export const NOTIFICATION_KINDS = ['raised', 'level-changed', 'repeated', 'ended', 'reopened'] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

const DAY_MS = 86_400_000;
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 10 * 60_000;
/** Time after which an undelivered notification is given up, counted from when it was due. */
export const GIVEN_UP_AFTER_MS = DAY_MS;
/** A notification that is claimed later than this after its due time is marked as late. */
export const LATE_AFTER_MS = 60_000;

/** State of an alarm, to decide whether a due repeat is sent. */
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
  if (!alarm.isOpen || (alarm.acknowledgedLevel ?? 0) >= stepLevel) return 'cancel';
  return alarm.level >= stepLevel ? 'send' : 'wait';
}

/** Time at which the next repeat is due, epoch ms. Repeats that were missed during an outage are skipped. */
export function nextRepeat(dueAt: number, repeatMs: number, now: number): number {
  const missed = Math.max(0, Math.floor((now - dueAt) / repeatMs));
  return dueAt + (missed + 1) * repeatMs;
}

/**
 * Time of the next attempt after this number of failed ones, epoch ms; null if the notification is given up.
 */
export function nextAttempt(firstDueAt: number, attempts: number, now: number): number | null {
  const at = now + Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 30));
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
  if (isOffset(kind)) return kind;
  const field = FIELDS[indicator] ?? indicator;
  return kind === KIND_OF.above || kind === KIND_OF.below ? field : `${field}-${kind}`;
}
