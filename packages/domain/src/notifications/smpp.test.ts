import { expect, test } from 'vitest';
import type { ReceiptState } from './receipt.ts';
import { isBusy, judgeSmpp, reconnectPause, smppState, stateOfParts } from './smpp.ts';

test.each([
  [0x01, 'refused'],
  [0x0b, 'refused'],
  [0x08, 'unavailable'],
  [0x58, 'unavailable'],
  [0x400, 'unavailable'],
])('a submission with status %i is %s', (status, kind) => {
  expect(judgeSmpp(status, 'name')).toEqual({ kind, error: 'name' });
});

test('only a throttled submission and a full queue ask for a pause', () => {
  expect([0x58, 0x14, 0x08].map(isBusy)).toEqual([true, true, false]);
});

test.each([
  ['DELIVRD', 'delivered'],
  ['UNDELIV', 'failed'],
  ['EXPIRED', 'failed'],
  ['ENROUTE', null],
  ['ACCEPTD', null],
  ['constructor', null],
])('the state %s of a receipt is %s', (state, wanted) => {
  expect(smppState(state)).toBe(wanted);
});

test.each<[(ReceiptState | null)[], number, ReceiptState | null]>([
  [['delivered'], 1, 'delivered'],
  [['failed'], 1, 'failed'],
  [['delivered', null], 2, null],
  [['delivered'], 2, null],
  [['delivered', 'delivered'], 2, 'delivered'],
  [[null, 'failed', null], 3, 'failed'],
])('parts %j of %i are %s', (parts, count, wanted) => {
  expect(stateOfParts(parts, count)).toBe(wanted);
});

test('the pause before a connection grows to half a minute', () => {
  expect([1, 2, 3, 5, 6, 100].map(reconnectPause)).toEqual([1_000, 2_000, 4_000, 16_000, 30_000, 30_000]);
});
