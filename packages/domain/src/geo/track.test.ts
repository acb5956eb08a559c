import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Fix, GAP_MS, judgeTrack, STOP_MS } from './track.ts';

const MINUTE = 60_000;
const fix = (at: number, latitude: number, longitude: number): Fix => ({
  at: at * MINUTE,
  latitude,
  longitude,
  speedKmh: null,
});
/** One position a minute, 1.1 km apart. */
const drive = (from: number, count: number, latitude = 31) =>
  Array.from({ length: count }, (_, step) => fix(from + step, latitude + step / 100, 121));

describe('faults', () => {
  it.each<[string, Fix[], (string | null)[]]>([
    ['no position', [], []],
    ['a single one', [fix(0, 31, 121)], [null]],
    ['a receiver without a fix', [fix(0, 0, 0), fix(1, 31, 121), fix(2, 31, 121)], ['no-fix', null, null]],
    ['one far from both neighbours', [fix(0, 31, 121), fix(1, 45, 9), fix(2, 31, 121)], [null, 'jump', null]],
    ['the first is wrong', [fix(0, 45, 9), fix(1, 31, 121), fix(2, 31, 121)], ['jump', null, null]],
    ['the last is wrong', [fix(0, 31, 121), fix(1, 31, 121), fix(2, 45, 9)], [null, null, 'jump']],
    [
      'carried to another place: both are right',
      [fix(0, 31, 121), fix(1, 31, 121), fix(2, 45, 9), fix(3, 45, 9)],
      [null, null, null, null],
    ],
    ['two that disagree: nobody knows which is wrong', [fix(0, 31, 121), fix(1, 45, 9)], [null, null]],
    ['noise within a short time is no speed', [fix(0, 31, 121), fix(0.001, 31.0005, 121)], [null, null]],
  ])('%s', (_, fixes, faults) => {
    expect(judgeTrack(fixes).faults).toEqual(faults);
  });
});

describe('lines', () => {
  it('a way without positions is not drawn', () => {
    const fixes = [...drive(0, 3), ...drive(3 + GAP_MS / MINUTE, 2, 31.1)];
    expect(judgeTrack(fixes).lines).toEqual([
      [0, 1, 2],
      [3, 4],
    ]);
  });

  it('a line ends where a vehicle was carried', () => {
    expect(judgeTrack([fix(0, 31, 121), fix(1, 31, 121), fix(2, 45, 9), fix(3, 45, 9)]).lines).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });

  it('the distance is that of the way', () => {
    expect(judgeTrack(drive(0, 11)).distanceM).toBeCloseTo(11_119.5, 0);
  });
});

describe('stops', () => {
  const noise = (minute: number) => fix(minute, 31.1 + (minute % 2) / 5000, 121);

  it('a vehicle that stays is a stop, from its first to its last position there', () => {
    const fixes = [
      ...drive(0, 10),
      ...Array.from({ length: 8 }, (_, step) => noise(10 + step)),
      ...drive(18, 5, 31.12),
    ];
    const { stops, distanceM } = judgeTrack(fixes);
    expect(stops).toMatchObject([{ from: 10 * MINUTE, to: 17 * MINUTE, first: 10, last: 17 }]);
    // The noise of the receiver during the stop is not counted: 11.1 km before it, 6.7 km after it.
    expect(distanceM).toBeGreaterThan(17_700);
    expect(distanceM).toBeLessThan(17_800);
  });

  it('a traffic light is no stop', () => {
    const fixes = [...drive(0, 5), noise(5), noise(6), ...drive(7, 5, 31.2)];
    expect(judgeTrack(fixes).stops).toEqual([]);
  });

  it('positions each second are judged over a minute', () => {
    const crawl = Array.from({ length: 600 }, (_, second) => fix(second / 60, 31 + second / 10_000, 121));
    expect(judgeTrack(crawl).stops).toEqual([]);
    const still = Array.from({ length: 600 }, (_, second) =>
      fix(second / 60, 31 + (second % 3) / 50_000, 121),
    );
    expect(judgeTrack(still).stops).toMatchObject([{ first: 0, last: 599 }]);
  });

  it('a longer range gives the same stops, apart from those cut by its ends', () => {
    const step = fc.record({
      minutes: fc.integer({ min: 1, max: 12 }),
      north: fc.integer({ min: -3, max: 3 }),
    });
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 20, maxLength: 120 }),
        fc.nat(30),
        fc.nat(30),
        (steps, cutBefore, cutAfter) => {
          let at = 0;
          let latitude = 31;
          const fixes = steps.map(({ minutes, north }) => {
            at += minutes;
            latitude += north / 2000;
            return fix(at, latitude, 121);
          });
          const part = fixes.slice(cutBefore, fixes.length - cutAfter);
          const [from, to] = [part[0]?.at ?? 0, part.at(-1)?.at ?? 0];
          const inside = ({ from: begin, to: end }: { from: number; to: number }) => begin > from && end < to;
          const timesOf = (all: { from: number; to: number }[]) =>
            all.filter(inside).map(({ from: begin, to: end }) => [begin, end]);
          expect(timesOf(judgeTrack(part).stops)).toEqual(timesOf(judgeTrack(fixes).stops));
          for (const stop of judgeTrack(fixes).stops)
            expect(stop.to - stop.from).toBeGreaterThanOrEqual(STOP_MS);
        },
      ),
    );
  });
});
