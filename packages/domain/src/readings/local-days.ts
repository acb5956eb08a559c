const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

/**
 * Returns the starts of local days, from the day that contains `from` to the first one that starts at or
 * after `to`. A day has 23 or 25 hours when clocks change, and starts after 00:00 if clocks are set forward
 * at midnight. Throws for an unknown zone.
 */
export function localDayBounds(from: number, to: number, zone: string): Float64Array {
  const offsetAt = offsetOf(zone);
  const bounds: number[] = [];
  for (let date = Math.floor((from + offsetAt(from)) / DAY_MS) * DAY_MS; ; date += DAY_MS) {
    const begin = beginOf(date, offsetAt);
    // If a whole day was skipped (Samoa, 2011), two dates start at the same time.
    if (bounds.at(-1) !== begin) bounds.push(begin);
    if (begin >= to) return Float64Array.from(bounds);
  }
}

/**
 * Returns the start of a date, which is given as if it were in UTC: midnight, or the first time after it if
 * clocks are set forward at midnight.
 */
function beginOf(date: number, offsetAt: (at: number) => number): number {
  let begin = date - Math.max(offsetAt(date - DAY_MS), offsetAt(date + DAY_MS));
  while (begin + offsetAt(begin) < date) begin += MINUTE_MS;
  return begin;
}

/** Returns a function that gives the offset of the zone from UTC in milliseconds. */
export function offsetOf(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (at) => {
    const parts: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(at)) parts[type] = Number(value);
    const { year, month, day, hour, minute, second } = parts as Record<
      'year' | 'month' | 'day' | 'hour' | 'minute' | 'second',
      number
    >;
    const local = Date.UTC(year, month - 1, day, hour, minute, second);
    return local - Math.floor(at / SECOND_MS) * SECOND_MS;
  };
}
