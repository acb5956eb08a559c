import { expect, it } from 'vitest';
import { clockIn } from './local-time.ts';

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
