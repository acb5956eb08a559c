const MINUTE_MS = 60_000;
/** UTC offsets change only at full quarters of an hour. */
const QUARTER_MS = 15 * MINUTE_MS;

interface Offset {
  ms: number;
  /** The offset as text, such as `+08:00`. */
  text: string;
}

/** Returns a function for the offset of local time in a zone from UTC, by moment (epoch ms). */
export function offsetIn(timeZone: string): (time: number) => Offset {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  let known = { quarter: Number.NaN, ms: 0, text: '' };
  return (time) => {
    const quarter = Math.floor(time / QUARTER_MS);
    if (known.quarter === quarter) return known;
    const name = format.formatToParts(time).find((part) => part.type === 'timeZoneName')?.value ?? 'GMT';
    const [, sign = '+', hours = '00', minutes = '00'] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
    const size = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
    known = { quarter, ms: sign === '-' ? -size : size, text: `${sign}${hours}:${minutes}` };
    return known;
  };
}

/** No zone changes its clock twice within an hour. */
const CHANGE_STEP_MS = 60 * MINUTE_MS;

/** True if the clock of a zone changes from `from` to `to` (epoch ms, exclusive), so that local times without an offset may repeat. */
export function changesOffset(timeZone: string, from: number, to: number): boolean {
  const offsetAt = offsetIn(timeZone);
  const first = offsetAt(from).ms;
  for (let at = from; at < to; at += CHANGE_STEP_MS) if (offsetAt(at).ms !== first) return true;
  return to > from && offsetAt(to - 1).ms !== first;
}

/**
 * Returns a function that formats moments in local time of a zone, with the offset:
 * `2026-11-21T16:00:00+08:00`.
 */
export function clockIn(timeZone: string): (at: Date) => string {
  const offsetAt = offsetIn(timeZone);
  return (at) => {
    const { ms, text } = offsetAt(at.getTime());
    return `${new Date(at.getTime() + ms).toISOString().slice(0, 19)}${text}`;
  };
}

const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * The format of moments in a language and time zone. Formats are kept, because making one takes longer than using it; there
 * are as many as languages, time zones and styles.
 */
export function momentFormat(
  language: string,
  timeZone: string,
  dateStyle: 'short' | 'medium',
  timeStyle: 'short' | 'long',
): Intl.DateTimeFormat {
  const key = `${language} ${timeZone} ${dateStyle} ${timeStyle}`;
  const known = formats.get(key);
  if (known) return known;
  const format = new Intl.DateTimeFormat(language, { dateStyle, timeStyle, timeZone });
  formats.set(key, format);
  return format;
}
