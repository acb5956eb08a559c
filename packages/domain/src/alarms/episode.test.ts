import { describe, expect, test } from 'vitest';
import type { AlarmLevel } from './alarm-level.ts';
import type { AlarmEffect, LimitRule } from './alarm-machine.ts';
import type { AlarmEndReason } from './catalogue.ts';
import { type Episode, foldEpisodes, type HoldingRules, type RuleEffect } from './episode.ts';

const rule = (id: number, level: AlarmLevel, limit: number): LimitRule => ({
  id,
  kind: 'high',
  signal: null,
  level,
  limit,
  triggerAfterMs: 0,
  recoverAfterMs: 0,
  recoveryMargin: id / 10,
  gapAllowanceMs: 100,
  limitIsOutside: false,
});
const MILD = rule(1, 1, 8);
const SEVERE = rule(2, 4, 12);
const RULES = [MILD, SEVERE];

const raise = (own: LimitRule, at: number, value: number, since = at): RuleEffect => ({
  at,
  rule: own,
  effect: { type: 'raise', since, raisedAt: at, value, peak: value, peakAt: at },
});
const effect = (own: LimitRule, at: number, type: 'recovering' | 'relapse'): RuleEffect => ({
  at,
  rule: own,
  effect: { type },
});
const peak = (own: LimitRule, at: number, value: number): RuleEffect => ({
  at,
  rule: own,
  effect: { type: 'peak', peak: value, peakAt: at },
});
const end = (own: LimitRule, at: number, reason: AlarmEndReason = 'recovered'): RuleEffect => ({
  at,
  rule: own,
  effect: { type: 'end', endedAt: at, reason } satisfies AlarmEffect,
});

function fold(effects: RuleEffect[], open: Episode | null = null, holding: HoldingRules = new Map()) {
  return foldEpisodes(open, holding, effects, () => RULES);
}
const told = (episode: Episode | undefined) =>
  episode?.events.map(({ type, at, level }) => `${type}@${at} level ${level}`);

describe('episodes of an excursion', () => {
  test('the level of an episode follows its rules, and it ends when no rule holds it open', () => {
    const episodes = fold([
      raise(MILD, 10, 9),
      raise(SEVERE, 20, 13),
      peak(MILD, 25, 14),
      end(SEVERE, 30),
      effect(MILD, 40, 'recovering'),
      effect(MILD, 50, 'relapse'),
      end(MILD, 60),
    ]);
    expect(episodes).toHaveLength(1);
    expect(told(episodes[0])).toEqual([
      'raised@10 level 1',
      'level-changed@20 level 4',
      'level-changed@30 level 1',
      'recovering@40 level 1',
      'relapsed@50 level 1',
      'ended@60 level 4',
    ]);
    expect(episodes[0]).toMatchObject({
      since: 10,
      endedAt: 60,
      endReason: 'recovered',
      level: 4,
      peakLevel: 4,
      limit: 8,
      peak: 14,
      peakAt: 25,
    });
  });

  test('an episode is recovering when all rules that hold it open are recovering', () => {
    const [episode] = fold([
      raise(MILD, 10, 13),
      raise(SEVERE, 10, 13),
      effect(SEVERE, 20, 'recovering'),
      effect(MILD, 30, 'recovering'),
    ]);
    expect(told(episode)).toEqual(['raised@10 level 4', 'recovering@30 level 4']);
  });

  test('an episode continues if a rule raises at the moment at which another one ends', () => {
    expect(fold([raise(MILD, 10, 9), end(MILD, 20), raise(SEVERE, 20, 13)])).toHaveLength(1);
  });

  test('an episode ends if a rule version ends at the moment at which the next one raises', () => {
    const episodes = fold([raise(MILD, 10, 9), raise(SEVERE, 20, 13), end(MILD, 20, 'rule-edited')]);
    expect(episodes.map(({ raisedAt, endedAt, endReason }) => [raisedAt, endedAt, endReason])).toEqual([
      [10, 20, 'rule-edited'],
      [20, null, null],
    ]);
  });

  test('an excursion after the end of an episode is a new episode', () => {
    expect(fold([raise(MILD, 10, 9), end(MILD, 20), raise(MILD, 30, 9)])).toHaveLength(2);
  });
});

describe('values stored when an alarm is raised', () => {
  test('the limit is the innermost exceeded one, whichever rule raised first', () => {
    expect(fold([raise(SEVERE, 10, 13), raise(MILD, 20, 13, 5)])).toMatchObject([
      { ruleId: 2, since: 10, limit: 8, recoveryMargin: 0.1 },
    ]);
  });

  test('a limit that was not exceeded, or one on the other side, is not used', () => {
    const inner = { ...rule(3, 2, 5), limitIsOutside: true };
    const low = { ...rule(4, 2, 2), kind: 'low' as const };
    const rules = [MILD, { ...inner, limit: 20 }, low];
    expect(foldEpisodes(null, new Map(), [raise(MILD, 10, 9)], () => rules)).toMatchObject([{ limit: 8 }]);
  });

  test('if several rules raise at the same moment, the one with the earliest start opens the episode, then the one with the lowest id', () => {
    expect(fold([raise(SEVERE, 10, 13), raise(MILD, 10, 13, 5)])).toMatchObject([{ ruleId: 1, since: 5 }]);
    expect(fold([raise(SEVERE, 10, 13), raise(MILD, 10, 13)])).toMatchObject([{ ruleId: 1 }]);
  });
});

describe('peak of an episode', () => {
  test.each([
    ['a value farther outside', [peak(MILD, 20, 11)], 11, 20],
    ['a value less far outside changes nothing', [peak(MILD, 20, 8.5)], 9, 10],
    ['of equal values the earlier', [peak(MILD, 20, 11), peak(SEVERE, 20, 11)], 11, 20],
  ])('an episode keeps the farthest value as its peak: %s', (_name, effects, value, at) => {
    expect(fold([raise(MILD, 10, 9), ...effects])).toMatchObject([{ peak: value, peakAt: at }]);
  });
  test('an equal value at an earlier time moves the time of the peak back', () => {
    const later = raise(SEVERE, 30, 9);
    const earlier = { ...later, effect: { ...later.effect, peakAt: 12 } as AlarmEffect };
    expect(fold([raise(MILD, 15, 9, 10), earlier])).toMatchObject([{ peak: 9, peakAt: 12 }]);
  });
  test('a value before the start of the excursion is not used as its peak', () => {
    const late = raise(SEVERE, 30, 13);
    const before = { ...late, effect: { ...late.effect, peak: 15, peakAt: 5 } as AlarmEffect };
    expect(fold([raise(MILD, 10, 9), before])).toMatchObject([{ peak: 9 }]);
  });
});

describe('continuation of an open episode', () => {
  const open = fold([raise(MILD, 10, 9)])[0] as Episode;
  const holding = () => new Map([[1, { level: 1 as AlarmLevel, recovering: false }]]);

  test('an open episode is continued in a copy and not modified', () => {
    const stored = { ...open, alarmId: 7, events: [] };
    const [episode] = fold([end(MILD, 20)], stored, holding());
    expect(episode).toMatchObject({ alarmId: 7, endedAt: 20 });
    expect(stored.endedAt).toBeNull();
  });
  test('an episode that a person ended is not opened again by further effects of its rules', () => {
    expect(
      fold([peak(MILD, 15, 11), effect(MILD, 20, 'recovering'), end(MILD, 30)], null, holding()),
    ).toEqual([]);
  });
});
