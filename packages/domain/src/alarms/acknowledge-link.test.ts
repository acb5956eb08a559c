import { expect, test } from 'vitest';
import { type LinkedAlarm, linkFault, MOST_PIN_TRIES, UNUSED } from './acknowledge-link.ts';

const unused = UNUSED;
const used = { isUsed: true, pinTries: 0 };
const locked = { isUsed: false, pinTries: MOST_PIN_TRIES };
const open: LinkedAlarm = { peakLevel: 2, isAcknowledged: false, mustSign: false };

test.each([
  ['an alarm of the highest level', open, 2, unused, null],
  ['a higher alarm', { ...open, peakLevel: 3 }, 2, unused, 'level'],
  ['any alarm where links are off', { ...open, peakLevel: 1 }, 0, unused, 'level'],
  ['an alarm to be signed', { ...open, mustSign: true }, 5, unused, 'must-sign'],
  ['an acknowledged alarm', { ...open, isAcknowledged: true, mustSign: true }, 5, used, 'acknowledged'],
  ['another alarm with a used link', open, 5, used, 'used'],
  ['an alarm after one try less', open, 2, { ...unused, pinTries: MOST_PIN_TRIES - 1 }, null],
  ['an alarm after too many wrong PINs', open, 2, locked, 'locked'],
] as const)('whether a link acknowledges is decided: %s', (_, alarm, highest, use, expected) => {
  expect(linkFault(alarm, highest, use)).toBe(expected);
});
