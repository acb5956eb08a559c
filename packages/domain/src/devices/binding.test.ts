import { expect, test } from 'vitest';
import { bindingAt } from './binding.ts';

const BINDINGS = [
  { name: 'third', from: 300, until: Number.POSITIVE_INFINITY },
  { name: 'second', from: 100, until: 200 },
  { name: 'first', from: Number.NEGATIVE_INFINITY, until: 100 },
];

test.each([
  [-5_000_000_000_000, 'first'],
  [99, 'first'],
  [100, 'second'],
  [199, 'second'],
  [200, undefined],
  [299, undefined],
  [300, 'third'],
  [5_000_000_000_000, 'third'],
])('a reading at %i belongs to the %s binding', (moment, name) => {
  expect(bindingAt(BINDINGS, moment)?.name).toBe(name);
});

test('without bindings, no binding is found', () => {
  expect(bindingAt([], 1)).toBeNull();
  expect(bindingAt(BINDINGS.slice(0, 1), 1)).toBeNull();
});
