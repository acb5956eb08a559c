import type { AlarmLevel } from './alarm-level.ts';

/** Highest alarm level that a link in a message acknowledges; 0: none. */
export const LINK_LEVELS = [0, 1, 2, 3, 4, 5] as const;
export type LinkLevel = (typeof LINK_LEVELS)[number];
/** For policies that do not say, and for alarms without a policy. */
export const DEFAULT_LINK_LEVEL: LinkLevel = 2;
/** How long a link is valid. */
export const LINK_LIFE_MS = 7 * 86_400_000;

/** What decides whether an alarm can be acknowledged by a link. */
export interface LinkedAlarm {
  peakLevel: AlarmLevel;
  isAcknowledged: boolean;
  /** A signature needs the password of an account, which a link does not have. */
  mustSign: boolean;
}

/** How often a wrong PIN may be entered for a link, which does not acknowledge afterwards. */
export const MOST_PIN_TRIES = 5;

/** What has happened to a link. */
interface LinkUse {
  isUsed: boolean;
  /** How often a PIN was entered since the last right one. */
  pinTries: number;
}

/** A link that nobody has used, or what is not a link. */
export const UNUSED: LinkUse = { isUsed: false, pinTries: 0 };

/** Why a link does not acknowledge the alarm now; null if it does. */
export type LinkFault = 'used' | 'acknowledged' | 'must-sign' | 'level' | 'locked';

export function linkFault(
  alarm: LinkedAlarm,
  highest: LinkLevel,
  { isUsed, pinTries }: LinkUse,
): LinkFault | null {
  if (alarm.isAcknowledged) return 'acknowledged';
  if (isUsed) return 'used';
  if (alarm.mustSign) return 'must-sign';
  if (alarm.peakLevel > highest) return 'level';
  return pinTries >= MOST_PIN_TRIES ? 'locked' : null;
}
