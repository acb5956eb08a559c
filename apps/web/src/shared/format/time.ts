import type { Language } from '@isotherm/i18n/languages';

/** Chinese dates are written in figures from the largest unit down; the Swedish form is that, zero-padded. */
const DATE_LOCALE: Record<Language, string> = { en: 'en-GB', es: 'es', 'zh-CN': 'sv-SE', 'zh-TW': 'sv-SE' };

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
  'day-time': { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  day: { day: 'numeric', month: 'short' },
  time: { hour: '2-digit', minute: '2-digit' },
  'time-seconds': { hour: '2-digit', minute: '2-digit', second: '2-digit' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;
export type TimeShape = keyof typeof SHAPES;

const formats = new Map<string, Intl.DateTimeFormat>();

/** A moment in the viewer's time zone, in the language's usual form. */
export function formatTime(
  moment: number | string,
  shape: TimeShape,
  language: Language,
  zone: string,
): string {
  const key = `${shape}|${language}|${zone}`;
  let format = formats.get(key);
  if (!format) {
    const numeric = DATE_LOCALE[language] === 'sv-SE';
    const options: Intl.DateTimeFormatOptions = { ...SHAPES[shape], timeZone: zone, hourCycle: 'h23' };
    if (numeric && 'month' in options) Object.assign(options, { month: '2-digit', day: '2-digit' });
    format = new Intl.DateTimeFormat(DATE_LOCALE[language], options);
    formats.set(key, format);
  }
  const text = format.format(typeof moment === 'string' ? Date.parse(moment) : moment);
  return (DATE_LOCALE[language] === 'sv-SE' ? text.replace('/', '-') : text).replace(',', '');
}

const offsetFormats = new Map<string, Intl.DateTimeFormat>();

/** Minutes that the zone is ahead of UTC at a moment. */
export function zoneOffsetMinutes(zone: string, at: number): number {
  let format = offsetFormats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    offsetFormats.set(zone, format);
  }
  const part: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(at)) part[type] = Number(value);
  const local = Date.UTC(
    part.year ?? 0,
    (part.month ?? 1) - 1,
    part.day,
    part.hour,
    part.minute,
    part.second,
  );
  return Math.round((local - Math.floor(at / 1000) * 1000) / 60_000);
}

/** `UTC+08:00` */
export function offsetName(minutes: number): string {
  const size = Math.abs(minutes);
  const hours = String(Math.floor(size / 60)).padStart(2, '0');
  return `UTC${minutes < 0 ? '\u2212' : '+'}${hours}:${String(size % 60).padStart(2, '0')}`;
}

export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return zone !== '';
  } catch {
    return false;
  }
}

export function browserZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
