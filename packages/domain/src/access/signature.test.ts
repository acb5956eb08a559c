import { expect, test } from 'vitest';
import { needsSignature, type SignatureLevel } from './signature.ts';

type Setting = SignatureLevel | null | undefined;

test.each<{ settings: Setting[]; level: number; needed: boolean }>([
  { settings: [], level: 5, needed: false },
  { settings: [null, undefined], level: 5, needed: false },
  { settings: [3], level: 2, needed: false },
  { settings: [3], level: 3, needed: true },
  { settings: [undefined, 3], level: 4, needed: true },
  { settings: [null, 1], level: 1, needed: true },
  { settings: [0, 1], level: 5, needed: true },
  { settings: [5, 1], level: 4, needed: true },
  { settings: [0, 0], level: 5, needed: false },
  { settings: [1, 0], level: 1, needed: true },
])('with the settings $settings, an alarm of level $level needs a signature: $needed', (row) => {
  expect(needsSignature(row.settings, row.level)).toBe(row.needed);
});
