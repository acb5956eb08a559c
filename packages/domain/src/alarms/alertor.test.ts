import { describe, expect, it, test } from 'vitest';
import { ALARM_LEVELS } from './alarm-level.ts';
import { ALERTOR_SERIAL, isUnconfirmed, patternOf } from './alertor.ts';

describe('what an alertor shows', () => {
  it('is dark and silent without alarms', () => {
    expect(patternOf([])).toEqual({ level: 0, light: 'off', colour: 'none', sound: 'off' });
  });

  it('is the pattern of the most severe alarm, in any order', () => {
    expect(patternOf([2, 5, 1])).toEqual({
      level: 5,
      light: 'fast-flash',
      colour: 'red',
      sound: 'continuous',
    });
    expect(patternOf([1, 2])).toMatchObject({ level: 2, colour: 'yellow' });
  });

  it('differs for each level', () => {
    expect(new Set(ALARM_LEVELS.map((level) => JSON.stringify(patternOf([level])))).size).toBe(5);
  });
});

test.each([
  { serial: 'AL-1024', valid: true },
  { serial: 'a123', valid: true },
  { serial: 'abc', valid: false },
  { serial: '-abcd', valid: false },
  { serial: 'ab/cd', valid: false },
  { serial: 'ab+cd', valid: false },
  { serial: 'ab#cd', valid: false },
])('$serial as a serial number: $valid', ({ serial, valid }) => {
  expect(ALERTOR_SERIAL.test(serial)).toBe(valid);
});

test.each([
  { hasReceipts: false, states: ['failed', 'failed'], unconfirmed: true },
  { hasReceipts: false, states: ['failed', 'sent'], unconfirmed: false },
  { hasReceipts: false, states: ['failed', 'sending'], unconfirmed: false },
  { hasReceipts: false, states: [], unconfirmed: false },
  { hasReceipts: true, states: ['failed'], unconfirmed: false },
])(
  'a step with receipts $hasReceipts and $states is unconfirmed: $unconfirmed',
  ({ unconfirmed, ...step }) => {
    expect(isUnconfirmed(step)).toBe(unconfirmed);
  },
);
