import type { Indicator } from '../readings/indicator.ts';
import { type AlarmKind, isOffset, isSilence, KIND_OF } from './catalogue.ts';

/**
 * What a notification is about: the alarm began, reached a higher level, lasts unacknowledged, ended, or goes on although its
 * end was told (late readings).
 */
export const NOTIFICATION_KINDS = ['raised', 'level-changed', 'repeated', 'ended', 'reopened'] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

const DAY_MS = 86_400_000;
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 10 * 60_000;
/** An undelivered notification is given up this long after it was due. */
export const GIVEN_UP_AFTER_MS = DAY_MS;
/** A notification that is claimed later than this after it was due says so. */
export const LATE_AFTER_MS = 60_000;

/** The alarm of a repeat that is due. */
export interface RepeatedAlarm {
  isOpen: boolean;
  /** The highest level that it had reached when somebody acknowledged it; null: nobody has. */
  acknowledgedLevel: number | null;
  level: number;
}

/**
 * Whether a repeat that is due is sent. Acknowledging stops the repeats of the levels that the alarm had reached; a higher
 * level has its own. On a lower level than that of its step it waits for its next time: the alarm
 * may climb again.
 */
export function judgeRepeat(alarm: RepeatedAlarm, stepLevel: number): 'send' | 'wait' | 'cancel' {
  if (!alarm.isOpen || (alarm.acknowledgedLevel ?? 0) >= stepLevel) return 'cancel';
  return alarm.level >= stepLevel ? 'send' : 'wait';
}

/** When the next repeat is due: those missed during an outage are left out. Epoch ms. */
export function nextRepeat(dueAt: number, repeatMs: number, now: number): number {
  const missed = Math.max(0, Math.floor((now - dueAt) / repeatMs));
  return dueAt + (missed + 1) * repeatMs;
}

/** When to try again after so many failed attempts; null: given up. Epoch ms. */
export function nextAttempt(firstDueAt: number, attempts: number, now: number): number | null {
  const at = now + Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 30));
  return at - firstDueAt > GIVEN_UP_AFTER_MS ? null : at;
}

const FIELDS: Partial<Record<Indicator, string>> = { battery: 'voltage', power: 'unplugged' };

/**
 * `eventField` of an alarm message (requirements §3): other quantities have their own name, and kinds of alarms that do
 * not compare the value itself are appended to it, as in `temperature-fast-rise`.
 */
export function eventFieldOf(kind: AlarmKind, indicator: Indicator): string {
  if (isSilence(kind)) return 'offline';
  if (isOffset(kind)) return kind;
  const field = FIELDS[indicator] ?? indicator;
  return kind === KIND_OF.above || kind === KIND_OF.below ? field : `${field}-${kind}`;
}
