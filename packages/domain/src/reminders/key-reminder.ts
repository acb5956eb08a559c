/**
 * Number of days before the expiry of an API key on which users who may renew it are reminded, earlier
 * reminders first.
 */
export const KEY_REMINDER_DAYS = [30, 7] as const;

/**
 * Returns the due reminder as a number of days before the expiry, or null if none is due. A key gets only the
 * reminders that are shorter than its validity.
 */
export function keyReminder(daysLeft: number, validDays: number): number | null {
  const due = KEY_REMINDER_DAYS.filter((days) => daysLeft <= days && validDays > days);
  return due.at(-1) ?? null;
}
