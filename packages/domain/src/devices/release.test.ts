import { expect, test } from 'vitest';
import { GRACE_DAYS, isStillDue, releaseAt, releasedBefore } from './release.ts';

const at = (day: string) => Date.parse(`${day}T00:00:00Z`);
const NOW = at('2026-11-26');

test.each([
  ['2026-11-26', '2026-05-26'],
  ['2026-08-31', '2026-02-28'],
  ['2027-01-01', '2026-07-01'],
])('on %s, data of devices that expired until %s are released', (now, before) => {
  expect(releasedBefore(at(now))).toBe(at(before));
});

test('data are deleted a grace period after the notice', () => {
  expect(releaseAt(NOW) - NOW).toBe(GRACE_DAYS * 86_400_000);
});

test.each([
  ['the expiry is the same', at('2026-05-01'), at('2026-05-01'), true],
  ['the device was renewed', at('2026-05-01'), at('2027-05-01'), false],
  ['the device was renewed for a time that is over', at('2025-01-01'), at('2025-07-01'), false],
  ['the device has no expiry any more', at('2026-05-01'), null, false],
  ['the device does not exist any more', at('2026-05-01'), undefined, false],
  ['it is not long enough ago', at('2026-06-01'), at('2026-06-01'), false],
])('a release goes on only while the device is expired: %s', (_, expiredAt, expiresAt, isDue) => {
  expect(isStillDue({ expiredAt, expiresAt, now: NOW })).toBe(isDue);
});
