import type { Language } from './languages.ts';

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

/** Formats a time in a time zone, in the format of the language: `25 Dec 2027 08:30`. */
export function momentWords(
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
