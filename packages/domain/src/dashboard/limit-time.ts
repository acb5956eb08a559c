/** Time of one day during which assets were outside their limits, summed over the assets. */
export interface OutsideDay {
  /** UTC day, such as `2026-11-20`. */
  day: string;
  outsideMs: number;
}

const DAY_MS = 86_400_000;

/**
 * Returns the share of the time of all assets without an alarm about a limit, 0 to 1, for each day that has begun; the
 * last one counts up to `now` (epoch ms). Null without assets.
 */
export function limitTime(
  days: readonly OutsideDay[],
  assets: number,
  now: number,
): { share: number; days: { day: string; share: number }[] } | null {
  const lengthOf = (day: string) => Math.min(DAY_MS, Math.max(0, now - Date.parse(day)));
  const begun = days.filter(({ day }) => lengthOf(day) > 0);
  if (assets === 0 || begun.length === 0) return null;
  const shareOf = (outsideMs: number, lengthMs: number) =>
    1 - Math.min(1, Math.max(0, outsideMs / (lengthMs * assets)));
  let outside = 0;
  let length = 0;
  for (const { day, outsideMs } of begun) {
    outside += outsideMs;
    length += lengthOf(day);
  }
  return {
    share: shareOf(outside, length),
    days: begun.map(({ day, outsideMs }) => ({ day, share: shareOf(outsideMs, lengthOf(day)) })),
  };
}
