import { expect, test } from 'vitest';
import { LOCK_KEYS, LOCK_SPACES } from './lock-keys.ts';

test.each([LOCK_KEYS, LOCK_SPACES])('each lock has a key of its own', (keys) => {
  const numbers = Object.values(keys);
  expect(new Set(numbers).size).toBe(numbers.length);
});
