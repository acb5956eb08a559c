import { expect, it } from 'vitest';
import { initialsOf, needsReview, type ReviewedNumbers, reviewStateOf } from './daily-review.ts';

const DAY: ReviewedNumbers = { from: 0, to: 100, count: 5, min: 2, max: 8, outsideMs: 0 };

it.each<[string, ReviewedNumbers | null, number, string, boolean]>([
  ['a day that is not over', null, 99, 'running', false],
  ['a day that is over', null, 100, 'open', true],
  ['a reviewed day', DAY, 200, 'reviewed', false],
  ['a day with more readings', { ...DAY, count: 4 }, 200, 'changed', true],
  ['a day with another minimum', { ...DAY, min: 3 }, 200, 'changed', true],
  ['a day with another maximum', { ...DAY, max: 9 }, 200, 'changed', true],
  ['a day with another time outside', { ...DAY, outsideMs: null }, 200, 'changed', true],
  ['a day that began at another time', { ...DAY, from: 1 }, 200, 'changed', true],
  ['a day that ended at another time', { ...DAY, to: 99 }, 200, 'changed', true],
])('the state of %s', (_case, review, now, state, isNeeded) => {
  const found = reviewStateOf(DAY, review, now);
  expect([found, needsReview(found)]).toEqual([state, isNeeded]);
});

it.each([
  ['Lin Yue', 'LY'],
  ['  ana   maría lópez ', 'AML'],
  ['Jean-Luc Picard', 'JLP'],
  ['demo.manager', 'DM'],
  ['李雪', '李雪'],
  ['欧阳 娜娜', '欧娜'],
  ['One Two Three Four Five', 'OTTF'],
  ['𐐨lan', '𐐀'],
  ['', ''],
])('the initials of %j are %j', (name, initials) => {
  expect(initialsOf(name)).toBe(initials);
});
