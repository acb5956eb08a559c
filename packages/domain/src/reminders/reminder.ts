import type { Permission } from '../access/permissions.ts';

/** What falls due: a device's term, a sensor's certificate, an asset's validation and maintenance, a document. */
export const DUE_KINDS = ['device', 'calibration', 'validation', 'maintenance', 'document'] as const;
export type DueKind = (typeof DUE_KINDS)[number];

/** What opens the page of each kind: who may not see it there hears of it nowhere, and has nobody written to about it. */
export const DUE_VIEWED_BY: Record<DueKind, Permission> = {
  device: 'device-expired:view',
  calibration: 'device-calibration:view',
  validation: 'asset-validation:view',
  maintenance: 'asset-maintenance:view',
  document: 'asset-files:view',
};

/** "Expiry reminder: days before, repeat interval in days" (requirements §3). */
export interface ReminderInterval {
  daysBefore: number;
  repeatDays: number;
}

const DAY_MS = 86_400_000;

/** Whole days from one day to another, each as '2026-05-31'; negative when the other is earlier. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS;
}

/**
 * Whether somebody is reminded today of what is due on a day: from so many days before it on, and again after each
 * interval for as long as it stands. A day in the future on which it was reminded last comes of a clock that was put back.
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
