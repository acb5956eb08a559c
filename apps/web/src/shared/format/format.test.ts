import * as figures from '@isotherm/i18n/figures';
import { formatDuration } from '@isotherm/i18n/figures';
import i18next from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import { startLanguage } from '../i18n/language.ts';
import { typeableNumber, typedNumber } from '../ui/form/typed-number.ts';
import { formatSetting } from './duration.ts';
import { deviationText } from './labels.ts';
import { fixed, shortLimit, withUnit } from './number.ts';
import { dayIn, dayText, formatTime, offsetName, zoneOffsetMinutes } from './time.ts';

const text = (id: string, values?: Record<string, string | number>) => i18next.t(id, values ?? {});
beforeAll(() => startLanguage('en'));

describe('number formats', () => {
  it.each([
    [-18, 1, '\u221218.0'],
    [-0.04, 1, '0.0'],
    [12.66, 1, '12.7'],
    [5, 0, '5'],
  ])('%d with %d decimals is formatted as %s', (value, decimals, expected) => {
    expect(fixed(value, decimals)).toBe(expected);
  });
  it.each([
    ['en', 12345.5, '12,345.5'],
    ['es', 12345.5, '12.345,5'],
    ['es', -8, '\u22128,0'],
    ['zh-CN', 8, '8.0'],
    ['zh-TW', 1234.5, '1234.5'],
  ] as const)('in %s, %d is formatted as %s', (language, value, expected) => {
    expect(figures.fixed(value, 1, language)).toBe(expected);
  });
  it.each([
    ['en', '3,600', 3600],
    ['en', '3.6', 3.6],
    ['en', '3,6', '3,6'],
    ['en', '1,250.5', 1250.5],
    ['es', '3,6', 3.6],
    ['es', '3.600', 3600],
    ['es', '3.6', '3.6'],
    ['es', '1.250,5', 1250.5],
    ['zh-CN', '-0.5', -0.5],
    ['zh-TW', '\u22125', -5],
    ['en', '', undefined],
    ['en', '1e3', '1e3'],
    ['en', '12 %', '12 %'],
    ['en', '.5', 0.5],
  ] as const)(
    'in %s, the input “%s” is parsed as %s and never as another number',
    (language, typed, expected) => {
      expect(typedNumber(typed, language)).toBe(expected);
    },
  );
  it.each(['en', 'es', 'zh-CN', 'zh-TW'] as const)(
    'in %s, a number is unchanged after formatting and parsing',
    (language) => {
      for (const value of [0, -18.25, 3600, 1234567.5])
        expect(typedNumber(typeableNumber(value, language), language)).toBe(value);
    },
  );
  it('a value is formatted with the unit of its indicator', () => {
    expect(withUnit('temperature', -58.34)).toBe('\u221258.3 °C');
    expect(withUnit('battery', 91.6)).toBe('92 %');
    expect(shortLimit(-20)).toBe('\u221220');
    expect(shortLimit(2.5)).toBe('2.5');
  });
  it('a deviation is described as text, and is empty within the limits', () => {
    const limits = { low: 2, high: 8 };
    expect(deviationText('temperature', 12.7, limits, text)).toBe('4.7 above 8.0');
    expect(deviationText('temperature', 0.6, limits, text)).toBe('1.4 below 2.0');
    expect(deviationText('temperature', 8, limits, text)).toBeNull();
  });
});

describe('time formats', () => {
  const moment = Date.UTC(2026, 10, 20, 2, 12, 5);
  it.each([
    ['UTC', '2026-11-20'],
    ['Asia/Shanghai', '2026-11-20'],
    ['America/Los_Angeles', '2026-11-19'],
  ])('a date depends on the time zone: %s', (zone, day) => {
    expect(dayIn(zone, moment)).toBe(day);
  });
  it.each([
    ['en', 'date-time', 'Asia/Shanghai', '20 Nov 2026 10:12'],
    ['es', 'time-seconds', 'UTC', '02:12:05'],
    ['zh-CN', 'date-time', 'Asia/Shanghai', '2026-11-20 10:12'],
    ['zh-TW', 'day', 'Asia/Taipei', '11-20'],
    ['zh-CN', 'day-time', 'America/New_York', '11-19 21:12'],
  ] as const)('in %s, a time in the format %s in %s is %s', (language, shape, zone, expected) => {
    expect(formatTime(moment, shape, language, zone)).toBe(expected);
  });
  it('a calendar date is the same day in every time zone, in the format of the language', () => {
    expect(dayText('2027-05-31')).toBe('31 May 2027');
    expect(formatTime('2027-05-31T00:00:00Z', 'date', 'zh-CN', 'UTC')).toBe('2027-05-31');
  });
  it('the offset of a time zone includes daylight saving time', () => {
    expect(offsetName(zoneOffsetMinutes('Asia/Shanghai', moment))).toBe('UTC+08:00');
    expect(zoneOffsetMinutes('Europe/Madrid', Date.UTC(2026, 6, 1))).toBe(120);
    expect(zoneOffsetMinutes('Europe/Madrid', moment)).toBe(60);
    expect(offsetName(-210)).toBe('UTC\u221203:30');
  });
});

describe('duration formats', () => {
  it.each([
    [-5, '0 s'],
    [42_000, '42 s'],
    [42 * 60_000, '42 min'],
    [125 * 60_000, '2 h 05 min'],
    [45 * 3_600_000, '1 d 21 h'],
  ])('%d ms is formatted as %s', (ms, expected) => {
    expect(formatDuration(ms, text)).toBe(expected);
  });
  it('a configured duration is shown in the unit that was configured', () => {
    expect(formatSetting(3_600_000, text)).toBe('1 h');
    expect(formatSetting(90_000, text)).toBe('90 s');
  });
});
