import { expect, it } from 'vitest';
import { newestOf, type PositionRow } from './live-places.ts';

const MIN = 60_000;
const row = (device: number, minute: number, latitude = 31, longitude = 121): PositionRow => ({
  device_id: device,
  at: minute * MIN,
  latitude,
  longitude,
  speed_kmh: null,
  heading_deg: null,
});

it.each<[string, PositionRow[], [device: number, minute: number, isReached: boolean | null][]]>([
  ['none', [], []],
  ['one', [row(1, 5)], [[1, 5, null]]],
  ['several, in any order', [row(1, 5), row(1, 7), row(1, 6)], [[1, 7, true]]],
  ['the newest is a jump', [row(1, 5), row(1, 6, 45, 9)], [[1, 6, false]]],
  ['the one before it, whatever came last', [row(1, 7), row(1, 6), row(1, 5, 45, 9)], [[1, 7, true]]],
  ['the one before it is a jump', [row(1, 5), row(1, 7), row(1, 6, 45, 9)], [[1, 7, false]]],
  ['the same time twice: the first counts', [row(1, 5), row(1, 5, 45, 9)], [[1, 5, null]]],
  ['a receiver without a fix', [row(1, 5), row(1, 6, 0, 0)], [[1, 5, null]]],
  ['no fix at all', [row(1, 5, 0, 0)], []],
  [
    'each device by itself',
    [row(1, 5), row(2, 6, 45, 9), row(1, 7)],
    [
      [1, 7, true],
      [2, 6, null],
    ],
  ],
])('the newest position of a batch: %s', (_, rows, expected) => {
  expect(newestOf(rows).map((each) => [each.device_id, each.at / MIN, each.is_reached])).toEqual(expected);
});
