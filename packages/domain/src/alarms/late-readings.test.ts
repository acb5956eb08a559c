import { describe, expect, test } from 'vitest';
import type { LimitRule } from './alarm-machine.ts';
import { type Episode, isClear, reconcile, replay, type StandingAlarm } from './late-readings.ts';

const high: LimitRule = {
  id: 1,
  kind: 'high',
  level: 3,
  limit: 8,
  triggerAfterMs: 0,
  recoverAfterMs: 3,
  recoveryMargin: 0.5,
  gapAllowanceMs: 100,
  limitIsOutside: false,
};
const low: LimitRule = { ...high, id: 2, kind: 'low', limit: 2 };

function episode(since: number, endedAt: number | null, over: Partial<Episode> = {}): Episode {
  return { since, raisedAt: since, value: 9, peak: 9, peakAt: since, endedAt, recovering: false, ...over };
}
const standing = (id: number, since: number, endedAt: number | null): StandingAlarm => ({
  id,
  refuted: false,
  ...episode(since, endedAt),
});

test('a replay tells peak, recovery, relapse and end of each episode', () => {
  const values = [9, 10, 7, 8.5, 7, 7, 9];
  const readings = values.map((value, index) => ({ at: index * 2, value }));
  const { episodes, state } = replay(high, readings.slice(0, 3));
  expect(state.phase).toBe('recovering');
  expect(episodes).toEqual([episode(0, null, { peak: 10, peakAt: 2, recovering: true })]);
  const relapsed = replay(high, readings.slice(3, 4), { state, episodes });
  expect(relapsed.episodes[0]?.recovering).toBe(false);
  const whole = replay(high, readings);
  expect(whole.episodes.map(({ since, endedAt }) => [since, endedAt])).toEqual([[0, null]]);
  const recovered = replay(high, [...readings.slice(0, 6), { at: 20, value: 7 }]);
  expect(recovered.episodes.map(({ since, endedAt }) => [since, endedAt])).toEqual([[0, 20]]);
});

describe('isClear', () => {
  test.each([
    [7.5, true],
    [7.6, false],
    [8, false],
    [2.5, true],
    [2.4, false],
    [5, true],
  ])('%d between 2 and 8 with a margin of 0.5: %s', (value, clear) => {
    expect(isClear([high, low], value)).toBe(clear);
  });
  test('the limit itself is not clear, even without a margin', () => {
    expect(isClear([{ ...high, recoveryMargin: 0 }], 8)).toBe(false);
    expect(isClear([{ ...low, recoveryMargin: 0 }], 2)).toBe(false);
  });
});

describe('reconcile', () => {
  test('what stands and is implied stays as it is', () => {
    expect(reconcile([standing(7, 10, 20)], [episode(10, 20)], 99)).toEqual([]);
  });
  test('an episode that nobody knew of is inserted', () => {
    expect(reconcile([], [episode(10, 20)], 99)).toEqual([{ type: 'insert', episode: episode(10, 20) }]);
    expect(reconcile([standing(7, 30, null)], [episode(10, 20), episode(30, null)], 99)).toEqual([
      { type: 'insert', episode: episode(10, 20) },
    ]);
  });
  test('an alarm that began earlier than known is amended, not doubled', () => {
    expect(reconcile([standing(7, 15, null)], [episode(10, null)], 99)).toEqual([
      { type: 'amend', alarmId: 7, episode: episode(10, null) },
    ]);
  });
  test('an open alarm that had ended meanwhile is amended, and the next one is new', () => {
    expect(reconcile([standing(7, 10, null)], [episode(10, 20), episode(40, null)], 99)).toEqual([
      { type: 'amend', alarmId: 7, episode: episode(10, 20) },
      { type: 'insert', episode: episode(40, null) },
    ]);
  });
  test('two alarms that were one: the first is amended, the second refuted at its own end', () => {
    expect(reconcile([standing(7, 10, 20), standing(8, 25, 30)], [episode(10, 30)], 99)).toEqual([
      { type: 'amend', alarmId: 7, episode: episode(10, 30) },
      { type: 'refute', alarmId: 8, endedAt: 30 },
    ]);
  });
  test('an open alarm that the readings no longer imply is refuted as of now, never removed', () => {
    expect(reconcile([standing(7, 10, null)], [], 99)).toEqual([{ type: 'refute', alarmId: 7, endedAt: 99 }]);
  });
  test('a refuted alarm stays as it is, and stands again when readings imply it after all', () => {
    const refuted = { ...standing(7, 10, 20), refuted: true };
    expect(reconcile([refuted], [], 99)).toEqual([]);
    expect(reconcile([refuted], [episode(10, 20)], 99)).toEqual([
      { type: 'amend', alarmId: 7, episode: episode(10, 20) },
    ]);
    expect(reconcile([refuted, standing(8, 12, 20)], [episode(12, 20)], 99)).toEqual([]);
  });
});
