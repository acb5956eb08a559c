import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { daysBetween, isToRemind } from './reminder.ts';

const INTERVAL = { daysBefore: 30, repeatDays: 7 };
const DUE = '2026-06-30';

describe('dates of an expiry reminder with a number of days in advance and a repeat interval', () => {
  it.each([
    ['a day too early', null, '2026-05-30', false],
    ['exactly the number of days before', null, '2026-05-31', true],
    ['on the due date', null, '2026-06-30', true],
    ['long after the due date without an earlier reminder', null, '2027-06-30', true],
    ['if a reminder was already sent today', '2026-06-01', '2026-06-01', false],
    ['a day before the interval is over', '2026-06-01', '2026-06-07', false],
    ['when the interval is over', '2026-06-01', '2026-06-08', true],
    ['again while the item is overdue', '2026-07-01', '2026-07-08', true],
    [
      'if the last reminder is in the near future because of a wrong clock',
      '2026-06-05',
      '2026-06-01',
      false,
    ],
    ['if the last reminder is in the far future because of a wrong clock', '2036-06-01', '2026-06-01', true],
  ])('a reminder is sent or not sent correctly: %s', (_name, lastOn, today, reminds) => {
    expect(isToRemind(INTERVAL, DUE, lastOn, today)).toBe(reminds);
  });

  it('a daily check sends a reminder after each interval and on no other day', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 30 }),
        (daysBefore, repeatDays) => {
          const day = (offset: number) =>
            new Date(Date.parse(`${DUE}T00:00:00Z`) + offset * 86_400_000).toISOString().slice(0, 10);
          const sent: number[] = [];
          for (let offset = -90; offset <= 30; offset++) {
            const last = sent.at(-1);
            const lastOn = last === undefined ? null : day(last);
            if (isToRemind({ daysBefore, repeatDays }, DUE, lastOn, day(offset))) sent.push(offset);
          }
          expect(sent[0]).toBe(-daysBefore);
          expect(sent.slice(1).every((at, index) => at - (sent[index] as number) === repeatDays)).toBe(true);
        },
      ),
    );
  });
});

it('days are counted across months, leap days and years', () => {
  expect(daysBetween('2026-12-31', '2027-01-01')).toBe(1);
  expect(daysBetween('2028-02-28', '2028-03-01')).toBe(2);
  expect(daysBetween('2026-06-30', '2026-06-01')).toBe(-29);
});
