import { expect, test } from 'vitest';
import {
  eventFieldOf,
  jitterOf,
  judgeEscalation,
  judgeRepeat,
  nextAttempt,
  nextRepeat,
} from './notification.ts';

const MIN = 60_000;
const DAY = 86_400_000;

test.each([
  ['an alarm on its level', true, null, 2, 'send'],
  ['an alarm on a higher level', true, null, 3, 'send'],
  ['an alarm on a lower level', true, null, 1, 'wait'],
  ['an alarm that was acknowledged on this level', true, 2, 2, 'cancel'],
  ['an alarm that was acknowledged on a higher level', true, 3, 2, 'cancel'],
  ['an alarm that was acknowledged before it reached this level', true, 1, 2, 'send'],
  ['an ended alarm', false, null, 2, 'cancel'],
] as const)(
  'the due repeat of a step of level 2 is sent, postponed or cancelled for %s',
  (_, isOpen, acknowledgedLevel, level, expected) => {
    expect(judgeRepeat({ isOpen, acknowledgedLevel, level }, 2)).toBe(expected);
  },
);

test.each([
  ['nobody has acknowledged', true, null, 3, 1, 'send'],
  ['the alarm was acknowledged on its level', true, 3, 3, 1, 'cancel'],
  ['the alarm was acknowledged on a lower level', true, 2, 3, 1, 'send'],
  ['the alarm has ended', false, null, 3, 1, 'cancel'],
  ['the alarm has fallen, but not below the lowest level', true, null, 2, 2, 'send'],
  ['the alarm is below the lowest level', true, null, 1, 2, 'wait'],
  ['the alarm was acknowledged and is below the lowest level', true, 3, 1, 2, 'cancel'],
] as const)(
  'the due escalation of an alarm of level 3 is judged: %s',
  (_, isOpen, acknowledgedLevel, level, lowestLevel, expected) => {
    expect(judgeEscalation({ isOpen, acknowledgedLevel, level }, { level: 3, lowestLevel })).toBe(expected);
  },
);

test.each([
  ['on time', 10 * MIN, 20 * MIN],
  ['a second late', 10 * MIN + 1_000, 20 * MIN],
  ['claimed by a clock that is behind', 9 * MIN, 20 * MIN],
  ['after an outage of 25 minutes', 35 * MIN, 40 * MIN],
  ['exactly when the next one is due', 20 * MIN, 30 * MIN],
])('repeats every 10 minutes keep their schedule (first repeat: %s)', (_, now, next) => {
  expect(nextRepeat(10 * MIN, 10 * MIN, now)).toBe(next);
});

test('retries come after 5 s, then after twice the delay each time, at most 10 minutes, for one day', () => {
  const waits: number[] = [];
  let now = 0;
  let attempts = 0;
  for (let at = nextAttempt(0, 1, 0, 0); at !== null; at = nextAttempt(0, attempts + 1, now, 0)) {
    waits.push(at - now);
    now = at;
    attempts++;
  }
  expect(waits.slice(0, 9)).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600].map((s) => s * 1_000));
  expect(now).toBeLessThanOrEqual(DAY);
  expect(now).toBeGreaterThan(DAY - 10 * MIN);
});

test('notifications that failed together are tried again over a fifth of the delay', () => {
  const times = Array.from({ length: 100 }, (_, id) => nextAttempt(0, 3, 0, jitterOf(id)) ?? 0);
  expect(Math.min(...times)).toBe(20_000);
  expect(Math.max(...times)).toBeGreaterThan(23_500);
  expect(Math.max(...times)).toBeLessThanOrEqual(24_000);
  expect(new Set(times).size).toBe(100);
});

test.each([
  ['high', 'temperature', 'temperature'],
  ['low', 'humidity', 'humidity'],
  ['low', 'battery', 'voltage'],
  ['high', 'voltage', 'voltage'],
  ['low', 'power', 'unplugged'],
  ['high', 'door', 'door'],
  ['high', 'carbon-dioxide', 'carbon-dioxide'],
  ['fast-rise', 'temperature', 'temperature-fast-rise'],
  ['repeated', 'battery', 'voltage-repeated'],
  ['no-data', 'temperature', 'offline'],
  ['clock', 'temperature', 'clock'],
  ['backup', 'temperature', 'backup'],
] as const)('an alarm of the kind %s about %s has the event field %s', (kind, indicator, field) => {
  expect(eventFieldOf(kind, indicator)).toBe(field);
});
