import { expect, it } from 'vitest';
import { aCard } from '../../shared/testing/data.ts';
import { withNewest } from './live-sparkline.ts';

const STEP = 900_000;
const line = {
  assetId: 8,
  channelId: 80,
  from: '2026-11-20T01:00:00.000Z',
  stepMs: STEP,
  min: [4, 5, null, 4],
  max: [5, 6, null, 5],
};
const newest = (measuredAt: string, value: number) => {
  const { main } = aCard();
  return main && { ...main, measuredAt, value };
};

it('a reading within the current time bucket extends its range', () => {
  const grown = withNewest(line, newest('2026-11-20T01:50:00.000Z', 9));
  expect(grown.max).toEqual([5, 6, null, 9]);
  expect(grown.min).toEqual([4, 5, null, 4]);
});

it('a later reading starts new buckets, leaves gaps empty, and drops the oldest buckets', () => {
  const grown = withNewest(line, newest('2026-11-20T02:20:00.000Z', 7));
  expect(grown.from).toBe('2026-11-20T01:30:00.000Z');
  expect(grown.max).toEqual([null, 5, null, 7]);
});

it('older readings, readings of other channels, and missing values are ignored', () => {
  expect(withNewest(line, newest('2026-11-20T01:20:00.000Z', 9))).toBe(line);
  expect(withNewest({ ...line, channelId: 81 }, newest('2026-11-20T01:50:00.000Z', 9)).max).toEqual(line.max);
  expect(withNewest(line, null)).toBe(line);
});
