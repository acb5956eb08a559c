import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LimitRule, NORMAL, step } from './alarm-machine.ts';
import { isInSchedule } from './reference.ts';
import {
  dayNumberOf,
  HOLIDAY_TREATMENTS,
  hasBegun,
  isSameSchedule,
  isScheduled,
  type RuleSchedule,
  type Schedule,
  scheduledSince,
  scheduleFault,
  WEEKDAYS,
  type Weekday,
} from './schedule.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const WORK: Weekday[] = [1, 2, 3, 4, 5];
const CHRISTMAS = new Set([dayNumberOf('2026-12-25')]);
const office = (over: Partial<RuleSchedule> = {}): RuleSchedule => ({
  spans: [{ days: WORK, from: '08:00', until: '18:00' }],
  timeZone: 'Europe/Madrid',
  holidays: 'ignore',
  holidayDays: CHRISTMAS,
  ...over,
});
const at = (local: string, offset = '+01:00') => Date.parse(`${local}${offset}`);

describe('a moment is judged by the wall clock of the time zone', () => {
  const night = { spans: [{ days: [5] as Weekday[], from: '22:00', until: '06:00' }] };
  const sunday = { spans: [{ days: [7] as Weekday[], from: '10:00', until: '12:00' }] };
  const allDay = { spans: [{ days: [1] as Weekday[], from: '00:00', until: '00:00' }] };
  test.each<[string, Partial<RuleSchedule>, number, boolean]>([
    ['Monday at 08:00', {}, at('2026-11-23T08:00'), true],
    ['Monday before 08:00', {}, at('2026-11-23T07:59'), false],
    ['Monday at 18:00', {}, at('2026-11-23T18:00'), false],
    ['Sunday at noon', {}, at('2026-11-22T12:00'), false],
    ['Friday night', night, at('2026-11-27T23:00'), true],
    ['the morning after Friday night', night, at('2026-11-28T05:59'), true],
    ['the morning of Friday', night, at('2026-11-27T05:00'), false],
    ['Friday afternoon', night, at('2026-11-27T15:00'), false],
    ['the last minute of a whole day', allDay, at('2026-11-23T23:59'), true],
    ['the first minute after a whole day', allDay, at('2026-11-24T00:00'), false],
    ['a holiday that is ignored', {}, at('2026-12-25T09:00'), true],
    ['a holiday', { holidays: 'never' }, at('2026-12-25T09:00'), false],
    ['a holiday that counts as a Sunday', { holidays: 'as-sunday' }, at('2026-12-25T10:30'), false],
    ['the Sunday hours of a holiday', { ...sunday, holidays: 'as-sunday' }, at('2026-12-25T10:30'), true],
    [
      'the Sunday hours of another Friday',
      { ...sunday, holidays: 'as-sunday' },
      at('2026-12-18T10:30'),
      false,
    ],
    ['a night that begins on a holiday', { ...night, holidays: 'never' }, at('2026-12-26T01:00'), false],
    ['a day before 1970', {}, Date.parse('1969-12-29T10:00Z'), true],
    // At 03:00 on the last Sunday of October, clocks are set back to 02:00.
    [
      'both passes of an hour that occurs twice (first)',
      { spans: [{ days: [7], from: '02:00', until: '03:00' }] },
      at('2026-10-25T02:30', '+02:00'),
      true,
    ],
    [
      'both passes of an hour that occurs twice (second)',
      { spans: [{ days: [7], from: '02:00', until: '03:00' }] },
      at('2026-10-25T02:30', '+01:00'),
      true,
    ],
  ])('%s', (_name, over, moment, expected) => {
    expect(isScheduled(office(over), moment)).toBe(expected);
  });

  test('without a schedule, alarms may be raised at any time', () => {
    expect(isScheduled(null, 0)).toBe(true);
    expect(isScheduled(undefined, 0)).toBe(true);
  });

  test('on days on which clocks change, every minute agrees with a wall clock in several zones', () => {
    const changes = [
      ['Europe/Madrid', '2026-03-29', '2026-10-25'],
      ['America/New_York', '2026-03-08', '2026-11-01'],
      ['America/Santiago', '2026-04-05', '2026-09-06'],
      ['Australia/Lord_Howe', '2026-04-05', '2026-10-04'],
      ['Africa/Casablanca', '2026-02-15', '2026-03-22'],
      ['America/St_Johns', '2009-03-08', '2009-11-01'],
      ['Pacific/Apia', '2011-12-30', '2012-04-01'],
      ['Asia/Kathmandu', '2026-01-01', '2026-06-01'],
      ['Asia/Shanghai', '2026-01-01', '2026-06-01'],
    ] as const;
    const time = fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom('00', '01', '30', '59'))
      .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${minute}`);
    const span = fc.record({ days: fc.subarray([...WEEKDAYS], { minLength: 1 }), from: time, until: time });
    fc.assert(
      fc.property(
        fc.constantFrom(...changes),
        fc.boolean(),
        fc.array(span, { minLength: 1, maxLength: 2 }),
        fc.constantFrom(...HOLIDAY_TREATMENTS),
        fc.integer({ min: -1, max: 2 }),
        fc.integer({ min: 1, max: 7 }),
        ([timeZone, spring, autumn], isSpring, spans, holidays, holiday, stepMinutes) => {
          const midnight = Date.parse(`${isSpring ? spring : autumn}T00:00Z`);
          const holidayDays = new Set([midnight / (24 * HOUR_MS) + holiday]);
          const schedule: RuleSchedule = { spans, timeZone, holidays, holidayDays };
          for (let moment = midnight - 20 * HOUR_MS; moment < midnight + 44 * HOUR_MS; ) {
            if (isScheduled(schedule, moment) !== isInSchedule(schedule, moment))
              throw new Error(`${new Date(moment).toISOString()} differs`);
            moment += stepMinutes * 7 * MINUTE_MS;
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('the offsets of more days than are cached stay right', () => {
    for (let day = 0; day < 3_100; day++) {
      const noon = Date.parse('2026-06-01T10:00Z') - day * 24 * HOUR_MS;
      const schedule = office({
        timeZone: 'America/Lima',
        spans: [{ days: [...WEEKDAYS], from: '04:00', until: '05:01' }],
      });
      expect(isScheduled(schedule, noon)).toBe(true);
    }
  });
});

test.each([
  ['2026-12-25T00:00+14:00', true],
  ['2026-12-24T23:59+14:00', false],
])('whether Christmas has begun anywhere at %s: %s', (now, expected) => {
  expect(hasBegun('2026-12-25', Date.parse(now))).toBe(expected);
});

test('the start of the current span is found to the minute', () => {
  const schedule = office();
  const now = at('2026-11-23T09:30:20');
  expect(scheduledSince(schedule, now, 0)).toBe(at('2026-11-23T08:00'));
  expect(scheduledSince(schedule, now, at('2026-11-23T09:00'))).toBe(Number.NEGATIVE_INFINITY);
});

describe('validation', () => {
  const span = { days: [1] as Weekday[], from: '08:00', until: '18:00' };
  const schedule = (over: Partial<Schedule>): Schedule => ({
    spans: [span],
    timeZone: 'Europe/Madrid',
    holidays: 'never',
    ...over,
  });
  test.each<[string, Partial<Schedule>, ReturnType<typeof scheduleFault>]>([
    ['one span', {}, null],
    ['a whole day', { spans: [{ ...span, until: '08:00' }] }, null],
    ['the time zone of the organisation', { timeZone: '' }, null],
    ['across midnight', { spans: [{ ...span, from: '22:00', until: '06:00' }] }, null],
    ['no span', { spans: [] }, 'schedule'],
    ['too many spans', { spans: Array.from({ length: 8 }, () => span) }, 'schedule'],
    ['a span without days', { spans: [{ ...span, days: [] }] }, 'schedule'],
    ['a day twice', { spans: [{ ...span, days: [1, 1] }] }, 'schedule'],
    ['a wrong start', { spans: [{ ...span, from: '24:00' }] }, 'schedule'],
    ['a wrong end', { spans: [{ ...span, until: '24:00' }] }, 'schedule'],
    ['an unknown time zone', { timeZone: 'Mars/Olympus' }, 'time-zone'],
  ])('a schedule with %s', (_name, over, fault) => {
    expect(scheduleFault(schedule(over))).toBe(fault);
  });

  test('schedules are compared by their content', () => {
    expect(isSameSchedule(null, null)).toBe(true);
    expect(isSameSchedule(schedule({}), null)).toBe(false);
    expect(isSameSchedule(schedule({}), schedule({}))).toBe(true);
    expect(isSameSchedule(schedule({}), schedule({ holidays: 'ignore' }))).toBe(false);
    expect(isSameSchedule(schedule({}), schedule({ spans: [{ ...span, days: [2] }] }))).toBe(false);
  });
});

describe('a rule with a schedule', () => {
  const rule: LimitRule = {
    id: 1,
    kind: 'high',
    signal: null,
    level: 2,
    limit: 8,
    triggerAfterMs: 30 * MINUTE_MS,
    recoverAfterMs: 0,
    recoveryMargin: 0,
    gapAllowanceMs: HOUR_MS,
    limitIsOutside: false,
    schedule: office(),
  };
  const play = (...readings: [string, number][]) => {
    let state = NORMAL;
    const effects: string[] = [];
    for (const [time, value] of readings) {
      const result = step(rule, state, { at: at(`2026-11-23T${time}`), value });
      state = result.state;
      for (const effect of result.effects) effects.push(`${time} ${effect.type}`);
    }
    return { phase: state.phase, effects };
  };
  test('raises no alarm outside its spans, and counts the trigger delay from the start of a span', () => {
    expect(play(['07:00', 9], ['07:50', 9], ['08:00', 9], ['08:29', 9], ['08:30', 9])).toEqual({
      phase: 'active',
      effects: ['08:30 raise'],
    });
  });
  test('discards a pending alarm at the end of a span', () => {
    expect(play(['17:45', 9], ['18:00', 9], ['18:30', 9])).toEqual({ phase: 'normal', effects: [] });
  });
  test('keeps an open alarm open after the end of a span, until the values recover', () => {
    expect(play(['17:20', 9], ['17:55', 9], ['18:40', 12], ['19:20', 5])).toEqual({
      phase: 'normal',
      effects: ['17:55 raise', '18:40 peak', '19:20 end'],
    });
  });
});
