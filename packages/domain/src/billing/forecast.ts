/**
 * How long a balance lasts at the average use of some days. Null if nothing was used, so that nobody is told a time
 * that nothing supports.
 *
 * @param used units used in these days
 */
export function lastsDays(available: number, used: number, days: number): number | null {
  if (used <= 0 || days <= 0) return null;
  return Math.max(0, Math.floor((available * days) / used));
}
