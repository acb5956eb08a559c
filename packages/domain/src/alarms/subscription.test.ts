import { describe, expect, test } from 'vitest';
import type { LimitRule } from './alarm-machine.ts';
import { isSettledByPerson, type StoredAlarm } from './reconcile.ts';
import { replayChannel } from './replay.ts';
import { type RuleVersion, untilExpiry } from './rule-version.ts';

const RULE: LimitRule = {
  id: 1,
  kind: 'high',
  signal: null,
  level: 3,
  limit: 8,
  triggerAfterMs: 0,
  recoverAfterMs: 0,
  recoveryMargin: 0,
  gapAllowanceMs: 1_000,
  limitIsOutside: false,
};
const version = (until: number): RuleVersion => ({ rule: RULE, from: 0, until, endReason: 'rule-edited' });
const play = (expiresAt: number, more: { endsUntil?: number } = {}) =>
  replayChannel({
    rules: { versions: [untilExpiry(version(Number.POSITIVE_INFINITY), expiresAt)], gaps: [], quiet: [] },
    states: new Map(),
    readings: { at: Float64Array.of(10, 20, 30), value: Float64Array.of(9, 9, 9) },
    latest: 30,
    checkpoints: null,
    wasHolding: () => false,
    ...more,
  });

describe('rules of a device with a subscription (decision 33)', () => {
  test('a version ends at the expiry, unless it ended before', () => {
    expect(untilExpiry(version(100), 50)).toMatchObject({ until: 50, endReason: 'subscription-expired' });
    expect(untilExpiry(version(50), 50)).toEqual(version(50));
    expect(untilExpiry(version(40), 50)).toEqual(version(40));
  });
  test('an open alarm ends at the expiry, and later readings raise none', () => {
    expect(play(15).effects.map(({ at, effect }) => [at, effect.type])).toEqual([
      [10, 'raise'],
      [15, 'end'],
    ]);
    expect(play(10).effects).toEqual([]);
  });
  test('an alarm of a device that expires in the future does not end yet', () => {
    expect(play(60, { endsUntil: 59 }).effects.map(({ effect }) => effect.type)).toEqual(['raise']);
  });
  test('an acknowledged alarm that ended with the subscription is not settled, because a renewal lets it go on', () => {
    const alarm = { acknowledged: true, endedAt: 5 } as StoredAlarm;
    expect(isSettledByPerson({ ...alarm, endReason: 'recovered' })).toBe(true);
    expect(isSettledByPerson({ ...alarm, endReason: 'subscription-expired' })).toBe(false);
    expect(isSettledByPerson({ ...alarm, endReason: 'manual' })).toBe(true);
  });
});
