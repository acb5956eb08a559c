import type { AlarmLevel } from '../alarms/alarm-level.ts';

export interface Situation {
  /** Highest level of the alarms that nobody has acknowledged, and their number at this level; null if there are none. */
  unacknowledged: { level: AlarmLevel; count: number } | null;
  /** Number of open alarms. */
  open: number;
  /** Number of assets, and of those without an open alarm. */
  assets: number;
  /** Number of assets from which no data arrives. */
  silent: number;
  /** Number of assets without a rule, for which no alarm can be raised. */
  unwatched: number;
}

/** What the dashboard says first, from the worst to the best. */
export const HEADLINES = ['empty', 'action', 'handled', 'silent', 'unwatched', 'quiet'] as const;
export type Headline = (typeof HEADLINES)[number];

/**
 * Returns the one sentence that a manager reads first. Assets without data or limits are never called in order
 * (decision 22).
 */
export function headlineOf({ unacknowledged, open, assets, silent, unwatched }: Situation): Headline {
  if (unacknowledged) return 'action';
  if (silent > 0) return 'silent';
  if (open > 0) return 'handled';
  if (assets === 0) return 'empty';
  return unwatched > 0 ? 'unwatched' : 'quiet';
}
