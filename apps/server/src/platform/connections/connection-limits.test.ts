import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Admission, createConnectionLimit, mostConnections, sourceOf } from './connection-limits.ts';

const MOST = 200;

describe('connection limit per address', () => {
  test('unauthenticated connections of one address leave room for other addresses and for authenticated ones', () => {
    const limit = createConnectionLimit({ most: MOST });
    const first = Array.from({ length: 80 }, () => limit.admit('203.0.113.7'));
    expect(first.filter((admission) => admission !== null)).toHaveLength(64);
    expect(limit.admit('198.51.100.1')).not.toBeNull();
    // A hospital has many devices behind one address: authenticated connections no longer count for this
    // address.
    for (const admission of first) admission?.prove();
    expect(limit.admit('203.0.113.7')).not.toBeNull();
  });

  test('unauthenticated connections of many addresses leave half of the total for authenticated ones', () => {
    const limit = createConnectionLimit({ most: MOST });
    const known = Array.from({ length: 30 }, () => limit.admit('192.0.2.1')).filter((one) => one !== null);
    for (const admission of known) admission.prove();
    let admitted = 0;
    for (let network = 0; network < 1_000; network++)
      if (limit.admit(`10.0.${network >> 8}.${network & 255}`)) admitted++;
    expect(admitted).toBe(MOST / 2);
    expect(limit.connections()).toBe(known.length + MOST / 2);
  });

  test('a shared address, such as a trusted proxy, has no limit of its own', () => {
    const limit = createConnectionLimit({ most: MOST, isShared: (address) => address === '127.0.0.1' });
    expect(Array.from({ length: 90 }, () => limit.admit('127.0.0.1')).every(Boolean)).toBe(true);
  });
});

test('with any sequence of admissions, authentications and closes, the limits hold and all counts return to zero', () => {
  const step = fc.record({
    do: fc.constantFrom('admit', 'admit', 'prove', 'release', 'release twice'),
    address: fc.integer({ min: 1, max: 5 }).map((last) => `192.0.2.${last}`),
    which: fc.nat(1_000),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), fc.integer({ min: 1, max: 200 }), (steps, most) => {
      const limit = createConnectionLimit({ most });
      const open: { admission: Admission; address: string; isProven: boolean }[] = [];
      for (const { do: what, address, which } of steps) {
        const chosen = open[which % Math.max(1, open.length)];
        if (what === 'admit') {
          const strangers = open.filter(({ isProven }) => !isProven);
          const mine = strangers.filter((one) => one.address === address);
          const admission = limit.admit(address);
          const hasRoom = open.length < most && strangers.length < Math.ceil(most / 2) && mine.length < 64;
          expect(admission !== null).toBe(hasRoom);
          if (admission) open.push({ admission, address, isProven: false });
        } else if (chosen && what === 'prove') {
          chosen.admission.prove();
          chosen.isProven = true;
        } else if (chosen) {
          chosen.admission.release();
          if (what === 'release twice') chosen.admission.release();
          open.splice(open.indexOf(chosen), 1);
        }
        expect(limit.connections()).toBe(open.length);
      }
      for (const { admission } of open) admission.release();
      expect(limit.connections()).toBe(0);
    }),
  );
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', ''],
])('the source of %s is %s', (address, source) => {
  expect(sourceOf(address)).toBe(source);
});

test("the limit is derived from the process's open files, less a reserve", () => {
  expect(mostConnections(20_000)).toBe(19_488);
  expect(mostConnections(100)).toBe(256);
  expect(mostConnections()).toBeGreaterThanOrEqual(256);
});
