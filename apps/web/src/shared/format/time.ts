import { currentZone } from '@isotherm/contracts/time-zones';
import { offsetOf } from '@isotherm/domain/readings/local-days';
import type { Language } from '@isotherm/i18n/languages';
import { currentLanguage } from '../i18n/language.ts';

/** Locale whose formats are used for dates and times in each language. */
export const DATE_LOCALE: Record<Language, string> = {
  en: 'en-GB',
  es: 'es',
  'zh-CN': 'zh-CN',
  'zh-TW': 'zh-TW',
};

const SHAPES = {
  'date-time': { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
  'date-time-seconds': {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  },
  date: { day: 'numeric', month: 'short', year: 'numeric' },
  'day-time': { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  day: { day: 'numeric', month: 'short' },
  time: { hour: '2-digit', minute: '2-digit' },
  'time-seconds': { hour: '2-digit', minute: '2-digit', second: '2-digit' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;
export type TimeShape = keyof typeof SHAPES;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Formats a time in the user's time zone, in the format of the language. */
export function formatTime(
  moment: number | string,
  shape: TimeShape,
  language: Language,
  zone: string,
): string {
  const key = `${shape}|${language}|${zone}`;
  let format = formats.get(key);
  if (!format) {
    const figures = isInFigures(language) && 'month' in SHAPES[shape];
    format = new Intl.DateTimeFormat(DATE_LOCALE[language], {
      ...SHAPES[shape],
      ...(figures ? { month: '2-digit', day: '2-digit' } : {}),
      timeZone: zone,
      hourCycle: 'h23',
    });
    formats.set(key, format);
  }
  const at = typeof moment === 'string' ? Date.parse(moment) : moment;
  return isInFigures(language) ? inFigures(format.formatToParts(at)) : format.format(at).replace(',', '');
}

/** Returns whether dates are written with digits only: Chinese dates are numeric, from year to day. */
function isInFigures(language: Language): boolean {
  return language.startsWith('zh');
}

function inFigures(parts: Intl.DateTimeFormatPart[]): string {
  const value = (type: Intl.DateTimeFormatPartTypes) => parts.find((part) => part.type === type)?.value;
  const join = (separator: string, ...types: Intl.DateTimeFormatPartTypes[]) =>
    types.map(value).filter(Boolean).join(separator);
  return [join('-', 'year', 'month', 'day'), join(':', 'hour', 'minute', 'second')].filter(Boolean).join(' ');
}

const offsets = new Map<string, (at: number) => number>();

/** Returns the offset of the zone from UTC at a time, in minutes. */
export function zoneOffsetMinutes(zone: string, at: number): number {
  let offset = offsets.get(zone);
  if (!offset) {
    offset = offsetOf(zone);
    offsets.set(zone, offset);
  }
  return Math.round(offset(at) / 60_000);
}

/** Formats an offset: `UTC+08:00`. */
export function offsetName(minutes: number): string {
  const size = Math.abs(minutes);
  const hours = String(Math.floor(size / 60)).padStart(2, '0');
  return `UTC${minutes < 0 ? '\u2212' : '+'}${hours}:${String(size % 60).padStart(2, '0')}`;
}

/** Formats a calendar date such as `2027-05-31` in the format of the language: `31 May 2027`. */
export function dayText(day: string): string {
  return formatTime(`${day}T00:00:00Z`, 'date', currentLanguage(), 'UTC');
}

/** Returns the local date of a time as in a date field: `2027-05-31`. */
export function dayIn(zone: string, at: number): string {
  return new Date(at + zoneOffsetMinutes(zone, at) * 60_000).toISOString().slice(0, 10);
}

export function browserZone(): string {
  return currentZone(Intl.DateTimeFormat().resolvedOptions().timeZone);
}
