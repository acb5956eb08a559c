import type { Permission } from '../access/permissions.ts';

/** Kinds of things that fall due: subscriptions, certificates, validations, maintenance, documents, API keys. */
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
 * The permission for each kind's page: users without it neither see these items nor create reminders about
 * them.
 */
export const DUE_VIEWED_BY: Record<DueKind, Permission> = {
  device: 'device-expired:view',
  calibration: 'device-calibration:view',
  validation: 'asset-validation:view',
  maintenance: 'asset-maintenance:view',
  document: 'asset-files:view',
  authorization: 'management-authorizations:view',
};

/** "Expiry reminder: days before, repeat interval in days" (requirements §3). */
export interface ReminderInterval {
  daysBefore: number;
  repeatDays: number;
}

const DAY_MS = 86_400_000;

/** Full days between two dates such as '2026-05-31'; negative if the second is earlier. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS;
}

/**
 * Whether to remind today of something due on a date: from a number of days before on, and again after each
 * interval. A last reminder in the future means that the clock was put back.
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
