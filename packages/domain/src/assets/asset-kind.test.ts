import { expect, test } from 'vitest';
import { type AssetKind, type AssetType, isTypeOf } from './asset-kind.ts';

test.each<[AssetType, AssetKind, boolean]>([
  ['ice-lined', 'refrigerator', true],
  ['freezer-car', 'vehicle', true],
  ['freezer-car', 'refrigerator', false],
  ['freezer', 'cold-box', false],
])('the type %s belongs to the kind %s: %s', (type, kind, expected) => {
  expect(isTypeOf(type, kind)).toBe(expected);
});
