import { expect, test } from 'vitest';
import { keyReminder } from './key-reminder.ts';

test.each([
  ['a year long, long before its end', 31, 365, null],
  ['30 days before', 30, 365, 30],
  ['8 days before, the first one was missed', 8, 365, 30],
  ['7 days before', 7, 365, 7],
  ['on its last day', 0, 365, 7],
  ['valid for 30 days, when it was made', 30, 30, null],
  ['valid for 30 days, 7 days before', 7, 30, 7],
  ['valid for a week', 3, 7, null],
])('the reminder of an API key is right: %s', (_name, daysLeft, validDays, wanted) => {
  expect(keyReminder(daysLeft, validDays)).toBe(wanted);
});
