import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkTimeRange, momentOf, type TimeInput } from './time-range.ts';

const AT = Date.UTC(2026, 10, 20, 8);
const ISO = '2026-11-20T08:00:00.000Z';
const DAY_MS = 86_400_000;

it.each<[TimeInput, number | null]>([
  [new Date(AT), AT],
  [new Date(Number.NaN), null],
  [AT, AT],
  [AT / 1000, AT],
  [String(AT / 1000), AT],
  [String(AT), AT],
  [ISO, AT],
  ['2026-11-20', Date.UTC(2026, 10, 20)],
  ['2026-13-45', null],
  [123_456_789, null],
  ['yesterday', null],
  [12.5, null],
])('the time %j is %s', (input, moment) => {
  expect(momentOf(input)).toBe(moment);
});

it.each<[string, TimeInput, TimeInput, number | null, string]>([
  ['without a start', null, ISO, 31, 'missing'],
  ['without an end', ISO, undefined, 31, 'missing'],
  ['with an empty start', '', 'x', null, 'missing'],
  ['without a maximum', ISO, ISO, null, 'no-maximum'],
  ['with a maximum of 0 days', ISO, ISO, 0, 'no-maximum'],
  ['with an unknown start', 'x', ISO, 31, 'format'],
  ['with an unknown end', ISO, 12_345, 31, 'format'],
  ['that ends before its start', ISO, AT - 1, 31, 'order'],
  ['that is too long', ISO, AT + 31 * DAY_MS + 3_600_001, 31, 'too-long'],
])('a range %s is refused', (_case, start, end, maximum, fault) => {
  expect(checkTimeRange(start, end, maximum)).toEqual({ fault });
});

it('a month with the end of daylight saving time is accepted, and so is an empty range', () => {
  const to = AT + 31 * DAY_MS + 3_600_000;
  expect(checkTimeRange(ISO, to, 31)).toEqual({ fault: null, from: AT, to });
  expect(checkTimeRange(ISO, AT, 31)).toEqual({ fault: null, from: AT, to: AT });
});

it('whatever is entered, the answer is a fault or a range within the maximum', () => {
  const input = fc.oneof(fc.date(), fc.integer(), fc.string(), fc.constant(null), fc.constant(undefined));
  fc.assert(
    fc.property(input, input, fc.option(fc.integer({ min: -1, max: 400 })), (start, end, maximum) => {
      const checked = checkTimeRange(start, end, maximum);
      if (checked.fault !== null) return true;
      return checked.to >= checked.from && checked.to - checked.from <= (maximum ?? 0) * DAY_MS + 3_600_000;
    }),
  );
});
