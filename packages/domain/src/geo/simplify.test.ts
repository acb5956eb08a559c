import fc from 'fast-check';
import { expect, it } from 'vitest';
import { distanceM, type Place } from './geo.ts';
import { positionAt } from './position-at.ts';
import { simplifyLine } from './simplify.ts';
import { type Fix, judgeTrack } from './track.ts';

const MINUTE = 60_000;
const fix = (minute: number, latitude: number, longitude = 121, speedKmh: number | null = null): Fix => ({
  at: minute * MINUTE,
  latitude,
  longitude,
  speedKmh,
});
const all = (fixes: readonly Fix[]) => fixes.map((_, index) => index);

it.each<[string, Fix[], number, number[]]>([
  ['no position', [], 50, []],
  ['a single one', [fix(0, 31)], 50, [0]],
  ['two', [fix(0, 31), fix(1, 32)], 50, [0, 1]],
  ['at a constant speed: the ends', [0, 1, 2, 3].map((n) => fix(n, 31 + n / 100)), 50, [0, 3]],
  ['without tolerance: all', [0, 1, 2, 3].map((n) => fix(n, 31 + n / 100)), 0, [0, 1, 2, 3]],
  ['a corner stays', [fix(0, 31), fix(1, 31.01), fix(2, 31.01, 121.01)], 50, [0, 1, 2]],
  [
    'a halt on a straight line stays',
    [fix(0, 31), fix(1, 31.01), fix(9, 31.01), fix(10, 31.02)],
    50,
    [0, 1, 2, 3],
  ],
  [
    'a change of speed stays',
    [fix(0, 31, 121, 60), fix(1, 31.01, 121, 60), fix(2, 31.02, 121, 90), fix(3, 31.03, 121, 90)],
    50,
    [0, 2, 3],
  ],
  ['a speed after none is no change', [fix(0, 31), fix(1, 31.01, 121, 60), fix(2, 31.02)], 50, [0, 2]],
  [
    'over the antimeridian to the west',
    [fix(0, 31, -179.99), fix(1, 31, 180), fix(2, 31, 179.99)],
    50,
    [0, 2],
  ],
  ['over the antimeridian', [fix(0, 31, 179.99), fix(1, 31, -180), fix(2, 31, -179.99)], 50, [0, 2]],
])('%s', (_, fixes, toleranceM, kept) => {
  expect(simplifyLine(fixes, all(fixes), toleranceM)).toEqual(kept);
});

it('at each time, the place on the simplified line is within the tolerance, also near the poles and the antimeridian', () => {
  const step = fc.record({
    minutes: fc.integer({ min: 1, max: 9 }),
    north: fc.integer({ min: -50, max: 50 }),
    east: fc.integer({ min: -50, max: 50 }),
    speedKmh: fc.option(fc.integer({ min: 0, max: 120 })),
  });
  fc.assert(
    fc.property(
      fc.constantFrom(-84, -31, 0, 60, 84),
      fc.constantFrom(-179.99, 0, 121, 179.99),
      fc.array(step, { maxLength: 80 }),
      fc.constantFrom(1, 20, 300, 5_000),
      (south, west, steps, toleranceM) => {
        let [at, latitude, longitude] = [0, south, west];
        const fixes = steps.map(({ minutes, north, east, speedKmh }) => {
          at += minutes;
          latitude += north / 10_000;
          longitude += east / 10_000;
          if (longitude > 180) longitude -= 360;
          if (longitude < -180) longitude += 360;
          return fix(at, latitude, longitude, speedKmh);
        });
        const { lines } = judgeTrack(fixes);
        const kept = lines.map((line) => simplifyLine(fixes, line, toleranceM));
        for (const [place, line] of lines.entries()) {
          expect([kept[place]?.[0], kept[place]?.at(-1)]).toEqual([line[0], line.at(-1)]);
          for (const index of line) {
            const real = fixes[index] as Fix;
            const shown = positionAt(fixes, { lines: [kept[place] as number[]] }, real.at);
            // A degree is a little shorter or longer than that of the sphere of this distance.
            expect(distanceM(real, shown as Place)).toBeLessThanOrEqual(toleranceM * 1.01 + 0.01);
          }
        }
      },
    ),
  );
});

it('a line that nothing can be left out of takes a bounded time', () => {
  const zigzag = Array.from({ length: 44_640 }, (_, n) => fix(n, 31 + n / 10_000, n % 2 === 0 ? 121 : 121.1));
  const began = performance.now();
  expect(simplifyLine(zigzag, all(zigzag), 10)).toHaveLength(44_640);
  expect(performance.now() - began).toBeLessThan(5_000);
});
