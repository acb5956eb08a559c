import { BATTERY_EMPTY_PERCENT } from './attention.ts';

/** Mean charge of a day in percent. The day is counted since 1970. */
export interface BatteryDay {
  day: number;
  level: number;
}

export interface BatteryOutlook {
  /** Decrease per day in percent. */
  perDay: number;
  /**
   * Days from the last counted day until the trend reaches {@link BATTERY_EMPTY_PERCENT}; 0 if it already
   * has.
   */
  daysLeft: number;
}

/** A larger increase than this means that the battery is new or was charged, so earlier days are ignored. */
const CHARGED_PERCENT = 5;
/** With fewer days than this there is no trend. */
const LEAST_DAYS = 5;
/** A slower decrease than this is within the fluctuation of the display. */
const LEAST_PER_DAY = 0.05;

/**
 * Computes a linear regression (least squares) of the daily means since the battery was last charged. Null
 * with fewer than five days, or without a decrease.
 */
export function batteryOutlook(days: readonly BatteryDay[]): BatteryOutlook | null {
  const charged = days.findLastIndex(
    ({ level }, at) => at > 0 && level - (days[at - 1] as BatteryDay).level > CHARGED_PERCENT,
  );
  const since = charged === -1 ? days : days.slice(charged);
  if (since.length < LEAST_DAYS) return null;
  const meanDay = mean(since.map(({ day }) => day));
  const meanLevel = mean(since.map(({ level }) => level));
  let together = 0;
  let spread = 0;
  for (const { day, level } of since) {
    together += (day - meanDay) * (level - meanLevel);
    spread += (day - meanDay) ** 2;
  }
  const perDay = -together / spread;
  if (perDay < LEAST_PER_DAY) return null;
  const last = (since.at(-1) as BatteryDay).day;
  const now = meanLevel - perDay * (last - meanDay);
  return { perDay, daysLeft: Math.max(0, (now - BATTERY_EMPTY_PERCENT) / perDay) };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
