import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  type ClockState,
  estimatedTime,
  isResetTime,
  isRightLead,
  judgeClock,
  leadOf,
  RIGHT_CLOCK,
} from './device-clock.ts';

const SEC = 1000;
const MIN = 60 * SEC;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;
const INTERVAL = MIN;

/** Row of a test table: [minute of receipt, lead, expected offset afterwards]. */
type Row = [receivedMin: number, leadMs: number, offsetMs: number, how?: 'sent' | 'confirmed'];

const COURSES: [string, Row[]][] = [
  [
    'live messages of a right clock',
    [
      [0, -2 * SEC, 0],
      [1, -90 * SEC, 0],
      [2, 100 * SEC, 0],
    ],
  ],
  [
    'a clock that is four minutes ahead',
    [
      [0, 4 * MIN, 4 * MIN],
      [1, 4 * MIN - 5 * SEC, 4 * MIN],
      [2, 4 * MIN + 5 * SEC, 4 * MIN],
    ],
  ],
  [
    'a clock that is farther ahead than it seemed at first',
    [
      [0, 3 * MIN, 3 * MIN],
      [1, 3.5 * MIN, 3.5 * MIN],
    ],
  ],
  [
    'a clock that is ahead and then corrected',
    [
      [0, 4 * MIN, 4 * MIN],
      [1, 0, 0],
    ],
  ],
  [
    'a clock that is farther ahead than known',
    [
      [0, 2.1 * MIN, 2.1 * MIN],
      [1, 4.8 * MIN, 4.8 * MIN],
    ],
  ],
  [
    'a clock that is ahead, with a late message between',
    [
      [0, 4 * MIN, 4 * MIN],
      [1, -HOUR, 4 * MIN],
      [2, 4 * MIN, 4 * MIN],
    ],
  ],
  [
    'a clock that is a day behind',
    [
      [0, 0, 0],
      [1, -DAY, 0],
      [2, -DAY - 3 * SEC, 0],
      [3, -DAY, -DAY, 'confirmed'],
      [4, -DAY - 20 * SEC, -DAY],
      [5, 0, 0],
    ],
  ],
  [
    'one late reading each minute between live ones',
    [
      [0, -DAY, 0],
      [1, 0, 0],
      [2, -DAY, 0],
      [3, 0, 0],
      [4, -DAY, 0],
    ],
  ],
  [
    'a backlog in order of time',
    [
      [0, -60 * MIN, 0],
      [0.01, -59 * MIN, 0],
      [0.02, -58 * MIN, 0],
      [0.03, -57 * MIN, 0],
    ],
  ],
  [
    'a backlog with the newest readings first',
    [
      [0, -10 * MIN, 0],
      [1, -12 * MIN, 0],
      [2, -14 * MIN, 0],
      [3, -16 * MIN, 0],
    ],
  ],
  [
    'several messages at the same time',
    [
      [0, -DAY, 0],
      [0.001, -DAY, 0],
      [0.002, -DAY, 0],
      [0.003, -DAY, 0],
    ],
  ],
  [
    'a clock that is far ahead',
    [
      [0, HOUR, 0],
      [1, HOUR, 0],
      [2, HOUR, HOUR, 'confirmed'],
      [3, 0, 0],
    ],
  ],
  [
    'a clock that is a day behind, then an hour behind',
    [
      [0, -DAY, 0],
      [1, -DAY, 0],
      [2, -DAY, -DAY, 'confirmed'],
      [3, -HOUR, 0],
      [4, -HOUR, 0],
      [5, -HOUR, -HOUR, 'confirmed'],
    ],
  ],
  [
    'a clock that is a day behind by its send time',
    [
      [0, -DAY, -DAY, 'sent'],
      [1, -DAY - SEC, -DAY, 'sent'],
      [2, -SEC, 0, 'sent'],
    ],
  ],
  [
    'a clock that is far ahead by its send time',
    [
      [0, HOUR, 0, 'sent'],
      [1, HOUR, 0, 'sent'],
      [2, HOUR, HOUR, 'confirmed'],
    ],
  ],
];

describe('the offset of a clock after each message', () => {
  for (const [name, rows] of COURSES)
    it(name, () => {
      let state: ClockState = RIGHT_CLOCK;
      for (const [receivedMin, leadMs, offsetMs, how] of rows) {
        const isSendTime = how === 'sent';
        const judged = judgeClock(state, {
          receivedAt: receivedMin * MIN,
          leadMs,
          isSendTime,
          intervalMs: INTERVAL,
        });
        state = judged.state;
        expect([receivedMin, state.offsetMs, judged.isConfirmed]).toEqual([
          receivedMin,
          offsetMs,
          how === 'confirmed',
        ]);
      }
    });
});

it.each([
  ['a time between two server clocks has no lead', 5 * MIN, [0, 10 * MIN], 0],
  ['a time ahead of both server clocks', 12 * MIN, [0, 10 * MIN], 2 * MIN],
  ['a time behind both server clocks', -3 * MIN, [10 * MIN, 0], -3 * MIN],
] as const)(
  'the lead of a device time over server times is computed correctly: %s',
  (_name, time, clocks, lead) => {
    expect(leadOf(time, [...clocks])).toBe(lead);
  },
);

it.each([
  [0, true],
  [2 * MIN, true],
  [2 * MIN + 1, false],
  [-3 * MIN, true],
  [-3 * MIN - 1, false],
])('a clock that is %i ms ahead counts as correct: %s', (lead, isRight) => {
  expect(isRightLead(lead, INTERVAL)).toBe(isRight);
});

it.each([
  [0, true],
  [Date.UTC(1980, 0, 6), true],
  [Date.UTC(2000, 0, 1, 0, 5), true],
  [Date.UTC(2000, 0, 8), false],
])('the time %i comes from a clock that was reset: %s', (at, isReset) => {
  expect(isResetTime(at)).toBe(isReset);
});

it.each([
  ['a clock that is right', 100, 0, 100],
  ['a clock that is a day behind', 100, -DAY, 100 + DAY],
  ['a reading from before the clock was set back', DAY, -DAY, DAY],
  ['a clock that is four minutes ahead', DAY + 4 * MIN, 4 * MIN, DAY],
])('the real time is estimated correctly: %s', (_name, at, offset, expected) => {
  expect(estimatedTime(at, offset, DAY + 200)).toBe(expected);
});

it('a device that repeats one past time is not treated as running at the pace of real time', () => {
  let state: ClockState = RIGHT_CLOCK;
  for (let second = 0; second < 300; second++) {
    const evidence = { receivedAt: second * SEC, leadMs: -20 * MIN - second * SEC, isSendTime: false };
    ({ state } = judgeClock(state, { ...evidence, intervalMs: INTERVAL }));
    expect(state.offsetMs).toBe(0);
  }
});

test('after any number of clock changes, three messages of a live device determine its offset within the tolerance', () => {
  const jump = fc.record({
    offset: fc.oneof(
      fc.integer({ min: -40 * DAY, max: -10 * MIN }),
      fc.constant(0),
      fc.integer({ min: 3 * MIN, max: 5 * MIN - SEC }),
    ),
    messages: fc.integer({ min: 3, max: 8 }),
  });
  fc.assert(
    fc.property(
      fc.array(jump, { minLength: 1, maxLength: 6 }),
      fc.array(fc.integer({ min: 0, max: 8 * SEC })),
      (jumps, delays) => {
        let state: ClockState = RIGHT_CLOCK;
        let receivedAt = 0;
        let sent = 0;
        for (const { offset, messages } of jumps) {
          for (let i = 0; i < messages; i++) {
            receivedAt += INTERVAL;
            const leadMs = offset - (delays[sent++ % Math.max(1, delays.length)] ?? 0);
            ({ state } = judgeClock(state, { receivedAt, leadMs, isSendTime: false, intervalMs: INTERVAL }));
          }
          expect(Math.abs(state.offsetMs - offset)).toBeLessThanOrEqual(2 * MIN + INTERVAL);
        }
      },
    ),
  );
});

test('a backlog that arrives at least ten times faster than it was measured never changes the offset', () => {
  const steps = fc.array(fc.integer({ min: 10 * SEC, max: HOUR }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(steps, (measuredApart) => {
      let state: ClockState = RIGHT_CLOCK;
      let age = measuredApart.reduce((sum, step) => sum + step, 10 * MIN);
      measuredApart.forEach((step, i) => {
        age -= step - SEC;
        const evidence = { receivedAt: i * SEC, leadMs: -age, isSendTime: false, intervalMs: INTERVAL };
        ({ state } = judgeClock(state, evidence));
      });
      expect(state.offsetMs).toBe(0);
    }),
  );
});
