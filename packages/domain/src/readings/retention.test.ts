import { expect, it } from 'vitest';
import { retainedFrom } from './retention.ts';
import { DAY_MS } from './sealed-day.ts';

it.each([
  ['2026-11-21T23:59:59Z', 5, '2021-11-21'],
  ['2026-01-01T00:00:00Z', 1, '2025-01-01'],
  // The year has no 29 February, so the following day is used.
  ['2028-02-29T12:00:00Z', 5, '2023-03-01'],
])('at %s with %i years of retention, readings are kept from %s on', (now, years, day) => {
  const from = retainedFrom(Date.parse(now), years) as number;
  expect(new Date(from * DAY_MS).toISOString().slice(0, 10)).toBe(day);
});

it('with 0 years of retention, readings are kept forever', () => {
  expect(retainedFrom(Date.parse('2026-11-21T00:00:00Z'), 0)).toBeNull();
});
