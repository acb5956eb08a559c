import { offsetOf } from '@isotherm/domain/readings/local-days';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { localMoment, momentOf, numberOf, numberText } from './sheet-values.ts';

it.each<[string, string, string | null]>([
  ['2027-12-25 08:30', 'Asia/Shanghai', '2027-12-25T00:30:00.000Z'],
  ['2027/7/1 08:30:15', 'Europe/Madrid', '2027-07-01T06:30:15.000Z'],
  ['2027-12-25T08:30:00+08:00', 'UTC', '2027-12-25T00:30:00.000Z'],
  ['2027-12-25T08:30:00Z', 'Asia/Shanghai', '2027-12-25T08:30:00.000Z'],
  ['2027-13-25 08:30', 'UTC', null],
  ['2027-02-30 08:30', 'UTC', null],
  ['2027-02-20 25:30', 'UTC', null],
  ['2027-02-20 20:75', 'UTC', null],
  ['2027-99-99T08:30:00Z', 'UTC', null],
  ['25.12.2027 08:30', 'UTC', null],
  ['tomorrow', 'UTC', null],
])('the time %s in %s is %s', (text, zone, moment) => {
  expect(momentOf(text, zone)).toBe(moment);
});

it('a written time can be read again', () => {
  const at = Date.parse('2027-12-25T00:30:00.000Z');
  const text = localMoment(at, offsetOf('Asia/Shanghai'));
  expect(text).toBe('2027-12-25 08:30');
  expect(momentOf(text, 'Asia/Shanghai')).toBe(new Date(at).toISOString());
});

it('a number may have a decimal comma', () => {
  expect(['2', '-2,5', '2.5', '2 °C', ''].map(numberOf)).toEqual([2, -2.5, 2.5, '2 °C', '']);
});

it.each<[string, number | string]>([
  ['2,400', '2,400'],
  ['2.400', '2.400'],
  ['-12.345', '-12.345'],
  ['1,234,567', '1,234,567'],
  ['0.125', 0.125],
  ['2400.125', 2400.125],
  ['2.4000', 2.4],
])('the text %s, which may have a thousands separator, is %s', (text, number) => {
  expect(numberOf(text)).toBe(number);
});

it('a written number can be read again', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -10_000_000, max: 10_000_000 }),
      fc.integer({ min: 0, max: 4 }),
      (n, digits) => {
        const value = Number((n / 10 ** digits).toFixed(digits));
        expect(numberOf(numberText(value))).toBe(value);
      },
    ),
  );
});
