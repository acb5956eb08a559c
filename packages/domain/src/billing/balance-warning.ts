/** Kinds of units whose low balance is warned of (requirements §3: SMS and voice). */
export const WARNED_COMMODITIES = ['sms', 'voice'] as const;
export type WarnedCommodity = (typeof WARNED_COMMODITIES)[number];

/** Lowest early-warning count (requirements §5). */
export const LEAST_WARNING_COUNT = 10;

/**
 * Decides whether people are warned of a low balance: once each time it falls below the count. `reset` means that it is
 * no longer below, so that the next fall is a new one.
 */
export function judgeBalance(
  available: number,
  warnBelow: number,
  wasLow: boolean,
): 'warn' | 'reset' | 'none' {
  const isLow = available < warnBelow;
  if (isLow === wasLow) return 'none';
  return isLow ? 'warn' : 'reset';
}

/** Whom the policies at a site notify by a notification channel if every alarm there rises. */
export interface SiteReach {
  siteId: number;
  /** Measured channels with rules of the policy. */
  channels: number;
  /** Recipients of the steps of levels 1 to 4, whose messages about a site are sent together. */
  grouped: number;
  /** Recipients of level 5, who get a message for each alarm. */
  single: number;
}

/**
 * Units that the outage of the most expensive site costs: each recipient is told of the beginning and of the end.
 *
 * @param unitsPerMessage average units of a message
 */
export function outageUnits(reaches: readonly SiteReach[], unitsPerMessage: number): number {
  const messages = new Map<number, number>();
  for (const { siteId, channels, grouped, single } of reaches)
    messages.set(siteId, (messages.get(siteId) ?? 0) + 2 * (grouped + channels * single));
  return Math.ceil(Math.max(0, ...messages.values()) * unitsPerMessage);
}
