import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProductLimits } from './product-profile.ts';
import { judgeTrip, type TripPart } from './verdict.ts';

const MIN = 60_000;
const HOUR = 60 * MIN;
const VACCINE: ProductLimits = {
  temperatureLow: 2,
  temperatureHigh: 8,
  humidityLow: null,
  humidityHigh: null,
  budget: [
    { low: 8, high: 25, hours: 1 },
    { low: 0, high: 2, hours: 0.5 },
  ],
  mktLimit: null,
  activationKj: 83.144,
};

/** One reading every five minutes from 0 on. */
const trip = (...value: number[]) => ({
  at: Float64Array.from(value, (_, i) => i * 5 * MIN),
  value: Float64Array.from(value),
});
const part = (series: TripPart['series'], to: number, allowanceMs = 15 * MIN): TripPart => ({
  series,
  from: 0,
  to,
  allowanceMs,
});
const judge = (values: number[], limits: Partial<ProductLimits> = {}) => {
  const to = values.length * 5 * MIN;
  return judgeTrip([part(trip(...values), to)], 0, to, { ...VACCINE, ...limits });
};
/** Readings of 5 °C at these minutes. */
const readAt = (...minutes: number[]) => ({
  at: Float64Array.from(minutes, (minute) => minute * MIN),
  value: Float64Array.from(minutes, () => 5),
});

describe('the verdict of a trip', () => {
  it('within the limits is to be released', () => {
    expect(judge([2, 5, 8])).toMatchObject({
      proposal: 'release',
      min: 2,
      max: 8,
      outsideMs: 0,
      coverage: 1,
      excursions: [],
      gaps: [],
    });
  });
  it('with time outside within the budget says how much is used', () => {
    const verdict = judge([5, 9, 10, 5, 1]);
    expect(verdict).toMatchObject({ proposal: 'within-budget', outsideMs: 15 * MIN });
    expect(verdict.bands).toEqual([
      { low: 8, high: 25, allowedMs: HOUR, usedMs: 10 * MIN },
      { low: 0, high: 2, allowedMs: HOUR / 2, usedMs: 5 * MIN },
    ]);
    expect(verdict.excursions).toEqual([
      { from: 5 * MIN, to: 15 * MIN },
      { from: 20 * MIN, to: 25 * MIN },
    ]);
  });
  it('with more time outside than the budget allows is to be rejected', () => {
    expect(judge(Array.from({ length: 13 }, () => 9)).proposal).toBe('reject');
  });
  it('at a temperature without a band is to be rejected', () => {
    const verdict = judge([5, 26, -1, 5]);
    expect(verdict.proposal).toBe('reject');
    expect(verdict.bands.at(-1)).toEqual({ low: null, high: null, allowedMs: 0, usedMs: 10 * MIN });
  });
  it('with open bands judges any temperature', () => {
    const budget = [
      { low: 8, high: null, hours: 1 },
      { low: null, high: 2, hours: 1 },
    ];
    expect(judge([5, 90, -90, 5], { budget }).proposal).toBe('within-budget');
  });
  it('above the limit of the mean kinetic temperature is to be rejected', () => {
    expect(judge([7, 7], { mktLimit: 6 }).proposal).toBe('reject');
    expect(judge([5, 5], { mktLimit: 6 }).proposal).toBe('release');
  });
  it.each<[string, highest: number, windowMs: number, mktLimit: number, proposal: string]>([
    ['a cold product in 24 h', 8, 24 * HOUR, 8, 'reject'],
    ['a cold product in 24 h', 8, 24 * HOUR, 8.3, 'within-budget'],
    ['a cool product in 24 h', 15, 24 * HOUR, 8, 'reject'],
    ['a product at room temperature in 30 days', 15.1, 720 * HOUR, 8, 'release'],
  ])(
    'judges the mean kinetic temperature of %s (up to %d °C)',
    (_, temperatureHigh, windowMs, mktLimit, proposal) => {
      // Three days at 5 °C with 6 hours at 14 °C: 8.2852 °C in the worst day, 6.19 °C in all of them.
      const value = Float64Array.from({ length: 72 }, (_each, hour) => (hour >= 30 && hour < 36 ? 14 : 5));
      const series = { at: Float64Array.from(value, (_each, hour) => hour * HOUR), value };
      const budget = temperatureHigh < 14 ? [{ low: 8, high: 25, hours: 12 }] : [];
      const verdict = judgeTrip([part(series, 72 * HOUR, HOUR)], 0, 72 * HOUR, {
        ...VACCINE,
        temperatureHigh,
        budget,
        mktLimit,
      });
      expect(verdict.proposal).toBe(proposal);
      expect(verdict.mktWindow?.windowMs).toBe(windowMs);
      expect(verdict.mktWindow?.value).toBeCloseTo(
        windowMs === 24 * HOUR ? 8.2852 : (verdict.meanKinetic as number),
        3,
      );
    },
  );
  it('is not decided by a window that a single reading fills after a long gap', () => {
    // 30 h at 5 °C, nothing for 30 h, and an hour at 9 °C: 5.2 °C in all of it.
    const at = Float64Array.from(
      [...Array.from({ length: 30 }, (_, hour) => hour), 60],
      (hour) => hour * HOUR,
    );
    const series = { at, value: Float64Array.from(at, (each) => (each < 60 * HOUR ? 5 : 9)) };
    const limits = { ...VACCINE, mktLimit: 8 };
    const verdict = judgeTrip([part(series, 61 * HOUR, HOUR)], 0, 61 * HOUR, limits);
    expect(verdict).toMatchObject({ proposal: 'insufficient', mktWindow: { value: 5, coverage: 1 } });
  });
  it('of a trip that was cut ends its windows with the readings', () => {
    const value = Float64Array.from({ length: 24 }, (_, hour) => (hour < 12 ? 5 : 9));
    const series = { at: Float64Array.from(value, (_each, hour) => hour * HOUR), value };
    const until = 24 * HOUR;
    const { mktWindow } = judgeTrip([part(series, until, HOUR)], 0, 100 * until, VACCINE, true);
    expect(mktWindow).toMatchObject({ from: 0, to: until, coverage: 1, readings: 24 });
  });
  it('equals a limit of the mean kinetic temperature at a constant temperature', () => {
    for (let tenths = -800; tenths <= 400; tenths++) {
      const value = tenths / 10;
      const limits = { temperatureLow: -90, temperatureHigh: 50, budget: [], mktLimit: value };
      expect(judge([value, value, value], limits).proposal).toBe('release');
    }
  });
  it('with gaps has not enough data', () => {
    const series = { at: Float64Array.of(0, HOUR), value: Float64Array.of(5, 5) };
    expect(judgeTrip([part(series, 2 * HOUR)], 0, 2 * HOUR, VACCINE)).toMatchObject({
      proposal: 'insufficient',
      coverage: 0.25,
      gaps: [
        { from: 0, to: HOUR },
        { from: HOUR, to: 2 * HOUR },
      ],
    });
  });
  it('without readings has not enough data', () => {
    expect(judge([])).toMatchObject({ proposal: 'insufficient', coverage: 0, min: null, meanKinetic: null });
    expect(judge([], { mktLimit: 8 }).proposal).toBe('insufficient');
  });
  it.each<[string, minutes: number[], hours: number, allowance: number, coverage: number, gaps: number[][]]>([
    ['with a reading before it is covered from its beginning', [-1, 9, 19, 29, 39, 49, 59], 1, 20, 1, []],
    ['of a slow logger is covered between its readings', [-12, 18, 48, 78, 108], 2, 60, 1, []],
    ['with a reading too long before it begins with a gap', [-20, 25, 45], 1, 20, 35 / 60, [[0, 25]]],
    ['is covered by the reading before it for its allowance', [-10, 30, 45], 1, 20, 40 / 60, [[0, 30]]],
    ['ignores a reading before it if another one is at its beginning', [-5, 0, 20, 40], 1, 20, 1, []],
    ['ends with a gap if the readings end', [-5, 10, 20], 1, 20, 40 / 60, [[20, 60]]],
  ])('of a trip that %s', (_, minutes, hours, allowance, coverage, gaps) => {
    const verdict = judgeTrip(
      [part(readAt(...minutes), hours * HOUR, allowance * MIN)],
      0,
      hours * HOUR,
      VACCINE,
    );
    expect(verdict.coverage).toBeCloseTo(coverage);
    expect(verdict.gaps).toEqual(
      gaps.map(([from, to]) => ({ from: (from ?? 0) * MIN, to: (to ?? 0) * MIN })),
    );
  });
  it('counts the readings of each leg only on that leg, for the allowance of its probe', () => {
    const legs: TripPart[] = [
      { ...part(readAt(0, 10, 20), 25 * MIN, 20 * MIN) },
      { series: readAt(0, 30, 60), from: 25 * MIN, to: HOUR, allowanceMs: HOUR },
    ];
    expect(judgeTrip(legs, 0, HOUR, VACCINE)).toMatchObject({ coverage: 1, readings: 5, gaps: [] });
    expect(judgeTrip(legs.slice(1), 0, HOUR, VACCINE).coverage).toBeCloseTo(35 / 60);
  });
  it('of which readings were left out is never to be released, but may be to be rejected', () => {
    const cut = (value: number) =>
      judgeTrip(
        [part({ at: Float64Array.of(0), value: Float64Array.of(value) }, HOUR, HOUR)],
        0,
        HOUR,
        VACCINE,
        true,
      );
    expect(cut(5)).toMatchObject({ proposal: 'insufficient', coverage: 1 });
    expect(cut(9).proposal).toBe('insufficient');
    expect(cut(30).proposal).toBe('reject');
  });
  it('without a probe has a gap for the whole trip', () => {
    expect(judgeTrip([], 0, HOUR, VACCINE)).toMatchObject({ coverage: 0, gaps: [{ from: 0, to: HOUR }] });
  });
  it('after a gap begins a new excursion', () => {
    const series = { at: Float64Array.of(0, HOUR), value: Float64Array.of(9, 9) };
    expect(judgeTrip([part(series, HOUR + MIN)], 0, HOUR + MIN, VACCINE).excursions).toHaveLength(2);
  });

  it('accounts for all time outside, in any order of values', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -300, max: 300 }), { maxLength: 60 }), (tenths) => {
        const { bands, outsideMs, excursions, coverage } = judge(tenths.map((each) => each / 10));
        expect(bands.reduce((sum, { usedMs }) => sum + usedMs, 0)).toBe(outsideMs);
        expect(excursions.reduce((sum, { from, to }) => sum + to - from, 0)).toBe(outsideMs);
        expect(coverage).toBe(tenths.length > 0 ? 1 : 0);
      }),
    );
  });
});
