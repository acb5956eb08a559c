import type { Language } from '@isotherm/i18n/languages';
import { DATE_LOCALE } from '@isotherm/i18n/moments';

/** ISO weekdays, from Monday. */
export const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7] as const;
export const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** A Monday. */
const MONDAY = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;

/** Name of an ISO weekday in the language. */
export function weekdayText(weekday: number, language: Language, length: 'short' | 'long'): string {
  const format = new Intl.DateTimeFormat(DATE_LOCALE[language], { weekday: length, timeZone: 'UTC' });
  return format.format(MONDAY + (weekday - 1) * DAY_MS);
}

/** Start of an hour of the day: `08:00`. */
export function hourText(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`;
}
