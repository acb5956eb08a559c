import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FactDay, factsOf } from '../readings/day-facts.ts';
import { type Series, sliceSeries } from '../readings/series.ts';
import { type ComplianceInput, createComplianceStatistics, type Exposure } from './compliance-statistics.ts';
import { type LimitVersion, limitSpans } from './record-statistics.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const FOREVER = Number.POSITIVE_INFINITY;

const limits = (low: number, high: number, from = 0, until = FOREVER): LimitVersion[] => [
  { kind: 'low', limit: low, from, until },
  { kind: 'high', limit: high, from, until },
];
const input = (to: number, more: Partial<ComplianceInput> = {}): ComplianceInput => ({
  from: 0,
  to,
  expectedFrom: 0,
  gapAllowanceMs: 10 * MINUTE,
  spans: limitSpans(limits(2, 8), 0, to),
  exposures: [],
  permittedMs: 30 * MINUTE,
  windowDays: 1,
  periods: [0],
  ...more,
});

/** A reading every five minutes of each value, for a number of hours. */
function steady(...parts: [hours: number, value: number][]): Series {
  const value = parts.flatMap(([hours, value]) => new Array<number>(hours * 12).fill(value));
  return { at: Float64Array.from(value, (_, index) => index * 5 * MINUTE), value: Float64Array.from(value) };
}

function ofReadings(own: ComplianceInput, series: Series) {
  const statistics = createComplianceStatistics(own);
  statistics.addReadings(series);
  return statistics.finish();
}

/** Gives each day as facts, if they are enough. */
function ofDays(own: ComplianceInput, series: Series) {
  const statistics = createComplianceStatistics(own);
  let days = 0;
  for (let day = 0; day * DAY < own.to; day++) {
    const readings = sliceSeries(series, day * DAY, (day + 1) * DAY);
    const count = readings.at.length;
    if (count === 0) continue;
    const facts: FactDay = {
      day,
      count,
      firstAt: readings.at[0] as number,
      lastAt: readings.at[count - 1] as number,
      lastValue: readings.value[count - 1] as number,
      min: Math.min(...readings.value),
      max: Math.max(...readings.value),
      ...factsOf(readings, own.gapAllowanceMs),
    };
    const isWhole = own.from <= day * DAY && (day + 1) * DAY <= own.to;
    if (!isWhole || statistics.needsReadings(facts)) statistics.addReadings(readings);
    else {
      statistics.addDay(facts);
      days++;
    }
  }
  return { result: statistics.finish(), days };
}

describe('mean kinetic temperature (vectors of USP <1079.2>, §c of field.md)', () => {
  it.each<[string, [number, number][], number, number]>([
    ['constant 5 °C', [[24, 5]], 1, 5],
    [
      '23 h at 5 °C and 1 h at 15 °C',
      [
        [23, 5],
        [1, 15],
      ],
      1,
      5.7635,
    ],
    [
      '18 h at 5 °C and 6 h at 14 °C',
      [
        [18, 5],
        [6, 14],
      ],
      1,
      8.2852,
    ],
    [
      '29 d at 25 °C and 1 d at 40 °C',
      [
        [29 * 24, 25],
        [24, 40],
      ],
      30,
      26.113,
    ],
    [
      '29 d at 22 °C and 1 d at 40 °C',
      [
        [29 * 24, 22],
        [24, 40],
      ],
      30,
      23.5996,
    ],
  ])('%s', (_case, parts, windowDays, expected) => {
    const series = steady(...parts);
    const to = series.at.length * 5 * MINUTE;
    const own = input(to, { windowDays, spans: limitSpans([], 0, to) });
    for (const result of [ofReadings(own, series), ofDays(own, series).result]) {
      expect(result?.meanKinetic).toBeCloseTo(expected, 3);
      expect(result?.worstWindow).toEqual({
        celsius: expect.closeTo(expected, 3),
        from: 0,
        to,
        coveredMs: to,
      });
    }
  });

  it('the worst window is found among all, and is cut by the range', () => {
    const series = steady([48, 5], [24, 9], [24, 5]);
    const result = ofReadings(input(4 * DAY), series);
    expect(result?.worstWindow).toMatchObject({ from: 2 * DAY, to: 3 * DAY });
    const cut = ofReadings(
      input(2.5 * DAY, { from: 1.5 * DAY, windowDays: 30 }),
      sliceSeries(series, 1.5 * DAY, 2.5 * DAY),
    );
    expect(cut?.worstWindow).toMatchObject({ from: 1.5 * DAY, to: 2.5 * DAY, coveredMs: DAY });
  });
});

describe('time outside limits', () => {
  it('is counted by band on both sides, with the limits of its time', () => {
    const series = steady([20, 5], [1, 9], [1, 11], [1, 13.5], [1, -4]);
    expect(ofReadings(input(DAY), series)).toMatchObject({
      min: -4,
      max: 13.5,
      coveredMs: DAY,
      expectedMs: DAY,
      limitedMs: DAY,
      belowMs: [0, 0, HOUR],
      aboveMs: [HOUR, HOUR, HOUR],
      longestGapMs: 5 * MINUTE,
      gapDays: 0,
    });
    const late = input(DAY, { spans: limitSpans(limits(2, 8, 21.5 * HOUR), 0, DAY) });
    expect(ofReadings(late, series)).toMatchObject({
      limitedMs: 2.5 * HOUR,
      aboveMs: [0, 0.5 * HOUR, HOUR],
    });
  });

  it('is divided into periods', () => {
    const series = steady([24, 5], [12, 9], [12, 5]);
    const result = ofReadings(input(3 * DAY, { periods: [0, DAY, 2 * DAY] }), series);
    expect(result?.periods).toEqual([
      { expectedMs: DAY, coveredMs: DAY, limitedMs: DAY, outsideMs: 0 },
      { expectedMs: DAY, coveredMs: DAY - 5 * MINUTE, limitedMs: DAY - 5 * MINUTE, outsideMs: 12 * HOUR },
      { expectedMs: DAY, coveredMs: 0, limitedMs: 0, outsideMs: 0 },
    ]);
    const newer = ofReadings(
      input(3 * DAY, { expectedFrom: 1.5 * DAY, periods: [0, DAY] }),
      sliceSeries(series, 1.75 * DAY, 2 * DAY),
    );
    expect(newer?.periods.map(({ expectedMs }) => expectedMs)).toEqual([0, 1.5 * DAY]);
  });

  it('a day is read in full if it was outside, exposed, or limits came or went', () => {
    const day: FactDay = {
      day: 0,
      count: 2,
      firstAt: 0,
      lastAt: DAY - 1,
      lastValue: 5,
      min: 2,
      max: 8,
      coveredMs: DAY,
      longestMs: MINUTE,
      kinetic: 0,
    };
    const needs = (more: Partial<FactDay>, own: Partial<ComplianceInput> = {}) =>
      createComplianceStatistics(input(2 * DAY, own)).needsReadings({ ...day, ...more });
    expect(needs({})).toBe(false);
    expect(needs({ max: 8.1 })).toBe(true);
    expect(needs({ min: 1.9 })).toBe(true);
    expect(needs({ max: 50 }, { spans: limitSpans([], 0, DAY) })).toBe(false);
    expect(needs({}, { spans: limitSpans(limits(2, 8, HOUR), 0, DAY) })).toBe(true);
    // Limits that were only tightened while everything was inside change nothing.
    const tightened = [...limits(0, 10), ...limits(2, 8, HOUR)];
    expect(needs({}, { spans: limitSpans(tightened, 0, DAY) })).toBe(false);
    const exposure: Exposure = { side: 'above', celsius: 8, isTotal: false, ms: HOUR };
    expect(needs({}, { exposures: [exposure] })).toBe(true);
    expect(needs({ max: 7.9 }, { exposures: [exposure] })).toBe(false);
    expect(needs({}, { exposures: [{ ...exposure, side: 'below', celsius: 2 }] })).toBe(true);
  });
});

describe('exposures', () => {
  const exposures: Exposure[] = [
    { side: 'above', celsius: 10, isTotal: false, ms: HOUR },
    { side: 'above', celsius: 10, isTotal: true, ms: HOUR },
    { side: 'below', celsius: -0.5, isTotal: false, ms: HOUR },
  ];
  it('the longest stretch or the total counts, and the value itself is exposed', () => {
    const series = steady([1, 10], [1, 5], [2, 12], [1, -0.5]);
    expect(ofReadings(input(5 * HOUR, { exposures }), series)?.exposureMs).toEqual([
      2 * HOUR,
      3 * HOUR,
      HOUR,
    ]);
  });

  it('a gap ends a stretch', () => {
    const whole = steady([4, 12]);
    const kept = [...whole.at.keys()].filter((index) => index < 12 || index >= 24);
    const series = {
      at: Float64Array.from(kept, (index) => whole.at[index] as number),
      value: Float64Array.from(kept, (index) => whole.value[index] as number),
    };
    const result = ofReadings(input(4 * HOUR, { exposures }), series);
    // The last reading before the gap does not count for it.
    expect(result?.exposureMs).toEqual([2 * HOUR, 3 * HOUR - 5 * MINUTE, 0]);
    expect(result).toMatchObject({
      longestGapMs: HOUR + 5 * MINUTE,
      gapDays: 1,
      coveredMs: 3 * HOUR - 5 * MINUTE,
    });
  });
});

describe('gaps', () => {
  it('count from the beginning of the range, or from when readings are expected, up to its end', () => {
    const late = { at: Float64Array.of(3 * DAY), value: Float64Array.of(5) };
    expect(ofReadings(input(5 * DAY), late)).toMatchObject({
      longestGapMs: 3 * DAY,
      gapDays: 5,
      expectedMs: 5 * DAY,
      meanKinetic: null,
      worstWindow: null,
    });
    expect(ofReadings(input(5 * DAY, { expectedFrom: 3 * DAY - HOUR }), late)).toMatchObject({
      longestGapMs: 2 * DAY,
      gapDays: 3,
      expectedMs: 2 * DAY + HOUR,
    });
    // A reading before a channel is expected counts.
    expect(ofReadings(input(5 * DAY, { expectedFrom: 4 * DAY, permittedMs: null }), late)).toMatchObject({
      gapDays: 0,
      expectedMs: 2 * DAY,
    });
  });

  it('a reading after the end of the range adds no time, and periods after it are empty', () => {
    const series = {
      at: Float64Array.of(DAY - 4 * MINUTE, DAY - MINUTE, DAY + MINUTE),
      value: Float64Array.of(5, 5, 5),
    };
    const result = ofReadings(input(DAY, { expectedFrom: DAY - 4 * MINUTE, periods: [0, 2 * DAY] }), series);
    expect(result).toMatchObject({ count: 3, coveredMs: 5 * MINUTE });
    expect(result?.periods[1]).toEqual({ expectedMs: 0, coveredMs: 0, limitedMs: 0, outsideMs: 0 });
  });

  it('a channel without readings has no statistics', () => {
    expect(createComplianceStatistics(input(DAY)).finish()).toBeNull();
  });
});

it('facts of days give the same result as their readings', () => {
  const reading = fc.tuple(fc.integer({ min: 0, max: 6 * 288 - 1 }), fc.integer({ min: -10, max: 150 }));
  const calm = fc.tuple(fc.integer({ min: 0, max: 6 * 288 - 1 }), fc.integer({ min: 20, max: 80 }));
  const range = fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 40, max: 144 }));
  let shared = 0;
  fc.assert(
    fc.property(
      fc.tuple(fc.array(reading, { maxLength: 20 }), fc.array(calm, { maxLength: 1500 })),
      range,
      fc.integer({ min: 0, max: 144 }),
      fc.integer({ min: 1, max: 7 }),
      ([wild, quiet], [fromHour, toHour], changedHour, windowDays) => {
        const values = new Map([...quiet, ...wild]);
        const minutes = [...values.keys()].sort((a, b) => a - b);
        const [from, to] = [fromHour * HOUR, toHour * HOUR];
        const series = sliceSeries(
          {
            at: Float64Array.from(minutes, (slot) => slot * 5 * MINUTE + (slot % 7)),
            value: Float64Array.from(minutes, (slot) => (values.get(slot) as number) / 10),
          },
          from,
          to,
        );
        const own: ComplianceInput = {
          from,
          to,
          expectedFrom: 0,
          gapAllowanceMs: 25 * MINUTE,
          spans: limitSpans(
            [...limits(2, 8, 0, changedHour * HOUR), ...limits(1.5, 9, changedHour * HOUR)],
            from,
            to,
          ),
          exposures: [
            { side: 'above', celsius: 9.5, isTotal: true, ms: HOUR },
            { side: 'below', celsius: 1, isTotal: false, ms: HOUR },
          ],
          permittedMs: 60 * MINUTE,
          windowDays,
          periods: [from, ...[2 * DAY, 3 * DAY].filter((at) => at > from && at < to)],
        };
        const expected = ofReadings(own, series);
        const { result, days } = ofDays(own, series);
        shared += days;
        if (expected === null || result === null) {
          expect(result).toEqual(expected);
          return;
        }
        const { meanKinetic, worstWindow, ...exact } = expected;
        expect(result).toMatchObject(exact);
        if (meanKinetic === null) {
          expect(result.meanKinetic).toBeNull();
          return;
        }
        expect(result.meanKinetic).toBeCloseTo(meanKinetic, 9);
        expect(result.worstWindow?.celsius).toBeCloseTo(worstWindow?.celsius ?? Number.NaN, 9);
      },
    ),
  );
  expect(shared).toBeGreaterThan(0);
});
