import { describe, expect, it } from 'vitest';
import { type ChartSeries, laneValue, nearestPoint, onStretches, stretches } from './curve-model.ts';
import { timeTicks, valueScale } from './scale.ts';

const series = (at: number[], values: number[], changes: Partial<ChartSeries> = {}): ChartSeries => ({
  channelId: 1,
  name: 'Air',
  indicator: 'temperature',
  stepMs: null,
  at,
  min: values,
  max: values,
  mean: values,
  gaps: [],
  estimated: [],
  low: 2,
  high: 8,
  ...changes,
});
const gap = (from: number, to: number) => ({ from, to, label: '' });

describe('a line', () => {
  it('is interrupted at every gap', () => {
    const curve = series([0, 10, 20, 80, 90], [1, 1, 1, 1, 1], { gaps: [gap(20, 80)] });
    expect(stretches(curve)).toEqual([
      [0, 3],
      [3, 5],
    ]);
  });

  it('is interrupted at a missing bucket, even without a gap', () => {
    expect(stretches(series([0, 10, 40], [1, 1, 1], { stepMs: 10 }))).toEqual([
      [0, 2],
      [2, 3],
    ]);
  });

  it('has one segment if nothing is missing, and none without points', () => {
    expect(stretches(series([0, 10, 20], [1, 1, 1]))).toEqual([[0, 3]]);
    expect(stretches(series([], []))).toEqual([]);
  });

  it('finds the nearest reading, and none inside a gap', () => {
    const curve = series([0, 10, 20, 80], [1, 2, 3, 4], { gaps: [gap(20, 80)] });
    expect(nearestPoint(curve, 14)).toBe(1);
    expect(nearestPoint(curve, 16)).toBe(2);
    expect(nearestPoint(curve, 50)).toBe(-1);
    expect(nearestPoint(curve, 999)).toBe(3);
    expect(nearestPoint(series([], []), 5)).toBe(-1);
  });

  it('finds the bucket of a moment', () => {
    const curve = series([0, 10, 20], [1, 2, 3], { stepMs: 10 });
    for (const [moment, index] of [
      [1, 0],
      [9, 0],
      [15, 1],
      [29, 2],
    ] as const)
      expect(nearestPoint(curve, moment)).toBe(index);
  });
});

describe('a lane', () => {
  const door = series([0, 10, 20, 30, 100, 110], [0, 1, 1, 0, 1, 1], { gaps: [gap(40, 100)] });
  it('is on from a reading that says so to the one that ends it', () => {
    expect(onStretches(door, { from: 0, to: 120 })).toEqual([
      { from: 10, to: 30 },
      { from: 100, to: 110 },
    ]);
  });
  it('has its last value, and none in a gap', () => {
    expect(laneValue(door, 25)).toBe(1);
    expect(laneValue(door, 35)).toBe(0);
    expect(laneValue(door, 60)).toBeNull();
    expect(laneValue(door, -1)).toBeNull();
  });
});

describe('scales', () => {
  it('of the value axis contain every value and end at round numbers', () => {
    const scale = valueScale([2, 8, 12.7]);
    expect(scale.min).toBeLessThanOrEqual(1.5);
    expect(scale.max).toBeGreaterThanOrEqual(13);
    expect(scale.max % scale.step).toBe(0);
    expect(valueScale([])).toEqual({ min: 0, max: 10, step: 2 });
  });

  it('have time ticks on full hours of the viewer, also across a clock change', () => {
    const from = Date.UTC(2026, 9, 24, 12);
    const { ticks, step } = timeTicks(from, from + 24 * 3_600_000, 900, 'Europe/Madrid');
    expect(step).toBe(3 * 3_600_000);
    const hours = ticks.map(({ at }) =>
      Number(new Intl.DateTimeFormat('en-GB', { hour: '2-digit', timeZone: 'Europe/Madrid' }).format(at)),
    );
    expect(hours.every((hour) => hour % 3 === 0)).toBe(true);
    expect(ticks.filter(({ midnight }) => midnight)).toHaveLength(1);
  });
});
