/** Days before the end of an API key on which those who may renew it are reminded, the earlier ones first. */
export const KEY_REMINDER_DAYS = [30, 7] as const;

/**
 * The reminder that is due: of how many days before the end; null if none is. A key that was valid for no longer
 * than that is not reminded of.
 */
export function keyReminder(daysLeft: number, validDays: number): number | null {
  const due = KEY_REMINDER_DAYS.filter((days) => daysLeft <= days && validDays > days);
  return due.at(-1) ?? null;
}
