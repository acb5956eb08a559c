import type { Permission } from '../access/permissions.ts';

/**
 * Kinds of items that fall due: subscriptions, certificates, validations, maintenance, documents, API keys.
 */
export const DUE_KINDS = [
  'device',
  'calibration',
  'validation',
  'maintenance',
  'document',
  'authorization',
] as const;
export type DueKind = (typeof DUE_KINDS)[number];

/**
 * The permission for the page of each kind. Users without it neither see these items nor create reminders
 * about them.
 */
export const DUE_VIEWED_BY: Record<DueKind, Permission> = {
  device: 'device-expired:view',
  calibration: 'device-calibration:view',
  validation: 'asset-validation:view',
  maintenance: 'asset-maintenance:view',
  document: 'asset-files:view',
  authorization: 'management-authorizations:view',
};

/** Settings of a reminder (requirements §3): "Expiry reminder: days before, repeat interval in days". */
export interface ReminderInterval {
  daysBefore: number;
  repeatDays: number;
}

const DAY_MS = 86_400_000;

/** Returns the full days between two dates such as '2026-05-31'; negative if the second is earlier. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS;
}

/**
 * Returns whether to send a reminder today about an item with a due date: from `daysBefore` days before that
 * date on, and again after each interval. If the last reminder is in the future, the clock was set back.
 */
export function isToRemind(
  { daysBefore, repeatDays }: ReminderInterval,
  dueOn: string,
  lastOn: string | null,
  today: string,
): boolean {
  if (daysBetween(today, dueOn) > daysBefore) return false;
  return lastOn === null || Math.abs(daysBetween(lastOn, today)) >= repeatDays;
}
