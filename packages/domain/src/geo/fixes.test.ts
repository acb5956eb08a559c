import { expect, it } from 'vitest';
import { StoredFixes } from './fixes.ts';

it('stored positions are read one by one, in order and by their index', () => {
  const fixes = new StoredFixes({
    at: Float64Array.of(1_000, 2_000),
    latitude: Int32Array.of(3_123_456, -1),
    longitude: Int32Array.of(12_100_000, -18_000_000),
    speed: Int32Array.of(655, -1),
  });
  const [first, second] = [
    { at: 1_000, latitude: 31.23456, longitude: 121, speedKmh: 65.5 },
    { at: 2_000, latitude: -0.00001, longitude: -180, speedKmh: null },
  ];
  expect([...fixes]).toEqual([first, second]);
  expect([fixes.length, fixes.at(1), fixes.at(2), fixes.at(-1)]).toEqual([2, second, undefined, undefined]);
});
