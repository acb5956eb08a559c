import { describe, expect, it } from 'vitest';
import { type ChartSeries, laneValue, nearestPoint, onStretches, stretches } from './curve-model.ts';

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

describe('the line of a channel', () => {
  it('the line is interrupted at every gap', () => {
    const curve = series([0, 10, 20, 80, 90], [1, 1, 1, 1, 1], { gaps: [gap(20, 80)] });
    expect(stretches(curve)).toEqual([
      [0, 3],
      [3, 5],
    ]);
  });

  it('the line goes on over time buckets without readings, unless there is a gap', () => {
    const at = [0, 10, 40, 90];
    expect(stretches(series(at, [1, 1, 1, 1], { stepMs: 10 }))).toEqual([[0, 4]]);
    expect(stretches(series(at, [1, 1, 1, 1], { stepMs: 10, gaps: [gap(50, 90)] }))).toEqual([
      [0, 3],
      [3, 4],
    ]);
  });

  it('the line has one segment if nothing is missing, and none without points', () => {
    expect(stretches(series([0, 10, 20], [1, 1, 1]))).toEqual([[0, 3]]);
    expect(stretches(series([], []))).toEqual([]);
  });

  it('the nearest reading is found, and none inside a gap', () => {
    const curve = series([0, 10, 20, 80], [1, 2, 3, 4], { gaps: [gap(20, 80)] });
    expect(nearestPoint(curve, 14)).toBe(1);
    expect(nearestPoint(curve, 16)).toBe(2);
    expect(nearestPoint(curve, 50)).toBe(-1);
    expect(nearestPoint(curve, 999)).toBe(3);
    expect(nearestPoint(series([], []), 5)).toBe(-1);
  });

  it('the time bucket that contains a given time is found', () => {
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

describe('the row of an on/off channel', () => {
  const door = series([0, 10, 20, 30, 100, 110], [0, 1, 1, 0, 1, 1], { gaps: [gap(40, 100)] });
  it('a channel is on from the first reading that is on until a reading that is off', () => {
    expect(onStretches(door, { from: 0, to: 120 })).toEqual([
      { from: 10, to: 30 },
      { from: 100, to: 110 },
    ]);
  });
  it('the row has the value of the last reading, and no value in a gap', () => {
    expect(laneValue(door, 25)).toBe(1);
    expect(laneValue(door, 35)).toBe(0);
    expect(laneValue(door, 60)).toBeNull();
    expect(laneValue(door, -1)).toBeNull();
  });
});
