import { expect, it } from 'vitest';
import {
  ALARM_KINDS,
  comparedUnit,
  isOffset,
  isSilence,
  isUpper,
  KIND_OF,
  kindOf,
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
  expect(ALARM_KINDS.filter(isUpper)).toEqual([
    'high',
    'fast-rise',
    'total-time',
    'repeated',
    'difference',
    'expected-high',
  ]);
});

it.each([
  ['above', null, 'high'],
  ['below', 'while', 'low'],
  ['above', 'rate', 'fast-rise'],
  ['below', 'rate', 'fast-fall'],
  ['above', 'outside-time', 'total-time'],
  ['above', 'outside-count', 'repeated'],
  ['above', 'difference', 'difference'],
  ['above', 'forecast', 'expected-high'],
  ['below', 'forecast', 'expected-low'],
] as const)('a rule %s a limit with the signal %s raises the kind %s', (predicate, signal, kind) => {
  expect(kindOf(predicate, signal)).toBe(kind);
});

it.each([
  ['high', 'value'],
  ['fast-fall', 'per-hour'],
  ['total-time', 'minutes'],
  ['repeated', 'times'],
  ['expected-low', 'value'],
] as const)('the numbers of the kind %s are of the unit %s', (kind, unit) => {
  expect(comparedUnit(kind)).toBe(unit);
});

it('a predicate without a kind for its signal is an error', () => {
  expect(() => kindOf('below', 'difference')).toThrow('no alarm kind for below difference');
});
