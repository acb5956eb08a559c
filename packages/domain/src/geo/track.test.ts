import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distanceM, type Place } from './geo.ts';
import {
  continueTrack,
  type Fix,
  GAP_MS,
  judgeTrack,
  SPEEDING_MS,
  STILL_MS,
  STOP_MS,
  speedOf,
  startTrack,
  TRIP_M,
  type Track,
  trackSoFar,
} from './track.ts';
import { faultsOf, isFix, newestPlace } from './track-faults.ts';

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
});

describe('trips', () => {
  const still = (from: number, minutes: number, latitude: number) =>
    Array.from({ length: minutes }, (_, step) => fix(from + step, latitude, 121));

  it('a trip leads from one stop to the next, with its distance, duration and highest speed', () => {
    const fixes = [...still(0, 6, 31), ...drive(6, 10, 31.01), ...still(16, 10, 31.1)];
    const { trips, stops, distanceM: whole } = judgeTrack(fixes);
    expect(stops.map(({ from, to }) => (to - from) / MINUTE)).toEqual([5, 10]);
    expect(trips).toMatchObject([{ from: 5 * MINUTE, to: 15 * MINUTE }]);
    expect(trips[0]?.distanceM).toBeCloseTo(11_119.5, 0);
    expect(trips[0]?.maxSpeedKmh).toBeCloseTo(66.7, 1);
    expect(whole).toBe(trips[0]?.distanceM);
  });

  it('a short halt is part of a trip, a gap ends it', () => {
    const fixes = [...drive(0, 5), fix(5, 31.04, 121), ...drive(6, 5, 31.05), ...drive(31, 5, 31.2)];
    const { trips, lines } = judgeTrack(fixes);
    expect(trips.map(({ from, to }) => [from / MINUTE, to / MINUTE])).toEqual([
      [0, 10],
      [31, 35],
    ]);
    expect(lines).toHaveLength(2);
  });

  it('a movement in the yard is no trip', () => {
    const fixes = [...still(0, 6, 31), fix(6, 31.001, 121), ...still(7, 6, 31.001)];
    expect(judgeTrack(fixes)).toMatchObject({
      trips: [],
      stops: [
        { from: 0, to: 5 * MINUTE },
        { from: 6 * MINUTE, to: 12 * MINUTE },
      ],
    });
  });

  it('the speed that the receiver reports counts more than that of the way, and positions close in time give none', () => {
    const told = drive(0, 5).map((each, n) => ({ ...each, speedKmh: n === 2 ? 95 : 60 }));
    expect(judgeTrack(told).trips[0]?.maxSpeedKmh).toBe(95);
    const dense = Array.from({ length: 120 }, (_, second) => fix(second / 60, 31 + second / 5_000, 121));
    expect(judgeTrack(dense).trips).toMatchObject([{ maxSpeedKmh: null }]);
  });

  it('a reported speed that no vehicle has counts as unknown', () => {
    const wrong = drive(0, 5).map((each, n) => ({ ...each, speedKmh: n === 2 ? 1_500 : 60 }));
    expect(judgeTrack(wrong).trips[0]?.maxSpeedKmh).toBeCloseTo(66.7, 1);
    const first = drive(0, 5).map((each, n) => ({ ...each, speedKmh: n === 0 ? 251 : 60 }));
    expect(judgeTrack(first).trips).toMatchObject([{ maxSpeedKmh: 60 }]);
    const [one, next] = drive(0, 2) as [Fix, Fix];
    expect(speedOf({ ...next, speedKmh: 250 }, one)).toBe(250);
    expect(speedOf({ ...next, speedKmh: 251 }, one)).toBeCloseTo(66.7, 1);
  });
});

describe('speeding', () => {
  const at = (second: number, speedKmh: number | null): Fix => ({
    ...fix(second / 60, 31 + second / 4_000, 121),
    speedKmh,
  });
  const speeds = (...all: (number | null)[]) => all.map((speed, n) => at(n * 15, speed));
  const found = (fixes: readonly Fix[], speedKmh: number | null = 100) =>
    judgeTrack(fixes, { speedKmh }).speedings.map((each) => [
      each.from / 1_000,
      each.to / 1_000,
      each.maxSpeedKmh,
    ]);

  it.each<[string, Fix[], number[][]]>([
    ['nobody is faster', speeds(99, 100, 100, 100), []],
    ['for a moment', speeds(90, 130, 130, 90), []],
    ['long enough', speeds(90, 120, 130, 110, 100, 90), [[15, 45, 130]]],
    ['until the end', speeds(90, 120, 130, 110), [[15, 45, 130]]],
    [
      'twice',
      speeds(120, 120, 120, 90, 101, 102, 101),
      [
        [0, 30, 120],
        [60, 90, 102],
      ],
    ],
    ['a gap ends it', [...speeds(120, 120), at(3_600, 120), at(3_615, 120)], []],
    [
      'by the way, if the receiver reports no speed',
      speeds(null, null, null, null).map((each, n) => ({ ...each, latitude: 31 + n / 200 })),
      [[15, 45, expect.closeTo(133.4, 1)]],
    ],
    [
      'a reported speed that no vehicle has',
      speeds(90, 1_999, 1_999, 1_999, 90).map((each, n) => ({ ...each, latitude: 31 + n / 400 })),
      [],
    ],
    [
      'a receiver that reports none and sends each second',
      Array.from({ length: 90 }, (_, n) => at(n, null)),
      [],
    ],
  ])('%s', (_, fixes, expected) => {
    expect(found(fixes)).toEqual(expected);
  });

  it('without a limit there is none, and the place and distance of one are known', () => {
    expect(found(speeds(120, 120, 120, 120), null)).toEqual([]);
    const [one] = judgeTrack(speeds(90, 120, 120, 120), { speedKmh: 100 }).speedings;
    expect(one).toMatchObject({ latitude: 31 + 15 / 4_000, longitude: 121 });
    expect(one?.distanceM).toBeCloseTo(2 * 417, 0);
    expect(SPEEDING_MS).toBe(30_000);
  });
});

describe('places where degrees are unusual', () => {
  /** A way of one position a minute, about 1.1 km apart, in the direction of each step. */
  const way = (places: readonly [number, number][]) =>
    places.map(([latitude, longitude], minute) => fix(minute, latitude, longitude));
  const lengthOf = (places: readonly Fix[]) =>
    places.slice(1).reduce((total, each, n) => total + distanceM(places[n] as Place, each), 0);

  it('a track over the antimeridian is one line of the true length', () => {
    const fixes = way(
      Array.from({ length: 20 }, (_, n) => [10, n < 10 ? 179.9 + n / 100 : -180 + (n - 10) / 100]),
    );
    const track = judgeTrack(fixes);
    expect(track).toMatchObject({
      lines: [fixes.map((_, n) => n)],
      stops: [],
      trips: [{ from: 0, to: 19 * MINUTE }],
    });
    expect(track.faults.every((fault) => fault === null)).toBe(true);
    expect(track.distanceM).toBeCloseTo(19 * 1_095.1, -1);
  });

  it('a vehicle that stands on the antimeridian stands', () => {
    const fixes = Array.from({ length: 10 }, (_, n) => fix(n, 10, n % 2 ? 179.9999 : -179.9999));
    expect(judgeTrack(fixes)).toMatchObject({ stops: [{ first: 0, last: 9 }], trips: [], distanceM: 0 });
  });

  it('a jump over the antimeridian is a jump', () => {
    const fixes = way([
      [10, 179.9],
      [10, 179.91],
      [10, -175],
      [10, 179.93],
      [10, 179.94],
    ]);
    expect(judgeTrack(fixes).faults).toEqual([null, null, 'jump', null, null]);
  });

  it.each([1, -1])('a track over the pole (%s) is one line, though its longitude turns by half', (side) => {
    const fixes = way(
      Array.from({ length: 21 }, (_, n) => [side * (90 - Math.abs(n - 10) / 100), n < 10 ? 30 : -150]),
    );
    const track = judgeTrack(fixes);
    expect(track).toMatchObject({ lines: [fixes.map((_, n) => n)], stops: [] });
    expect(track.distanceM).toBeCloseTo(20 * 1_112, -2);
    expect(track.distanceM).toBeCloseTo(lengthOf(fixes), 6);
  });

  it.each([1, -1])('at the pole (%s), any longitude is the same place', (side) => {
    const fixes = Array.from({ length: 10 }, (_, n) => fix(n, side * 90, n * 36 - 180));
    expect(judgeTrack(fixes)).toMatchObject({ stops: [{ first: 0, last: 9 }], distanceM: 0 });
  });
});

describe('any route', () => {
  const step = fc.record({
    seconds: fc.oneof(fc.constantFrom(1, 10, 30, 60, 60, 60), fc.integer({ min: 1, max: 720 })),
    north: fc.integer({ min: -3, max: 3 }),
    east: fc.integer({ min: -3, max: 3 }),
    metres: fc.constantFrom(5, 40, 100, 600),
    fault: fc.constantFrom(null, null, null, null, null, null, null, null, 'no-fix', 'jump', 'carried'),
    speedKmh: fc.option(fc.oneof(fc.integer({ min: 0, max: 160 }), fc.constant(1_500))),
  });
  type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
  /** A route from this place: to the north and east, over the antimeridian and near the pole. */
  const fixesFrom = (start: Place, all: readonly Step[]): Fix[] => {
    let at = 0;
    let { latitude, longitude } = start;
    return all.map(({ seconds, north, east, metres, fault, speedKmh }) => {
      at += seconds * 1_000;
      latitude += (north * metres) / 111_195 + (fault === 'carried' ? -5 : 0);
      longitude += (east * metres) / (111_195 * Math.cos((latitude * Math.PI) / 180));
      longitude = ((((longitude + 180) % 360) + 360) % 360) - 180;
      if (fault === 'no-fix') return { at, latitude: 0, longitude: 0, speedKmh: null };
      return { at, latitude: fault === 'jump' ? latitude - 20 : latitude, longitude, speedKmh };
    });
  };
  const start = fc.record({
    latitude: fc.constantFrom(-33, 0.01, 31, 60, 84),
    longitude: fc.constantFrom(-179.999, -70, 0, 121, 179.999),
  });
  const routes = fc
    .tuple(start, fc.array(step, { minLength: 1, maxLength: 120 }))
    .map(([from, all]) => fixesFrom(from, all));
  const limits = fc.option(fc.integer({ min: 30, max: 130 })).map((speedKmh) => ({ speedKmh }));

  it('a track that is fed in pieces is the same as at once, also before its end', () => {
    fc.assert(
      fc.property(routes, fc.array(fc.nat(119), { maxLength: 10 }), limits, (fixes, cuts, limit) => {
        const ends = [...new Set([...cuts.map((cut) => Math.min(cut, fixes.length)), fixes.length])].sort(
          (a, b) => a - b,
        );
        let [state, begin] = [startTrack(limit), 0];
        for (const end of ends) {
          const before = structuredClone(state);
          const next = continueTrack(state, fixes.slice(begin, end));
          expect(state).toEqual(before);
          [state, begin] = [next, end];
          expect(trackSoFar(state)).toEqual(judgeTrack(fixes.slice(0, end), limit));
        }
      }),
    );
  });

  it('a longer range gives the same, apart from what the ends of the shorter range cut', () => {
    fc.assert(
      fc.property(routes, fc.nat(40), fc.nat(40), limits, (fixes, cutBefore, cutAfter, limit) => {
        const part = fixes.slice(cutBefore, Math.max(cutBefore, fixes.length - cutAfter));
        // What the ends cut: whether one of the first or last two positions with a fix is a jump depends on positions outside,
        // and whether the vehicle stood long enough for a stop.
        const whole = judgeTrack(fixes, limit);
        const known = part.filter(isFix);
        const isDrawn = (each: Fix) => whole.faults[fixes.indexOf(each)] === null;
        const from = (known.slice(2).find(isDrawn)?.at ?? Infinity) + STOP_MS;
        const to = (known.slice(0, -2).findLast(isDrawn)?.at ?? -Infinity) - STOP_MS - STILL_MS;
        const inside = <T extends { from: number; to: number }>(items: readonly T[]) =>
          items.filter((each) => each.from > from && each.to < to);
        const of = ({ stops, trips, speedings }: Track) => ({
          stops: inside(stops).map(({ first: _, last: __, ...stop }) => stop),
          trips: inside(trips),
          speedings: inside(speedings),
        });
        expect(of(judgeTrack(part, limit))).toEqual(of(whole));
      }),
    );
  });

  it('stops and trips take turns, and the trips are not longer than the whole way', () => {
    fc.assert(
      fc.property(routes, limits, (fixes, limit) => {
        const { stops, trips, speedings, distanceM: whole, lines, faults } = judgeTrack(fixes, limit);
        const inOrder = [...stops, ...trips].sort((one, other) => one.from - other.from || one.to - other.to);
        for (const [n, each] of inOrder.entries())
          expect(each.from).toBeGreaterThanOrEqual(inOrder[n - 1]?.to ?? 0);
        for (const { from, to } of stops) expect(to - from).toBeGreaterThanOrEqual(STOP_MS);
        for (const trip of trips) expect(trip.distanceM).toBeGreaterThanOrEqual(TRIP_M);
        for (const { maxSpeedKmh } of speedings)
          expect(maxSpeedKmh).toBeGreaterThan(limit.speedKmh ?? Infinity);
        expect(trips.reduce((total, trip) => total + trip.distanceM, 0)).toBeLessThanOrEqual(
          whole * (1 + 1e-9),
        );
        expect(lines.flat()).toEqual([...faults.keys()].filter((index) => faults[index] === null));
        expect(faults).toEqual(faultsOf(fixes));
      }),
    );
  });
});

describe('the place of a live map', () => {
  it.each<[string, Fix[], number | null]>([
    ['no position', [], null],
    ['no fix', [fix(0, 0, 0)], null],
    ['the newest', drive(0, 3), 2],
    ['one jump does not move it', [...drive(0, 3), fix(3, 45, 9)], 2],
    ['back after a jump', [...drive(0, 3), fix(3, 45, 9), fix(4, 31.04, 121)], 4],
    ['another place that persists', [...drive(0, 3), fix(3, 45, 9), fix(4, 45, 9)], 4],
    ['two jumps to different places', [...drive(0, 3), fix(3, 45, 9), fix(4, -20, 50)], 2],
    ['a receiver that lost its fix', [...drive(0, 3), fix(3, 0, 0)], 2],
  ])('%s', (_, fixes, minute) => {
    expect(newestPlace(fixes)?.at ?? null).toBe(minute === null ? null : minute * MINUTE);
  });
});
