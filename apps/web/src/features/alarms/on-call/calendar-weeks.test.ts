import { expect, it } from 'vitest';
import { weeksOf } from './calendar-weeks.ts';

const HOUR = 3_600_000;

it.each([
  ['2026-11-23T00:00+08:00', 'Asia/Shanghai', 0, '2026-11-23T00:00+08:00'],
  ['2026-11-29T23:59+08:00', 'Asia/Shanghai', 0, '2026-11-23T00:00+08:00'],
  ['2026-11-29T23:59+08:00', 'Asia/Shanghai', -4, '2026-10-26T00:00+08:00'],
  ['2026-03-29T23:30+02:00', 'Europe/Berlin', 0, '2026-03-23T00:00+01:00'],
  ['2026-11-01T00:30-04:00', 'America/New_York', 0, '2026-10-26T00:00-04:00'],
])('the week of %s in %s, moved by %i weeks, starts at %s', (now, zone, offset, monday) => {
  expect(weeksOf(Date.parse(now), zone, 4, offset)[0]?.[0]).toBe(Date.parse(monday));
});

it('weeks meet, and a day on which clocks change has 23 or 25 hours', () => {
  const weeks = weeksOf(Date.parse('2026-03-25T12:00Z'), 'Europe/Berlin', 4);
  expect(weeks).toHaveLength(4);
  for (const [at, days] of weeks.entries()) {
    expect(days).toHaveLength(8);
    if (at > 0) expect(days[0]).toBe(weeks[at - 1]?.[7]);
  }
  const sunday = weeks[0]?.slice(6) as number[];
  expect((sunday[1] as number) - (sunday[0] as number)).toBe(23 * HOUR);
});
