import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distanceM } from '../geo/geo.ts';
import { forecastBudget, straightArrival } from './arrival.ts';
import type { ProductLimits } from './product-profile.ts';
import type { BandUse } from './verdict.ts';

const MIN = 60_000;
const HOUR = 60 * MIN;
const NOW = Date.UTC(2026, 10, 26, 8);
const HERE = { latitude: 31, longitude: 121 };
/** About 95 km to the west. */
const THERE = { latitude: 31, longitude: 120 };
const LIMITS: ProductLimits = {
  temperatureLow: 2,
  temperatureHigh: 8,
  humidityLow: null,
  humidityHigh: null,
  budget: [{ low: 8, high: 25, hours: 2 }],
  mktLimit: null,
  activationKj: 83.144,
};
const used = (minutes: number, unbanded = 0): BandUse[] => [
  { low: 8, high: 25, allowedMs: 2 * HOUR, usedMs: minutes * MIN },
  ...(unbanded > 0 ? [{ low: null, high: null, allowedMs: 0, usedMs: unbanded * MIN }] : []),
];
/** Readings of the last hour, one a minute: `now` at the end, changing by `perHour`. */
const readings = (now: number, perHour = 0, count = 60) =>
  Array.from({ length: count }, (_, i) => {
    const minutes = count - 1 - i;
    return [NOW - minutes * MIN, now - (perHour * minutes) / 60] as const;
  });

describe('the arrival by straight lines', () => {
  const straight = distanceM(HERE, THERE);
  it.each<[string, { drivenM: number; straightM: number; ms: number }, number | null]>([
    [
      '60 km/h, with the usual detour at the beginning',
      { drivenM: 6_000, straightM: 5_000, ms: 6 * MIN },
      1.3,
    ],
    ['with the detour of the route so far', { drivenM: 60_000, straightM: 40_000, ms: HOUR }, 1.5],
    ['a round trip is no detour of more than twice', { drivenM: 60_000, straightM: 20_000, ms: HOUR }, 2],
    ['a way is not shorter than the straight line', { drivenM: 60_000, straightM: 61_000, ms: HOUR }, 1],
    ['a vehicle that stands', { drivenM: 100, straightM: 80, ms: HOUR }, null],
    ['no track', { drivenM: 0, straightM: 0, ms: 0 }, null],
  ])('%s', (_, way, detour) => {
    const { distanceM: distance, ms } = straightArrival(HERE, [THERE], way);
    expect(distance).toBe(straight);
    if (detour === null) expect(ms).toBeNull();
    else expect(ms).toBeCloseTo(((straight * detour) / 60_000) * HOUR, -1);
  });

  it('stops before are on the route, and take a quarter of an hour each', () => {
    const way = { drivenM: 60_000, straightM: 60_000, ms: HOUR };
    const direct = straightArrival(HERE, [THERE], way);
    const over = straightArrival(HERE, [HERE, THERE], way);
    expect(over.distanceM).toBe(direct.distanceM);
    expect((over.ms ?? 0) - (direct.ms ?? 0)).toBeCloseTo(15 * MIN, -1);
    expect(straightArrival(HERE, [], way)).toEqual({ distanceM: 0, ms: 0 });
  });
});

describe('whether the budget lasts', () => {
  it.each<[string, [number, number], BandUse[], number, object]>([
    ['steady in range', [5, 0], used(0), 4, { temperatureC: 5, lasts: true, lastsUntil: null }],
    [
      'outside, as long as the budget',
      [10, 0],
      used(60),
      1,
      { temperatureC: 10, lasts: true, lastsUntil: NOW + HOUR },
    ],
    ['outside for longer', [10, 0], used(60), 2, { temperatureC: 10, lasts: false, lastsUntil: NOW + HOUR }],
    ['used up already', [5, 0], used(121), 1, { lasts: false, lastsUntil: NOW }],
    ['without a band already', [5, 0], used(0, 1), 1, { lasts: false, lastsUntil: NOW }],
    ['freezing', [1, 0], used(0), 1, { lasts: false, lastsUntil: NOW }],
    ['warming by 2 °C an hour for two hours', [5, 2], used(0), 5, { temperatureC: 9, lasts: false }],
    ['warming slowly', [5, 1], used(0), 5, { temperatureC: 7, lasts: true, lastsUntil: null }],
    ['cooling into the range', [9, -2], used(0), 3, { temperatureC: 5, lasts: true, lastsUntil: null }],
    ['an arrival after the horizon', [5, 0], used(0), 100, { lasts: true, lastsUntil: null }],
    ['an arrival now', [5, 0], used(0), 0, { temperatureC: 5, lasts: true }],
  ])('%s', (_, [now, perHour], bands, hours, expected) => {
    const forecast = forecastBudget(readings(now, perHour), LIMITS, bands, NOW, NOW + hours * HOUR);
    expect(forecast).toMatchObject(
      'temperatureC' in expected
        ? { ...expected, temperatureC: expect.closeTo(expected.temperatureC as number, 6) }
        : expected,
    );
  });

  it('an arrival between two steps counts the time until then', () => {
    const forecast = forecastBudget(readings(10), LIMITS, used(0), NOW, NOW + 7 * MIN);
    expect(forecast?.bands).toEqual([{ low: 8, high: 25, allowedMs: 2 * HOUR, usedMs: 7 * MIN }]);
  });

  it('temperatures without a band are counted, after those that were', () => {
    const forecast = forecastBudget(readings(30), LIMITS, used(0, 5), NOW, NOW + 10 * MIN);
    expect(forecast?.bands[1]).toEqual({ low: null, high: null, allowedMs: 0, usedMs: 15 * MIN });
  });

  it.each([
    ['none', []],
    ['too few', readings(5, 0, 4)],
    ['too old', readings(5).map(([at, value]) => [at - 2 * HOUR, value] as const)],
  ])('there is no forecast with %s readings', (_, given) => {
    expect(forecastBudget(given, LIMITS, used(0), NOW, NOW + HOUR)).toBeNull();
  });

  it('a later arrival never uses less of the budget', () => {
    const half = fc.integer({ min: 0, max: 40 }).map((value) => value / 2);
    fc.assert(
      fc.property(
        half,
        fc.integer({ min: -4, max: 4 }),
        fc.nat(600),
        fc.nat(600),
        (now, perHour, early, more) => {
          const at = (minutes: number) =>
            forecastBudget(readings(now, perHour), LIMITS, used(0), NOW, NOW + minutes * MIN)?.bands ?? [];
          const total = (bands: readonly BandUse[]) => bands.reduce((sum, { usedMs }) => sum + usedMs, 0);
          expect(total(at(early + more))).toBeGreaterThanOrEqual(total(at(early)));
        },
      ),
    );
  });
});
