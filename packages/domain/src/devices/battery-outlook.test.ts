import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { DUE_INDICATORS } from './attention.ts';
import { batteryOutlook } from './battery-outlook.ts';

const days = (...levels: number[]) => levels.map((level, day) => ({ day, level }));

test.each([
  ['without days there is no forecast', [], null],
  ['four days are too few', days(90, 89, 88, 87), null],
  ['a constant charge gives no forecast', days(90, 90, 90, 90, 90), null],
  ['a decrease within the fluctuation of the display gives no forecast', days(90, 90, 90, 90, 89.9), null],
  ['a charge that increases slowly gives no forecast', days(50, 51, 52, 53, 54), null],
  ['a decrease of one percent per day', days(54, 53, 52, 51, 50), { perDay: 1, daysLeft: 40 }],
  ['a battery that is already empty', days(12, 11, 10, 9, 8), { perDay: 1, daysLeft: 0 }],
  ['a battery that was replaced', days(12, 11, 10, 100, 99, 98, 97, 96), { perDay: 1, daysLeft: 86 }],
  ['a battery that was replaced three days ago', days(30, 28, 26, 24, 22, 100, 98, 96), null],
])('the forecast of a battery is right: %s', (_words, levels, expected) => {
  const outlook = batteryOutlook(levels);
  if (expected === null) return expect(outlook).toBeNull();
  expect(outlook?.perDay).toBeCloseTo(expected.perDay);
  expect(outlook?.daysLeft).toBeCloseTo(expected.daysLeft);
});

it('days without data do not change the slope, because the line uses calendar days', () => {
  const outlook = batteryOutlook([0, 1, 2, 10, 20].map((day) => ({ day, level: 80 - day })));
  expect(outlook?.daysLeft).toBeCloseTo(50);
});

it('the forecast is the number of days until a linear decrease reaches empty', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.1, max: 4.9, noNaN: true }),
      fc.integer({ min: 5, max: 15 }),
      (perDay, count) => {
        const levels = Array.from({ length: count }, (_, day) => ({ day, level: 100 - perDay * day }));
        const left = batteryOutlook(levels)?.daysLeft as number;
        expect(100 - perDay * (count - 1 + left)).toBeCloseTo(10, 5);
      },
    ),
  );
});

it('readings of measured quantities are expected at every interval, values about the device itself are not', () => {
  expect(DUE_INDICATORS).toContain('temperature');
  for (const name of ['battery', 'signal', 'voltage', 'door'] as const)
    expect(DUE_INDICATORS).not.toContain(name);
});
