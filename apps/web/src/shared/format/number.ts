import { INDICATORS, type Indicator } from '@isotherm/domain/readings/indicator';
import * as figures from '@isotherm/i18n/figures';
import { currentLanguage } from '../i18n/language.ts';

/** Placeholder of an unknown value (design: unknown). */
export const EN_RULE = '\u2013';

/** Formats a number with fixed decimals in the user's locale. */
export const fixed = (value: number, decimals: number): string =>
  figures.fixed(value, decimals, currentLanguage());

/** Formats a temperature as `5.0 °C` in the user's locale. */
export const celsius = (value: number, decimals = 1): string =>
  figures.celsius(value, currentLanguage(), decimals);

/** Formats a range as `2.0–8.0 °C` in the user's locale. */
export const zoneWords = (zone: { zoneMin: number; zoneMax: number }): string =>
  figures.zoneWords(zone, currentLanguage());

/** Formats a value with the decimals of its indicator, without the unit. */
export function indicatorValue(indicator: Indicator, value: number): string {
  return fixed(value, INDICATORS[indicator].precision);
}

export function unitOf(indicator: Indicator): string {
  return INDICATORS[indicator].unit;
}

/** Formats a value with its unit: `8.0 °C`. */
export function withUnit(indicator: Indicator, value: number): string {
  const unit = unitOf(indicator);
  return unit === '' ? indicatorValue(indicator, value) : `${indicatorValue(indicator, value)} ${unit}`;
}

/** Formats a limit for a small card: `8` for a whole number, with decimals only where needed. */
export function shortLimit(value: number): string {
  return fixed(value, Number.isInteger(value) ? 0 : 1);
}

const integers = new Map<string, Intl.NumberFormat>();

export function integer(language: string, value: number): string {
  let format = integers.get(language);
  if (!format) {
    format = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
    integers.set(language, format);
  }
  return format.format(value);
}
