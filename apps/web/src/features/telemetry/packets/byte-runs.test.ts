import type { ExplainedField } from '@isotherm/contracts/packets';
import { expect, test } from 'vitest';
import { byteRuns, covers } from './byte-runs.ts';

const field = (offset: number, length: number, fault: string | null = null): ExplainedField => ({
  name: 'type',
  level: 0,
  offset,
  length,
  value: null,
  meaning: null,
  fault,
});

test.each<[string, string, ExplainedField[], [string, number | null][]]>([
  ['without fields there is one run that belongs to no field', '010203', [], [['010203', null]]],
  [
    'a byte belongs to the most specific field',
    '01020304',
    [field(0, 4), field(1, 2)],
    [
      ['01', 0],
      ['0203', 1],
      ['04', 0],
    ],
  ],
  [
    'a field may end after the last byte',
    '0102',
    [field(1, 9)],
    [
      ['01', null],
      ['02', 0],
    ],
  ],
  [
    'decrypted fields have priority over the encrypted text',
    'aabb',
    [field(0, 2), field(0, 1), field(1, 1)],
    [
      ['aa', 1],
      ['bb', 2],
    ],
  ],
])('packet bytes are split correctly: %s', (_name, hex, fields, expected) => {
  expect(byteRuns(hex, fields).map(({ bytes, field: owner }) => [bytes.join(''), owner])).toEqual(expected);
});

test('bytes with errors are marked', () => {
  expect(byteRuns('0102', [field(0, 1), field(1, 1, 'crc')]).map(({ isFault }) => isFault)).toEqual([
    false,
    true,
  ]);
});

test('a field includes its own bytes and nested fields, but no bytes beyond its end or before its start', () => {
  expect(covers(field(2, 4), field(2, 4))).toBe(true);
  expect(covers(field(2, 4), field(5, 1))).toBe(true);
  expect(covers(field(2, 4), field(5, 2))).toBe(false);
  expect(covers(field(2, 4), field(1, 2))).toBe(false);
});
