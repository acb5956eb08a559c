import type { AlarmLevel } from './alarm-level.ts';
import type { NotificationKind, RepeatedAlarm } from './notification.ts';
import type { POLICY_TARGETS } from './policy.ts';

/**
 * Declared suppression windows. A window holds back notifications of alarms until it ends. It never changes
 * evaluation: alarms are raised, stored and shown as always.
 */

/** Why a window is declared. */
export const SUPPRESSION_KINDS = ['maintenance', 'defrost', 'other'] as const;
export type SuppressionKind = (typeof SUPPRESSION_KINDS)[number];

/** What a window can cover. Groups and organisations include everything below them. */
export const SUPPRESSION_TARGETS = [
  'asset',
  'asset-group',
  'organization',
] as const satisfies readonly (typeof POLICY_TARGETS)[number][];
export type SuppressionTargetKind = (typeof SUPPRESSION_TARGETS)[number];

export const SUPPRESSION_STATES = ['planned', 'active', 'over'] as const;
export type SuppressionState = (typeof SUPPRESSION_STATES)[number];

/** Longest duration of a window. */
export const MAX_SUPPRESSION_MS = 7 * 86_400_000;
/** Highest level that a window covers if nobody chooses another one. Level 5 is then always sent. */
export const DEFAULT_HIGHEST_LEVEL: AlarmLevel = 4;

/** Times of a window in epoch ms. */
export interface SuppressionSpan {
  from: number;
  until: number;
  /** When a person ended it early or cancelled it; null if nobody did. */
  endedAt: number | null;
}

export interface SuppressionWindow extends SuppressionSpan {
  id: number;
  /** Highest level of alarms whose notifications it holds back. */
  highestLevel: AlarmLevel;
}

/** Time at which a window ends, or ended. */
export function suppressionEnd({ until, endedAt }: Omit<SuppressionSpan, 'from'>): number {
  return endedAt === null ? until : Math.min(until, endedAt);
}

/** State of a window at a time. It includes its start and excludes its end. */
export function suppressionState(span: SuppressionSpan, now: number): SuppressionState {
  if (now >= suppressionEnd(span)) return 'over';
  return now < span.from ? 'planned' : 'active';
}

/** A notification that a worker has claimed. */
export interface ClaimedNotification {
  kind: NotificationKind;
  /** Level of the alarm when the notification was written. */
  level: number;
  /** The last window that has held it back and its end, epoch ms; null if none has. */
  heldBy: { id: number; end: number } | null;
}

/** The alarm of a notification when it is claimed. */
export interface ClaimedAlarm extends RepeatedAlarm {
  /** Server time at which its end was recorded, epoch ms; null while it is open. */
  endedAt: number | null;
}

/** What becomes of a claimed notification. `by` is the id of a window; `until` is its end, epoch ms. */
export type Hold =
  | { verdict: 'send' }
  | { verdict: 'hold'; by: number; until: number }
  | { verdict: 'drop'; by: number };

const SEND: Hold = { verdict: 'send' };

/**
 * Decides whether a claimed notification is sent, held back until the end of a window, or dropped because
 * the alarm ended or was acknowledged while a window held it back. `windows` are those that reach the alarm's
 * asset. Notifications of ends are judged by `judgeEnd`.
 */
export function judgeHold(
  notification: ClaimedNotification,
  alarm: ClaimedAlarm,
  windows: readonly SuppressionWindow[],
  now: number,
): Hold {
  const { heldBy } = notification;
  const level = levelOf(notification, alarm);
  const isAcknowledged = (alarm.acknowledgedLevel ?? 0) >= level;
  const holding = holdingWindow(windows, level, alarm, now);
  if (holding !== null)
    return !alarm.isOpen || isAcknowledged
      ? { verdict: 'drop', by: holding.id }
      : { verdict: 'hold', by: holding.id, until: suppressionEnd(holding) };
  if (heldBy === null) return SEND;
  // An alarm that ended after the window is still reported, for example after an outage of the workers.
  const endedInWindow = !alarm.isOpen && (alarm.endedAt === null || alarm.endedAt <= heldBy.end);
  return endedInWindow || isAcknowledged ? { verdict: 'drop', by: heldBy.id } : SEND;
}

/**
 * Level by which a notification is judged. A higher level of the alarm releases what was written at a lower
 * one. A repeat has the present level, because it sends the present content of the alarm.
 */
function levelOf({ kind, level }: ClaimedNotification, alarm: ClaimedAlarm): number {
  return kind === 'repeated' ? alarm.level : Math.max(level, alarm.level);
}

/**
 * Returns the window that holds back notifications of this level at a time, the last one to end; null if
 * there is none. A window does not concern an alarm that ended before it began.
 */
function holdingWindow(
  windows: readonly SuppressionWindow[],
  level: number,
  { isOpen, endedAt }: Pick<ClaimedAlarm, 'isOpen' | 'endedAt'>,
  now: number,
): SuppressionWindow | null {
  return windows
    .filter(
      (window) =>
        suppressionState(window, now) === 'active' &&
        window.highestLevel >= level &&
        (isOpen || endedAt === null || endedAt >= window.from),
    )
    .reduce<SuppressionWindow | null>(
      (last, window) => (last === null || suppressionEnd(window) > suppressionEnd(last) ? window : last),
      null,
    );
}

/** What happened to the earlier notifications of an alarm to the same recipient. */
export interface EarlierNotifications {
  /** True if one of them was sent or tried. */
  isTold: boolean;
  /** True if one of them is due and has not been judged yet. */
  isUnsettled: boolean;
  /** Window that has held one of them back; null if none has. */
  heldBy: number | null;
}

/**
 * Decides whether the notification of an end is sent: at once, but not to a recipient for whom a window has
 * held back everything before. While another worker may be judging what comes before, it waits.
 */
export function judgeEnd(
  { isTold, isUnsettled, heldBy }: EarlierNotifications,
  alarm: ClaimedAlarm,
  windows: readonly SuppressionWindow[],
  now: number,
): Hold | { verdict: 'wait' } {
  if (isTold) return SEND;
  if (isUnsettled && (heldBy !== null || holdingWindow(windows, alarm.level, alarm, now) !== null))
    return { verdict: 'wait' };
  return heldBy === null || isUnsettled ? SEND : { verdict: 'drop', by: heldBy };
}
