import { expect, it } from 'vitest';
import { changesOffset, clockIn } from './local-time.ts';

it.each([
  ['UTC', '2026-11-21T08:00:00.000Z', '2026-11-21T08:00:00+00:00'],
  ['Asia/Shanghai', '2026-11-21T18:30:05.900Z', '2026-11-22T02:30:05+08:00'],
  ['America/New_York', '2026-07-01T02:00:00.000Z', '2026-06-30T22:00:00-04:00'],
  ['Asia/Kathmandu', '2026-01-01T00:00:00.000Z', '2026-01-01T05:45:00+05:45'],
])('the local time of %s at %s is correct', (zone, at, wanted) => {
  expect(clockIn(zone)(new Date(at))).toBe(wanted);
});

it('local times follow daylight saving', () => {
  const write = clockIn('Europe/Madrid');
  expect(write(new Date('2026-03-29T00:59:59.000Z'))).toBe('2026-03-29T01:59:59+01:00');
  expect(write(new Date('2026-03-29T01:00:00.000Z'))).toBe('2026-03-29T03:00:00+02:00');
});

it.each<[string, string, string, boolean]>([
  ['Europe/Madrid', '2026-10-25T00:00:00Z', '2026-10-25T01:00:00Z', false],
  ['Europe/Madrid', '2026-10-25T00:00:00Z', '2026-10-25T01:00:01Z', true],
  ['Europe/Madrid', '2026-10-25T00:59:59Z', '2026-10-25T01:00:01Z', true],
  ['Europe/Madrid', '2026-10-25T01:00:00Z', '2026-11-24T00:00:00Z', false],
  ['Europe/Madrid', '2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z', true],
  ['Europe/Madrid', '2026-03-29T00:30:00Z', '2026-03-29T01:30:00Z', true],
  ['America/Santiago', '2026-04-05T02:00:00Z', '2026-04-05T04:00:00Z', true],
  ['Australia/Lord_Howe', '2026-04-04T14:00:00Z', '2026-04-04T16:00:00Z', true],
  // Forwards and back within a month: the first and the last offset are the same.
  ['Africa/Casablanca', '2026-02-10T00:00:00Z', '2026-03-25T00:00:00Z', true],
  ['Asia/Shanghai', '2026-01-01T00:00:00Z', '2026-12-31T00:00:00Z', false],
  ['UTC', '2026-01-01T00:00:00Z', '2026-12-31T00:00:00Z', false],
  ['Europe/Madrid', '2026-10-25T00:00:00Z', '2026-10-25T00:00:00Z', false],
])('whether the clock of %s changes from %s to %s is %s', (zone, from, to, changes) => {
  expect(changesOffset(zone, Date.parse(from), Date.parse(to))).toBe(changes);
});
