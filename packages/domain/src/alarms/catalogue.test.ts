import { expect, it } from 'vitest';
import {
  ALARM_KINDS,
  comparedUnit,
  EXCURSION_KINDS,
  isAboutSwitch,
  isFailure,
  isOffset,
  isOfRule,
  isSilence,
  isUpper,
  KIND_OF,
  kindOf,
  LIMIT_KINDS,
  SILENCE_KINDS,
} from './catalogue.ts';

it('there is one kind of alarm per predicate for the measured value', () => {
  expect(KIND_OF).toEqual({
    above: 'high',
    below: 'low',
    silence: 'no-data',
    offset: 'clock',
    failure: 'backup',
  });
});

it('excursions are the alarms about a value outside its limits', () => {
  expect(EXCURSION_KINDS).toEqual(['high', 'low']);
});

it('every kind of alarm either has a limit or is about missing data, a wrong clock or failed work of the server', () => {
  expect([...LIMIT_KINDS, ...SILENCE_KINDS, KIND_OF.offset, KIND_OF.failure].sort()).toEqual(
    [...ALARM_KINDS].sort(),
  );
  expect(ALARM_KINDS.filter(isOffset)).toEqual([KIND_OF.offset]);
  expect(ALARM_KINDS.filter(isFailure)).toEqual([KIND_OF.failure]);
  expect(ALARM_KINDS.filter((kind) => !isOfRule(kind))).toEqual([KIND_OF.offset, KIND_OF.failure]);
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
] as const)(
  'a rule for values %s a limit with the signal %s raises alarms of the kind %s',
  (predicate, signal, kind) => {
    expect(kindOf(predicate, signal)).toBe(kind);
  },
);

it.each([
  ['high', 'value'],
  ['fast-fall', 'per-hour'],
  ['total-time', 'minutes'],
  ['repeated', 'times'],
  ['expected-low', 'value'],
] as const)('the limits and values of alarms of the kind %s have the unit %s', (kind, unit) => {
  expect(comparedUnit(kind)).toBe(unit);
});

it('a combination of predicate and signal without a kind of alarm is an error', () => {
  expect(() => kindOf('below', 'difference')).toThrow('no alarm kind for below difference');
});

it('only the state of a switch is no measured value, but its time outside is', () => {
  expect(isAboutSwitch({ indicator: 'door', kind: 'high' })).toBe(true);
  expect(isAboutSwitch({ indicator: 'power', kind: 'low' })).toBe(true);
  expect(isAboutSwitch({ indicator: 'temperature', kind: 'high' })).toBe(false);
  for (const kind of ALARM_KINDS)
    expect(isAboutSwitch({ indicator: 'door', kind })).toBe(comparedUnit(kind) === 'value');
});
