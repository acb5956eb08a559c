import { expect, it } from 'vitest';
import {
  ALARM_KINDS,
  isOffset,
  isSilence,
  isUpper,
  KIND_OF,
  LIMIT_KINDS,
  SILENCE_KINDS,
} from './catalogue.ts';

it('names each kind by its predicate', () => {
  expect(KIND_OF).toEqual({ above: 'high', below: 'low', silence: 'no-data', offset: 'clock' });
});

it('every kind has a limit, or is about silence or a clock', () => {
  expect([...LIMIT_KINDS, ...SILENCE_KINDS, KIND_OF.offset].sort()).toEqual([...ALARM_KINDS].sort());
  expect(ALARM_KINDS.filter(isOffset)).toEqual([KIND_OF.offset]);
  expect(ALARM_KINDS.filter(isSilence)).toEqual(SILENCE_KINDS);
  expect(ALARM_KINDS.filter(isUpper)).toEqual([KIND_OF.above]);
});
