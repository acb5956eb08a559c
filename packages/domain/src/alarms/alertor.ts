import type { AlarmLevel } from './alarm-level.ts';

/** Kinds of alertors (sirens with a lamp and an acknowledge button). Both take the same messages. */
export const ALERTOR_KINDS = ['alertor', 'a-series'] as const;
export type AlertorKind = (typeof ALERTOR_KINDS)[number];

/** A serial number is part of topics, so it has no characters with a meaning there. */
export const ALERTOR_SERIAL = /^[A-Za-z0-9][A-Za-z0-9-]{3,31}$/;

/**
 * Time within which an alertor confirms what it has to show, ms. After that the notification has failed, and the
 * escalation goes on; the alertor still shows the alarm when it is connected again.
 */
export const CONFIRM_WITHIN_MS = 15_000;
/** Interval at which a message is repeated until it is confirmed, ms. */
export const REPEAT_MESSAGE_MS = 5_000;
/** An alertor counts as online if it was connected within this time, ms. */
export const ALERTOR_ONLINE_MS = 90_000;

export interface AlertorPattern {
  light: 'off' | 'steady' | 'slow-flash' | 'fast-flash';
  colour: 'none' | 'yellow' | 'red';
  sound: 'off' | 'single' | 'intermittent' | 'continuous';
}

const SILENT: AlertorPattern = { light: 'off', colour: 'none', sound: 'off' };
const PATTERNS: Readonly<Record<AlarmLevel, AlertorPattern>> = {
  1: { light: 'steady', colour: 'yellow', sound: 'off' },
  2: { light: 'slow-flash', colour: 'yellow', sound: 'single' },
  3: { light: 'slow-flash', colour: 'red', sound: 'intermittent' },
  4: { light: 'fast-flash', colour: 'red', sound: 'intermittent' },
  5: { light: 'fast-flash', colour: 'red', sound: 'continuous' },
};

/** Returns how an alertor shows the most severe of its alarms; without alarms it is dark and silent. */
export function patternOf(levels: readonly AlarmLevel[]): AlertorPattern & { level: AlarmLevel | 0 } {
  const level = levels.reduce<AlarmLevel | 0>((most, each) => (each > most ? each : most), 0);
  return level === 0 ? { level, ...SILENT } : { level, ...PATTERNS[level] };
}

/** What is known of the messages of a step, for the decision whether the next people are notified now. */
export interface AlertorStep {
  /** True if the step also has SMS or calls, whose receipts decide then. */
  hasReceipts: boolean;
  /** States of the notifications of its alertors. */
  states: readonly string[];
}

/** True if no alertor of a step has confirmed, so that the escalation that follows it is due now. */
export const isUnconfirmed = ({ hasReceipts, states }: AlertorStep): boolean =>
  !hasReceipts && states.length > 0 && states.every((state) => state === 'failed');
