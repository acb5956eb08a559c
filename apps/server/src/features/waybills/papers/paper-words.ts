import type { TripRecord, Waybill } from '@isotherm/contracts/waybills';
import { celsius, fixed, zoneWords } from '@isotherm/i18n/figures';
import type { Language } from '@isotherm/i18n/languages';
import { momentWords } from '@isotherm/i18n/moments';
import type { TextId } from '@isotherm/i18n/text-id';
import type { Translate } from '@isotherm/i18n/translator';

export const NONE = '–';

/** Words and formats of a paper in a language and a time zone. */
export interface PaperWords {
  language: Language;
  zone: string;
  text: (id: TextId, values?: Record<string, string | number>) => string;
  /** Formats a time; an empty one is a dash. */
  time: (at: Date | number | string | null) => string;
  /** Formats a period; the end is without its date if it is on the same day. */
  period: (from: number, to: number) => string;
}

export function paperWords(translate: Translate, language: Language, zone: string): PaperWords {
  const shaped = (at: Date | number | string, shape: 'date-time' | 'date' | 'time') =>
    momentWords(at instanceof Date ? at.getTime() : at, shape, language, zone);
  return {
    language,
    zone,
    text: (id, values) => translate(language, id, values),
    time: (at) => (at === null ? NONE : shaped(at, 'date-time')),
    period(from, to) {
      const isSameDay = shaped(from, 'date') === shaped(to, 'date');
      return `${shaped(from, 'date-time')} – ${shaped(to, isSameDay ? 'time' : 'date-time')}`;
    },
  };
}

type Verdict = TripRecord['probes'][number]['verdict'];

/** The temperatures of a band of the stability budget. */
export function bandWords({ low, high }: Verdict['bands'][number], { text, language }: PaperWords): string {
  if (low !== null && high !== null) return zoneWords({ zoneMin: low, zoneMax: high }, language);
  if (low === null && high === null) return text('waybills.band.other');
  return low === null
    ? text('profiles.band.below', { limit: celsius(high ?? 0, language) })
    : text('profiles.band.above', { limit: celsius(low, language) });
}

export const limitWords = ({ low, high }: Pick<Waybill, 'low' | 'high'>, { language }: PaperWords): string =>
  zoneWords({ zoneMin: low, zoneMax: high }, language);

/** Formats a quantity with the decimals that it has. */
export const quantityWords = (value: number, { language }: PaperWords): string =>
  fixed(value, (String(value).split('.')[1] ?? '').length, language);
