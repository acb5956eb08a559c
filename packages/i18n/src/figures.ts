import type { Language } from './languages.ts';
import type { TextId } from './text-id.ts';

/** Returns a text of the catalogue by its id, with values inserted, in the user's language. */
type Text = (id: TextId, values?: Record<string, string | number>) => string;

export const MINUS = '\u2212';

const formats = new Map<string, Intl.NumberFormat>();

/**
 * Formats a number: `8.0` in English, `8,0` in Spanish; with a typographic minus sign, and without negative
 * zero.
 */
export function fixed(value: number, decimals: number, language: Language): string {
  const key = `${language} ${decimals}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(language, {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
      // Four digits are not grouped, as is usual for measured values.
      useGrouping: 'min2',
    });
    formats.set(key, format);
  }
  const text = format.format(Math.abs(value));
  return value < 0 && /[1-9]/.test(text) ? MINUS + text : text;
}

/** Formats a temperature: `5.0 °C`. */
export const celsius = (value: number, language: Language, decimals = 1) =>
  `${fixed(value, decimals, language)} °C`;

/** Formats a range: `2.0–8.0 °C`; with spaces if a minus sign would follow the dash. */
export function zoneWords(
  { zoneMin, zoneMax }: { zoneMin: number; zoneMax: number },
  language: Language,
): string {
  const between = zoneMin < 0 || zoneMax < 0 ? ' – ' : '–';
  return `${fixed(zoneMin, 1, language)}${between}${celsius(zoneMax, language)}`;
}

/** Formats limits without their unit: `2.0–8.0`, `≥ 2.0`, `≤ 8.0`; null without any. */
export function limitWords(
  { low, high }: { low: number | null; high: number | null },
  decimals: number,
  language: Language,
): string | null {
  if (low === null) return high === null ? null : `≤ ${fixed(high, decimals, language)}`;
  if (high === null) return `≥ ${fixed(low, decimals, language)}`;
  const between = low < 0 || high < 0 ? ' – ' : '–';
  return `${fixed(low, decimals, language)}${between}${fixed(high, decimals, language)}`;
}

/** Formats a share in percent. It is rounded down, so that 94.9 % is not shown as the required 95 %. */
export const shareWords = (share: number) => `${Math.floor(share * 100)} %`;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats a duration with at most two units: `40 s`, `42 min`, `2 h 05 min`, `3 d 4 h`. */
export function formatDuration(ms: number, text: Text): string {
  const size = Math.max(0, ms);
  if (size < MINUTE) return text('common.duration.seconds', { seconds: Math.floor(size / 1000) });
  if (size < HOUR) return text('common.duration.minutes', { minutes: Math.floor(size / MINUTE) });
  if (size < DAY) {
    const minutes = Math.floor((size % HOUR) / MINUTE);
    return text('common.duration.hours-minutes', {
      hours: Math.floor(size / HOUR),
      minutes: String(minutes).padStart(2, '0'),
    });
  }
  return text('common.duration.days-hours', {
    days: Math.floor(size / DAY),
    hours: Math.floor((size % DAY) / HOUR),
  });
}
