import { DAY_MS } from './sealed-day.ts';

/**
 * Returns the first day (days since 1970) whose readings are kept (decision 10): `years` before now, by the
 * calendar. Null for 0 years, which means unlimited.
 */
export function retainedFrom(now: number, years: number): number | null {
  if (years === 0) return null;
  const today = new Date(now);
  return Date.UTC(today.getUTCFullYear() - years, today.getUTCMonth(), today.getUTCDate()) / DAY_MS;
}
