import { givenOrder } from '@isotherm/contracts/commands';
import { wordIssues } from '@isotherm/contracts/validation';
import { GIVEN_KINDS } from '@isotherm/domain/devices/command';
import { expect, it } from 'vitest';
import { bodyOf, draftOf, pastedNumbers } from './command-draft.ts';

it.each([
  ['31020201', ['31020201']],
  ['31020201\r\n31020202\n', ['31020201', '31020202']],
  ['31020201, 31020202;31020203\t31020204', ['31020201', '31020202', '31020203', '31020204']],
  ['31020201，31020202、31020203；', ['31020201', '31020202', '31020203']],
  [' \n ', []],
])('the pasted text %j is split into device numbers', (pasted, numbers) => {
  expect(pastedNumbers(pasted)).toEqual(numbers);
});

const TO = { devices: ['31020201'], numbers: '31020201 31020202', expiresInS: 300 };
const faults = (kind: (typeof GIVEN_KINDS)[number], values: object) => {
  const checked = draftOf(kind).safeParse(values);
  return checked.success ? [] : wordIssues(checked.error, values).map(({ field, rule }) => [field, rule]);
};

it.each([
  [{ kind: 'reboot' }, { kind: 'reboot', seconds: 30 }],
  [
    { kind: 'acquisition-interval', seconds: 30 },
    { kind: 'acquisition-interval', seconds: 30, low: 2 },
  ],
  [
    { kind: 'offline-standard', minutes: 5 },
    { kind: 'offline-standard', minutes: 5 },
  ],
  [
    { kind: 'alarm-limits', sensor: 1, indicator: 'temperature', low: null, high: 8 },
    { kind: 'alarm-limits', sensor: 1, indicator: 'temperature', high: 8 },
  ],
] as const)('the command %j is sent to selected and pasted devices, once to each', (order, typed) => {
  expect(bodyOf(order.kind, { ...typed, ...TO })).toEqual({
    devices: ['31020201', '31020202'],
    order,
    note: '',
    expiresInS: 300,
  });
});

it.each([
  ['acquisition-interval', {}, [['seconds', 'required']]],
  ['upload-interval', { seconds: 9 }, [['seconds', 'too-low']]],
  ['offline-standard', { minutes: 1.5 }, [['minutes', 'whole-number']]],
  ['alarm-limits', { sensor: 1, indicator: 'humidity', low: 8, high: 2 }, [['high', 'above-other']]],
] as const)('the form applies the rules of the contract to %s', (kind, typed, expected) => {
  expect(faults(kind, { kind, ...typed, ...TO })).toEqual(expected);
});

it('the form requires devices, valid numbers, and no more devices than the server accepts', () => {
  const reboot = { kind: 'reboot', expiresInS: 300 };
  expect(faults('reboot', reboot)).toEqual([['devices', 'required']]);
  expect(faults('reboot', { ...reboot, numbers: '31020201 3102' })).toEqual([['numbers.1', 'format']]);
  const many = Array.from({ length: 5_001 }, (_, i) => String(40_000_000 + i));
  expect(faults('reboot', { ...reboot, numbers: many.join('\n') })).toEqual([['numbers', 'too-many']]);
  expect(faults('reboot', { ...reboot, numbers: many.slice(1).join('\n') })).toEqual([]);
});

it('every kind of command has a form', () => {
  expect(GIVEN_KINDS.map((kind) => Object.keys(draftOf(kind).shape))).toEqual(
    givenOrder.options.map(({ shape }) => [
      ...Object.keys(shape),
      'devices',
      'numbers',
      'note',
      'expiresInS',
    ]),
  );
});
