const DAY_MS = 86_400_000;
/** UTC offset of the fleet, which is in one time zone without daylight saving time: China Standard Time. */
export const LOCAL_OFFSET_MS = 8 * 3_600_000;
export const LOCAL_TIME_ZONE = 'Asia/Shanghai';

/** Returns the hour of the local day with its fraction, 0 to 24. */
export function localHour(atMs: number): number {
  return ((((atMs + LOCAL_OFFSET_MS) % DAY_MS) + DAY_MS) % DAY_MS) / 3_600_000;
}

export type Surrounding = 'ward' | 'warehouse' | 'outdoors';

/**
 * Returns the ambient temperature of an asset. It depends only on the time, and is modelled on the lower
 * Yangtze (yearly mean 17 °C, coldest in late January, warmest about 15:00), with weather that changes over
 * days.
 */
export function ambientC(where: Surrounding, atMs: number): number {
  const days = (atMs + LOCAL_OFFSET_MS) / DAY_MS;
  const year = Math.cos((2 * Math.PI * (days - 25)) / 365.25);
  const day = Math.cos((2 * Math.PI * (localHour(atMs) - 15)) / 24);
  const fronts = 2.6 * Math.sin(days * 1.13 + 0.4) + 1.7 * Math.sin(days * 2.71 + 2);
  const outdoors = 17 - 11.5 * year + 4.2 * day + fronts;
  if (where === 'outdoors') return outdoors;
  // A hospital ward is heated and cooled to 22 °C; a warehouse follows the outdoor temperature more.
  return where === 'ward' ? 22 + 0.08 * (outdoors - 17) + 0.6 * day : 19 + 0.3 * (outdoors - 17);
}
