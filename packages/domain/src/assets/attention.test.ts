import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ALARM_LEVELS, type AlarmLevel } from '../alarms/alarm-level.ts';
import { compareByAttention, needsAttention, type RankedState, severity } from './attention.ts';

const at = (hour: number) => `2026-11-20T${String(hour).padStart(2, '0')}:00:00.000Z`;
const alarm = (level: AlarmLevel, hour = 1, recovering = false): RankedState => ({
  kind: 'alarm',
  level,
  recovering,
  since: at(hour),
});
const ended = (level: AlarmLevel): RankedState => ({ kind: 'ended', level, since: at(1) });
const pending = (level: AlarmLevel): RankedState => ({ kind: 'pending', level, since: at(1) });
const silent = (level: AlarmLevel): RankedState => ({ kind: 'unknown', since: at(1), alarm: { level } });
const unknown: RankedState = { kind: 'unknown', since: null, alarm: null };
const expired: RankedState = { kind: 'expired', since: at(1) };
const unset: RankedState = { kind: 'unset' };
const normal: RankedState = { kind: 'normal' };

describe('the order of assets by attention', () => {
  const worstFirst: readonly RankedState[] = [
    alarm(5),
    alarm(5, 1, true),
    ended(5),
    pending(5),
    silent(5),
    alarm(4),
    pending(4),
    silent(2),
    unknown,
    alarm(1),
    silent(1),
    expired,
    unset,
    normal,
  ];
  test.each(worstFirst.slice(1).map((state, index) => [worstFirst[index] as RankedState, state]))(
    'the state %j comes before %j',
    (worse, better) => {
      expect(severity(worse)).toBeGreaterThan(severity(better));
    },
  );

  const cards = [
    { id: 1, name: 'Fridge 10', state: normal },
    { id: 2, name: 'Fridge 9', state: normal },
    { id: 3, name: 'Fridge 9', state: normal },
    { id: 4, name: 'Later', state: alarm(5, 2) },
    { id: 5, name: 'Longer', state: alarm(5, 1) },
    { id: 6, name: 'Never heard from', state: unknown },
    { id: 7, name: 'Heard from', state: { ...unknown, since: at(3) } as RankedState },
    { id: 8, name: 'Nothing is watched', state: unset },
  ];
  test('equal states are ordered by duration, then by name, then by id', () => {
    expect([...cards].sort(compareByAttention).map(({ id }) => id)).toEqual([5, 4, 7, 6, 8, 2, 3, 1]);
  });

  const level = fc.constantFrom(...ALARM_LEVELS);
  const anyState: fc.Arbitrary<RankedState> = fc.oneof(
    fc.record({
      kind: fc.constant('alarm' as const),
      level,
      recovering: fc.boolean(),
      since: fc.constantFrom(at(1), at(2)),
    }),
    fc.record({ kind: fc.constant('ended' as const), level, since: fc.constantFrom(at(1), at(2)) }),
    fc.record({ kind: fc.constant('pending' as const), level, since: fc.constantFrom(at(1), at(2)) }),
    fc.record({
      kind: fc.constant('unknown' as const),
      since: fc.constantFrom(at(1), null),
      alarm: fc.option(fc.record({ level })),
    }),
    fc.constant(expired),
    fc.constant(unset),
    fc.constant(normal),
  );
  test('no state that needs attention ranks below one that does not, and the order is total', () => {
    const card = fc.record({
      id: fc.integer({ min: 1, max: 3 }),
      name: fc.constantFrom('A', 'B'),
      state: anyState,
    });
    fc.assert(
      fc.property(card, card, card, (a, b, c) => {
        if (needsAttention(a.state) && !needsAttention(b.state))
          expect(compareByAttention(a, b)).toBeLessThan(0);
        expect(Math.sign(compareByAttention(a, b)) + Math.sign(compareByAttention(b, a))).toBe(0);
        if (compareByAttention(a, b) <= 0 && compareByAttention(b, c) <= 0)
          expect(compareByAttention(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });
});
