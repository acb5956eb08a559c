import { expect, test } from 'vitest';
import { keyReminder } from './key-reminder.ts';

test.each([
  ['a key for a year, long before its expiry', 31, 365, null],
  ['30 days before the expiry', 30, 365, 30],
  ['8 days before the expiry, if the first reminder was missed', 8, 365, 30],
  ['7 days before the expiry', 7, 365, 7],
  ['on the day of the expiry', 0, 365, 7],
  ['a key for 30 days, on the day of its creation', 30, 30, null],
  ['a key for 30 days, 7 days before its expiry', 7, 30, 7],
  ['a key for a week', 3, 7, null],
])('the reminder of an API key is right: %s', (_name, daysLeft, validDays, wanted) => {
  expect(keyReminder(daysLeft, validDays)).toBe(wanted);
});
