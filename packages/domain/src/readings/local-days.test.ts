import fc from 'fast-check';
import { expect, test } from 'vitest';
import { localDayBounds } from './local-days.ts';

const hours = (zone: string, from: string, to: string) => {
  const bounds = localDayBounds(Date.parse(from), Date.parse(to), zone);
  return {
    first: new Date(bounds[0] as number).toISOString(),
    hours: Array.from(bounds.subarray(1), (bound, i) => (bound - (bounds[i] as number)) / 3_600_000),
  };
};

test.each([
  ['UTC', '2026-11-20T05:00Z', '2026-11-21T12:00Z', '2026-11-20T00:00:00.000Z', [24, 24]],
  ['Asia/Shanghai', '2026-11-20T17:00Z', '2026-11-21T10:00Z', '2026-11-20T16:00:00.000Z', [24]],
  ['Asia/Kathmandu', '2026-11-20T12:00Z', '2026-11-20T13:00Z', '2026-11-19T18:15:00.000Z', [24]],
  // The clocks change in both directions.
  ['Europe/Madrid', '2026-03-28T12:00Z', '2026-03-30T12:00Z', '2026-03-27T23:00:00.000Z', [24, 23, 24]],
  ['Europe/Madrid', '2026-10-24T12:00Z', '2026-10-26T12:00Z', '2026-10-23T22:00:00.000Z', [24, 25, 24]],
  ['Australia/Lord_Howe', '2026-04-04T12:00Z', '2026-04-05T12:00Z', '2026-04-03T13:00:00.000Z', [24, 24.5]],
  // Midnight is skipped, or occurs twice.
  ['America/Santiago', '2026-09-05T12:00Z', '2026-09-06T12:00Z', '2026-09-05T04:00:00.000Z', [24, 23]],
  ['America/Havana', '2026-10-31T12:00Z', '2026-11-01T12:00Z', '2026-10-31T04:00:00.000Z', [24, 25]],
  ['America/Sao_Paulo', '2018-02-17T12:00Z', '2018-02-18T12:00Z', '2018-02-17T02:00:00.000Z', [25, 24]],
  // A whole day is skipped.
  ['Pacific/Apia', '2011-12-29T12:00Z', '2011-12-31T12:00Z', '2011-12-29T10:00:00.000Z', [24, 24, 24]],
])('the local days of %s from %s to %s have the right bounds', (zone, from, to, first, expected) => {
  expect(hours(zone, from, to)).toEqual({ first, hours: expected });
});

test('the days cover the window without gaps, and each starts a new date', () => {
  const zones = fc.constantFrom('Europe/Madrid', 'Asia/Beirut', 'America/Asuncion', 'Pacific/Apia', 'UTC');
  const moment = fc.integer({ min: Date.UTC(2008, 0), max: Date.UTC(2030, 0) });
  fc.assert(
    fc.property(zones, moment, fc.integer({ min: 1, max: 20 * 86_400_000 }), (zone, from, length) => {
      const bounds = localDayBounds(from, from + length, zone);
      const date = new Intl.DateTimeFormat('en-CA', { timeZone: zone });
      expect(bounds[0]).toBeLessThanOrEqual(from);
      expect(bounds.at(-1)).toBeGreaterThanOrEqual(from + length);
      for (let i = 1; i < bounds.length; i++) {
        const bound = bounds[i] as number;
        expect(date.format(bound - 1000) < date.format(bound)).toBe(true);
        expect(date.format(bound - 1000)).toBe(date.format(bounds[i - 1]));
      }
    }),
    { numRuns: 50 },
  );
});
