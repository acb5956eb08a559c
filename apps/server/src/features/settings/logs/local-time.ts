const MINUTE_MS = 60_000;
/** Offsets change at quarters of an hour only. */
const QUARTER_MS = 15 * MINUTE_MS;

/** Writes moments as clocks in the zone show them, with the offset: `2026-11-21T16:00:00+08:00`. */
export function clockIn(timeZone: string): (at: Date) => string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  let known = { quarter: Number.NaN, minutes: 0, text: '' };

  function offsetAt(time: number) {
    const quarter = Math.floor(time / QUARTER_MS);
    if (known.quarter === quarter) return known;
    const name = format.formatToParts(time).find((part) => part.type === 'timeZoneName')?.value ?? 'GMT';
    const [, sign = '+', hours = '00', minutes = '00'] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
    const size = Number(hours) * 60 + Number(minutes);
    known = { quarter, minutes: sign === '-' ? -size : size, text: `${sign}${hours}:${minutes}` };
    return known;
  }

  return (at) => {
    const { minutes, text } = offsetAt(at.getTime());
    return `${new Date(at.getTime() + minutes * MINUTE_MS).toISOString().slice(0, 19)}${text}`;
  };
}
