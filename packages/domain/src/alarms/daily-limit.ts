import { GROUPED_TO_LEVEL } from './storm.ts';

/** Largest number of alarm e-mails about one device on one day of its organisation (requirements §9). */
export const MESSAGES_PER_DAY = 200;

/**
 * Decides whether a message about a device may be sent after `sentToday` others. Level 5 counts and is sent beyond the
 * limit (decision 32).
 */
export function isWithinDailyLimit(sentToday: number, level: number): boolean {
  return sentToday < MESSAGES_PER_DAY || level > GROUPED_TO_LEVEL;
}
