import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type QuietHours, quietUntil, respectsQuietHours } from './quiet-hours.ts';

const at = (text: string) => Date.parse(text);
const WEEK = [1, 2, 3, 4, 5, 6, 7];
const NIGHTS: QuietHours = { days: WEEK, from: '22:00', until: '07:00' };
// 2026-06-01 is a Monday.
const MONDAY_NIGHT: QuietHours = { days: [1], from: '22:00', until: '07:00' };

test.each<[string, QuietHours | null, string, string, string | null]>([
  ['no quiet hours', null, 'UTC', '2026-06-01T23:00Z', null],
  ['before they begin', NIGHTS, 'UTC', '2026-06-01T21:59Z', null],
  ['from their first minute', NIGHTS, 'UTC', '2026-06-01T22:00Z', '2026-06-02T07:00Z'],
  ['after midnight', NIGHTS, 'UTC', '2026-06-02T03:00Z', '2026-06-02T07:00Z'],
  ['not at their end', NIGHTS, 'UTC', '2026-06-02T07:00Z', null],
  ['in the zone of the recipient', NIGHTS, 'Asia/Shanghai', '2026-06-01T15:00Z', '2026-06-01T23:00Z'],
  ['on a weekday on which they begin', MONDAY_NIGHT, 'UTC', '2026-06-02T03:00Z', '2026-06-02T07:00Z'],
  ['on another weekday', MONDAY_NIGHT, 'UTC', '2026-06-02T23:00Z', null],
  [
    'on a Sunday',
    { days: [7], from: '00:00', until: '12:00' },
    'UTC',
    '2026-06-07T11:00Z',
    '2026-06-07T12:00Z',
  ],
  [
    'during the day',
    { days: WEEK, from: '12:00', until: '13:30' },
    'UTC',
    '2026-06-03T13:29Z',
    '2026-06-03T13:30Z',
  ],
  [
    'a whole day',
    { days: [3], from: '00:00', until: '00:00' },
    'UTC',
    '2026-06-03T18:00Z',
    '2026-06-04T00:00Z',
  ],
])('%s', (_title, hours, zone, now, expected) => {
  expect(quietUntil(hours, zone, at(now))).toBe(expected === null ? null : at(expected));
});

test('quiet hours end within a day, and their end is not quiet unless the next ones begin', () => {
  const minute = fc.integer({ min: 0, max: 1439 });
  const time = minute.map(
    (all) => `${String(Math.floor(all / 60)).padStart(2, '0')}:${String(all % 60).padStart(2, '0')}`,
  );
  fc.assert(
    fc.property(
      fc.record({
        days: fc.uniqueArray(fc.constantFrom(...WEEK), { minLength: 1 }),
        from: time,
        until: time,
      }),
      fc.integer({ min: at('2026-06-01T00:00Z'), max: at('2026-06-30T00:00Z') }),
      (hours, now) => {
        const end = quietUntil(hours, 'America/Bogota', now);
        if (end === null) return;
        expect(end).toBeGreaterThan(now);
        expect(end - now).toBeLessThanOrEqual(86_400_000);
        if (hours.from !== hours.until) expect(quietUntil(hours, 'America/Bogota', end)).toBeNull();
      },
    ),
  );
});

test.each([
  [1, true],
  [4, true],
  [5, false],
])('level %i respects quiet hours: %s', (level, expected) => {
  expect(respectsQuietHours(level)).toBe(expected);
});
