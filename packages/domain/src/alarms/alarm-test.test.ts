import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextTest, TEST_INTERVALS, TEST_OVERDUE_MS, type TestSchedule, testState } from './alarm-test.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const schedule = (more: Partial<TestSchedule> = {}): TestSchedule => ({
  every: 1,
  interval: 'weeks',
  startsOn: '2026-03-02',
  at: '10:00',
  timeZone: 'UTC',
  ...more,
});

describe('the next test of a schedule', () => {
  it.each<[string, Partial<TestSchedule>, string, string]>([
    ['is the first one before the schedule starts', {}, '2026-01-01T00:00:00Z', '2026-03-02T10:00:00Z'],
    ['is after the moment, not at it', {}, '2026-03-02T10:00:00Z', '2026-03-09T10:00:00Z'],
    ['comes every two weeks', { every: 2 }, '2026-03-03T00:00:00Z', '2026-03-16T10:00:00Z'],
    ['is one test after a long outage', { every: 2 }, '2027-01-01T00:00:00Z', '2027-01-04T10:00:00Z'],
    [
      'is on the last day of a month without the day',
      { interval: 'months', startsOn: '2026-01-31' },
      '2026-02-01T00:00:00Z',
      '2026-02-28T10:00:00Z',
    ],
    [
      'is on the original day again in a longer month',
      { interval: 'months', startsOn: '2026-01-31' },
      '2026-02-28T10:00:00Z',
      '2026-03-31T10:00:00Z',
    ],
    [
      'crosses years with quarters',
      { interval: 'months', every: 3, startsOn: '2026-11-15' },
      '2026-12-01T00:00:00Z',
      '2027-02-15T10:00:00Z',
    ],
    [
      'keeps its local time when clocks change',
      { startsOn: '2026-03-22', timeZone: 'Europe/Madrid' },
      '2026-03-22T12:00:00Z',
      '2026-03-29T08:00:00Z',
    ],
    [
      'is at the end of the skipped hour if its local time does not exist',
      { startsOn: '2026-03-22', at: '02:30', timeZone: 'Europe/Madrid' },
      '2026-03-22T12:00:00Z',
      '2026-03-29T01:00:00Z',
    ],
  ])('%s', (_, more, after, expected) => {
    expect(new Date(nextTest(schedule(more), Date.parse(after))).toISOString()).toBe(
      new Date(expected).toISOString(),
    );
  });

  it('is after the moment, at most one interval later, and no test is left out', () => {
    const zones = ['UTC', 'Asia/Shanghai', 'Europe/Madrid', 'America/Lima', 'Australia/Lord_Howe'];
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom(...TEST_INTERVALS),
        fc.constantFrom(...zones),
        fc.integer({ min: 1, max: 31 }),
        fc.integer({ min: 0, max: 3 * 365 * 24 }),
        (every, interval, timeZone, day, hours) => {
          const startsOn = `2026-01-${String(day).padStart(2, '0')}`;
          const known = schedule({ every, interval, timeZone, startsOn });
          const after = Date.parse(`${startsOn}T12:00:00Z`) + hours * HOUR_MS;
          const next = nextTest(known, after);
          const longest = every * (interval === 'weeks' ? 7 : 31) * DAY_MS + 2 * DAY_MS;
          expect(next).toBeGreaterThan(after);
          expect(next - after).toBeLessThanOrEqual(longest);
          expect(nextTest(known, next - 1)).toBe(next);
        },
      ),
    );
  });
});

describe('the state of a test', () => {
  it.each([
    ['failed if nobody was told', { messages: 0, failed: 0, unconfirmed: 0 }, 0, 'failed'],
    ['failed if a message did not arrive', { messages: 2, failed: 1, unconfirmed: 1 }, 0, 'failed'],
    [
      'waiting until everybody has confirmed',
      { messages: 2, failed: 0, unconfirmed: 1 },
      TEST_OVERDUE_MS,
      'waiting',
    ],
    ['overdue after a day', { messages: 2, failed: 0, unconfirmed: 1 }, TEST_OVERDUE_MS + 1, 'overdue'],
    ['confirmed if everybody has', { messages: 2, failed: 0, unconfirmed: 0 }, 9 * DAY_MS, 'confirmed'],
  ])('%s', (_, counts, now, expected) => {
    expect(testState(counts, 0, now)).toBe(expected);
  });
});
