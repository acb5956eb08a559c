import type { DeviceInput } from '@isotherm/contracts/device-registry';
import { expect, it } from 'vitest';
import { conflictRows, mergeEdits } from './device-draft.ts';

const BEGUN: DeviceInput = {
  name: 'Logger',
  type: 'logger',
  model: '',
  serial: '',
  gatewayNumber: '',
  devEui: '',
  timeZone: 'UTC',
  expiresOn: null,
  offlineAfterMinutes: 30,
  acquisitionIntervalS: 60,
  uploadIntervalS: 60,
};
const text = (id: string) => id;

it.each([
  [
    'changes of different fields are both kept',
    { name: 'Mine' },
    { model: 'Theirs' },
    { name: 'Mine', model: 'Theirs' },
  ],
  [
    'if both changed the same field, the own value is used',
    { name: 'Mine' },
    { name: 'Theirs' },
    { name: 'Mine' },
  ],
  ['without own changes, the stored values are used', {}, { name: 'Theirs' }, { name: 'Theirs' }],
])('edits of two users are merged: %s', (_name, mine, theirs, expected) => {
  const stored = { ...BEGUN, ...theirs };
  expect(mergeEdits(BEGUN, { ...BEGUN, ...mine }, stored)).toEqual({ ...stored, ...expected });
});

it('only the fields that would be overwritten are listed', () => {
  const stored = { ...BEGUN, name: 'Theirs', model: 'TH-20' };
  const merged = mergeEdits(BEGUN, { ...BEGUN, name: 'Mine', expiresOn: '2030-01-31' }, stored);
  expect(conflictRows(merged, stored, text)).toEqual([
    { label: 'devices.name', stored: 'Theirs', mine: 'Mine' },
    { label: 'devices.expires', stored: '–', mine: '2030-01-31' },
  ]);
});
