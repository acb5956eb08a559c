import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextReport, REPORT_INTERVALS, type ReportTiming, reportedPeriod } from './report-schedule.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const iso = (at: number) => new Date(at).toISOString().slice(0, 16);
const timing = (more: Partial<ReportTiming>): ReportTiming => ({
  interval: 'day',
  weekday: 1,
  monthDay: 1,
  at: '00:00',
  timeZone: 'Asia/Shanghai',
  ...more,
});

describe('the next report', () => {
  it.each<[string, Partial<ReportTiming>, string, string]>([
    ['later today', { at: '07:30' }, '2026-11-25T22:00', '2026-11-25T23:30'],
    ['at its own time is the next one', { at: '07:30' }, '2026-11-25T23:30', '2026-11-26T23:30'],
    ['on Monday', { interval: 'week' }, '2026-11-26T00:00', '2026-11-29T16:00'],
    ['on Sunday', { interval: 'week', weekday: 7, at: '09:00' }, '2026-11-26T00:00', '2026-11-29T01:00'],
    ['on the first', { interval: 'month' }, '2026-11-26T00:00', '2026-11-30T16:00'],
    [
      'on the 31st of a month with 30 days',
      { interval: 'month', monthDay: 31 },
      '2026-11-26T00:00',
      '2026-11-29T16:00',
    ],
    ['on the 31st in February', { interval: 'month', monthDay: 31 }, '2027-02-01T00:00', '2027-02-27T16:00'],
    [
      'at a time that is skipped',
      { at: '02:30', timeZone: 'Europe/Berlin' },
      '2027-03-27T12:00',
      '2027-03-28T01:00',
    ],
    [
      'at the first of two equal times',
      { at: '02:30', timeZone: 'Europe/Berlin' },
      '2026-10-24T12:00',
      '2026-10-25T00:30',
    ],
    [
      'after the first of two equal times',
      { at: '02:30', timeZone: 'Europe/Berlin' },
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ],
    [
      'at a midnight that is skipped',
      { timeZone: 'America/Asuncion' },
      '2023-09-30T12:00',
      '2023-10-01T04:00',
    ],
  ])('%s', (_case, more, after, next) => {
    expect(iso(nextReport(timing(more), Date.parse(`${after}Z`)))).toBe(next);
  });
});

describe('the period of a report', () => {
  it.each([
    ['day', '2026-11-25T23:30', 'Asia/Shanghai', '2026-11-24T16:00', '2026-11-25T16:00'],
    ['week', '2026-11-29T16:00', 'Asia/Shanghai', '2026-11-22T16:00', '2026-11-29T16:00'],
    ['month', '2026-11-26T00:00', 'Asia/Shanghai', '2026-09-30T16:00', '2026-10-31T16:00'],
    ['month', '2027-01-15T00:00', 'UTC', '2026-12-01T00:00', '2027-01-01T00:00'],
    // A day of 25 and one of 23 hours.
    ['day', '2026-10-26T06:00', 'Europe/Berlin', '2026-10-24T22:00', '2026-10-25T23:00'],
    ['day', '2027-03-29T06:00', 'Europe/Berlin', '2027-03-27T23:00', '2027-03-28T22:00'],
  ] as const)('of a %s at %s in %s', (interval, at, zone, from, to) => {
    const period = reportedPeriod(interval, Date.parse(`${at}Z`), zone);
    expect([iso(period.from), iso(period.to)]).toEqual([from, to]);
  });
});

it('reports follow each other, and periods of daily reports have neither gaps nor overlaps', () => {
  fc.assert(
    fc.property(
      fc.record({
        interval: fc.constantFrom(...REPORT_INTERVALS),
        weekday: fc.integer({ min: 1, max: 7 }),
        monthDay: fc.integer({ min: 1, max: 31 }),
        at: fc.constantFrom('00:00', '02:30', '03:00', '23:59'),
        timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'),
      }),
      fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2035, 0) }),
      (given, after) => {
        const first = nextReport(given, after);
        const second = nextReport(given, first);
        expect(first).toBeGreaterThan(after);
        const days = { day: 1, week: 7, month: 31 }[given.interval];
        expect(second - first).toBeLessThanOrEqual(days * DAY_MS + 2 * HOUR_MS);
        expect(second - first).toBeGreaterThan((given.interval === 'month' ? 27 : days - 1) * DAY_MS);
        const [one, two] = [first, second].map((at) => reportedPeriod(given.interval, at, given.timeZone));
        expect(one?.to).toBe(two?.from);
        expect(one?.to).toBeLessThanOrEqual(first);
      },
    ),
  );
});
