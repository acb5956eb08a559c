/** Alarm levels: 1 is the first and mildest, 5 the last and gravest (decision 6). */
export const ALARM_LEVELS = [1, 2, 3, 4, 5] as const;
export type AlarmLevel = (typeof ALARM_LEVELS)[number];

/** The most severe of some levels; 1 of none. */
export function highestLevel(levels: readonly AlarmLevel[]): AlarmLevel {
  return Math.max(1, ...levels) as AlarmLevel;
}
