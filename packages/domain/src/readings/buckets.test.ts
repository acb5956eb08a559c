import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addReadings,
  type Buckets,
  createBuckets,
  createReducer,
  meanOf,
  NO_LIMITS,
  steadyBounds,
  totalOf,
} from './buckets.ts';
import { sealDay, unsealHours } from './sealed-day.ts';
import { mergeSeries, NO_READINGS, type Series, sliceSeries } from './series.ts';

const HOUR = 3_600_000;
const ALLOWANCE = 40 * 60_000;
const LIMITS = { low: 2, high: 8 };

/** Generates readings with a time in minutes and a value. */
const readingsOf = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 72 * 60 }), fc.integer({ min: 0, max: 100 })), {
    selector: ([minute]) => minute,
    maxLength: 120,
  })
  .map((pairs): Series => {
    const sorted = [...pairs].sort(([a], [b]) => a - b);
    return {
      at: Float64Array.from(sorted, ([minute]) => minute * 60_000),
      value: Float64Array.from(sorted, ([, value]) => value / 10),
    };
  });

/** Reference implementation that goes through the readings minute by minute. */
function naive({ at, value }: Series, bounds: Float64Array, next: number) {
  return Array.from(bounds.subarray(0, -1), (from, index) => {
    const to = bounds[index + 1] as number;
    const own = [...at.keys()].filter((i) => (at[i] as number) >= from && (at[i] as number) < to);
    let integral = 0;
    let coveredMs = 0;
    let outsideMs = 0;
    for (let minute = from; minute < to; minute += 60_000) {
      const holder = [...at.keys()].filter((i) => (at[i] as number) <= minute).at(-1);
      if (holder === undefined) continue;
      const until = at[holder + 1] ?? next;
      if (until - (at[holder] as number) > ALLOWANCE || until <= minute) continue;
      integral += (value[holder] as number) * 60_000;
      coveredMs += 60_000;
      if ((value[holder] as number) > LIMITS.high || (value[holder] as number) < LIMITS.low)
        outsideMs += 60_000;
    }
    return {
      count: own.length,
      min: Math.min(...own.map((i) => value[i] as number)),
      max: Math.max(...own.map((i) => value[i] as number)),
      firstAt: own.length ? at[own[0] as number] : 0,
      lastAt: own.length ? at[own.at(-1) as number] : 0,
      integral: Math.round(integral * 10),
      coveredMs,
      outsideMs,
    };
  });
}

function rows(buckets: Buckets) {
  return Array.from(buckets.count, (count, i) => ({
    count,
    min: buckets.min[i],
    max: buckets.max[i],
    firstAt: buckets.firstAt[i],
    lastAt: buckets.lastAt[i],
    integral: Math.round((buckets.integral[i] as number) * 10),
    coveredMs: buckets.coveredMs[i],
    outsideMs: buckets.outsideMs[i],
  }));
}

const END = 73 * HOUR;
const windows = fc.tuple(fc.integer({ min: 0, max: 72 * 60 }), fc.integer({ min: 1, max: 300 }));

test('the computed buckets equal those of a minute-by-minute reference', () => {
  fc.assert(
    fc.property(readingsOf, windows, (readings, [begin, stepMinutes]) => {
      const from = begin * 60_000;
      const bounds = steadyBounds(from, from + 20 * HOUR, stepMinutes * 60_000);
      const buckets = createBuckets(bounds);
      addReadings(buckets, readings, END, ALLOWANCE, LIMITS);
      expect(rows(buckets)).toEqual(naive(readings, bounds, END));
    }),
    { numRuns: 60 },
  );
});

test('days computed from hourly summaries equal those from readings, also across midnight', () => {
  fc.assert(
    fc.property(readingsOf, fc.integer({ min: 0, max: 30 }), (readings, firstHour) => {
      const bounds = steadyBounds(firstHour * HOUR, (firstHour + 48) * HOUR, 6 * HOUR);
      const whole = createBuckets(bounds);
      addReadings(whole, readings, END, ALLOWANCE, NO_LIMITS);
      const reducer = createReducer(bounds, ALLOWANCE, NO_LIMITS);
      for (let day = 0; day < 4; day++) {
        const own = sliceSeries(readings, day * 24 * HOUR, (day + 1) * 24 * HOUR);
        if (own.at.length === 0 || day % 2 === readings.at.length % 2) {
          reducer.add(own);
          continue;
        }
        const sealed = sealDay(own, new Int32Array(own.at.length), ALLOWANCE);
        const last = { at: sealed.lastAt, value: sealed.lastValue };
        reducer.addSummaries(unsealHours(sealed), sealed.firstAt, last);
      }
      expect(rows(reducer.finish(END))).toEqual(rows(whole));
    }),
  );
});

test('a mean is weighted by time, and for single readings between gaps it is the middle of minimum and maximum', () => {
  const buckets = createBuckets(Float64Array.of(0, HOUR, 2 * HOUR));
  const at = Float64Array.of(0, 15 * 60_000, HOUR, HOUR + 50 * 60_000);
  addReadings(buckets, { at, value: Float64Array.of(4, 8, 3, 6) }, END, 20 * 60_000, NO_LIMITS);
  expect([meanOf(buckets, 0), meanOf(buckets, 1)]).toEqual([4, 4.5]);
});

test('the time after a reading counts as covered only until the end of the known data and of the last bucket', () => {
  const buckets = createBuckets(Float64Array.of(0, HOUR));
  const late = { at: Float64Array.of(2 * HOUR), value: Float64Array.of(5) };
  addReadings(buckets, late, 3 * HOUR, ALLOWANCE, NO_LIMITS);
  addReadings(buckets, NO_READINGS, HOUR, ALLOWANCE, NO_LIMITS);
  addReadings(buckets, { at: Float64Array.of(5), value: Float64Array.of(5) }, 1, ALLOWANCE, NO_LIMITS);
  expect([buckets.count[0], buckets.coveredMs[0]]).toEqual([1, 0]);
  const reducer = createReducer(Float64Array.of(0, HOUR), ALLOWANCE, NO_LIMITS);
  reducer.add({ at: Float64Array.of(2 * HOUR), value: Float64Array.of(5) });
  expect(reducer.finish(2 * HOUR + 1).coveredMs[0]).toBe(0);
});

test('two series are merged, and each time appears once', () => {
  fc.assert(
    fc.property(readingsOf, readingsOf, (a, b) => {
      const merged = mergeSeries(a, b);
      const expected = new Map([...b.at].map((at, i) => [at, b.value[i]]));
      for (const [i, at] of a.at.entries()) expected.set(at, a.value[i]);
      expect([...merged.at].map((at, i) => [at, merged.value[i]])).toEqual(
        [...expected].sort(([x], [y]) => x - y),
      );
      expect([...sliceSeries(merged, 10 * HOUR, 5 * HOUR).at]).toEqual([]);
    }),
  );
});

test('all buckets are combined into one total', () => {
  fc.assert(
    fc.property(readingsOf, (readings) => {
      const parts = createReducer(steadyBounds(0, 73 * HOUR, HOUR), ALLOWANCE, LIMITS);
      const whole = createReducer(Float64Array.of(0, 73 * HOUR), ALLOWANCE, LIMITS);
      for (const reducer of [parts, whole]) reducer.add(readings);
      const total = totalOf(parts.finish(END));
      const one = whole.finish(END);
      expect(total).toEqual({
        count: one.count[0],
        min: one.min[0],
        max: one.max[0],
        mean: readings.at.length > 0 ? expect.closeTo(meanOf(one, 0), 6) : Number.NaN,
        outsideMs: one.outsideMs[0],
      });
    }),
  );
});
