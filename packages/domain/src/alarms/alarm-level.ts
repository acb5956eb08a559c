/** Alarm levels: 1 is the mildest, 5 the most severe (decision 6). */
export const ALARM_LEVELS = [1, 2, 3, 4, 5] as const;
export type AlarmLevel = (typeof ALARM_LEVELS)[number];

/** Returns the most severe of these levels, or 1 if the list is empty. */
export function highestLevel(levels: readonly AlarmLevel[]): AlarmLevel {
  return Math.max(1, ...levels) as AlarmLevel;
}
