/** What falls due: a device's term, a sensor's certificate, an asset's validation and maintenance, a document. */
export const DUE_KINDS = ['device', 'calibration', 'validation', 'maintenance', 'document'] as const;
export type DueKind = (typeof DUE_KINDS)[number];

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
