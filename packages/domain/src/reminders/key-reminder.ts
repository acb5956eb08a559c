/**
 * Number of days before the expiry of an API key on which users who may renew it are reminded, earlier
 * reminders first.
 */
export const KEY_REMINDER_DAYS = [30, 7] as const;

/**
 * Returns the reminder that is due as its number of days before the expiry; null if none is. There is no
 * reminder for a key whose whole validity is not longer than that.
 */
export function keyReminder(daysLeft: number, validDays: number): number | null {
  const due = KEY_REMINDER_DAYS.filter((days) => daysLeft <= days && validDays > days);
  return due.at(-1) ?? null;
}
