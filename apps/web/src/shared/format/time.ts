import { currentZone } from '@isotherm/contracts/time-zones';
import { offsetOf } from '@isotherm/domain/readings/local-days';
import type { Language } from '@isotherm/i18n/languages';
import { momentWords, type TimeShape } from '@isotherm/i18n/moments';
import { currentLanguage } from '../i18n/language.ts';

/** Formats a time in the user's time zone, in the format of the language. */
export function formatTime(
  moment: number | string,
  shape: TimeShape,
  language: Language,
  zone: string,
): string {
  return momentWords(moment, shape, language, zone);
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
