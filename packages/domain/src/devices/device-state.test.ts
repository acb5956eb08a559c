import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addMonths, type DeviceFacts, deviceState, termBounds } from './device-state.ts';

const NOW = Date.parse('2026-05-31T12:00:00Z');
const TERMS = { expiringMonths: 3, lapsedMonths: 3 };
const AT = termBounds(NOW, TERMS);
const MINUTE = 60_000;
const facts = (over: Partial<DeviceFacts> = {}): DeviceFacts => ({
  lastSeenAt: NOW,
  offlineAfterMinutes: 30,
  expiresAt: null,
  power: null,
  assetId: null,
  ...over,
});

describe('the connection state of a device', () => {
  it.each([
    ['never seen', null, 'never-seen', null],
    ['seen just now', NOW, 'online', null],
    ['silent for exactly the allowed time', NOW - 30 * MINUTE, 'online', null],
    ['silent for a millisecond longer than allowed', NOW - 30 * MINUTE - 1, 'offline', 1],
    ['silent for a day', NOW - 1440 * MINUTE, 'offline', 1410 * MINUTE],
    ['seen in the future because a server clock differed', NOW + MINUTE, 'online', null],
  ] as const)(
    'the connection state is right for a device that was %s',
    (_name, lastSeenAt, connection, offlineForMs) => {
      expect(deviceState(facts({ lastSeenAt }), AT)).toMatchObject({ connection, offlineForMs });
    },
  );
});

describe('the subscription state of a device', () => {
  it.each([
    ['none', null, 'unlimited', false],
    ['in three months or later', '2026-08-31T12:00:00Z', 'valid', false],
    ['in a little less than three months', '2026-08-31T11:59:59.999Z', 'expiring', true],
    ['in a moment', '2026-05-31T12:00:00.001Z', 'expiring', true],
    ['now', '2026-05-31T12:00:00Z', 'expired', true],
    ['a little less than three months ago', '2026-02-28T12:00:00.001Z', 'expired', true],
    ['three months ago', '2026-02-28T12:00:00Z', 'lapsed', true],
  ] as const)(
    'the subscription state is right for an end date: %s',
    (_name, expiresAt, term, toBeRenewed) => {
      const at = expiresAt === null ? null : Date.parse(expiresAt);
      expect(deviceState(facts({ expiresAt: at }), AT)).toMatchObject({ term, toBeRenewed });
    },
  );

  it('the states of a subscription follow each other in order of time', () => {
    const order = ['valid', 'expiring', 'expired', 'lapsed'];
    fc.assert(
      fc.property(fc.integer({ min: -2e10, max: 2e10 }), fc.nat(4e10), (ahead, later) => {
        const at = (now: number) =>
          order.indexOf(deviceState(facts({ expiresAt: NOW + ahead }), termBounds(now, TERMS)).term);
        expect(at(NOW + later)).toBeGreaterThanOrEqual(at(NOW));
      }),
    );
  });
});

it.each([
  ['charging', 1],
  ['battery', 0],
  ['unknown', null],
] as const)('the power supply of a device is reported as %s', (supply, power) => {
  expect(deviceState(facts({ power }), AT).supply).toBe(supply);
});

it.each([
  [true, 7],
  [false, null],
])('a device is reported as bound: %s', (bound, assetId) => {
  expect(deviceState(facts({ assetId }), AT).bound).toBe(bound);
});

it.each([
  ['2026-11-30T01:02:03Z', 3, '2027-02-28T01:02:03Z'],
  ['2027-11-30T01:02:03Z', 3, '2028-02-29T01:02:03Z'],
  ['2026-05-31T00:00:00Z', -3, '2026-02-28T00:00:00Z'],
  ['2026-01-15T00:00:00Z', -13, '2024-12-15T00:00:00Z'],
])('the date some months after %s is right: %i months', (at, months, expected) => {
  expect(addMonths(Date.parse(at), months)).toBe(Date.parse(expected));
});

it('the limits between the subscription states are in ascending order', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e12 }), (now) => {
      const { lapsedUntil, expiredUntil, expiringBefore } = termBounds(now, TERMS);
      expect(lapsedUntil < expiredUntil && expiredUntil < expiringBefore).toBe(true);
    }),
  );
});
