import { expect, test } from 'vitest';
import { createDigest, fileDigest } from './signing.ts';

test('the digest of a file that is read in portions is that of the whole file', () => {
  const bytes = Uint8Array.from({ length: 1_000 }, (_, index) => index % 251);
  const digest = createDigest();
  for (let at = 0; at < bytes.length; at += 300) digest.update(bytes.subarray(at, at + 300));
  expect(`sha256:${digest.hex()}`).toBe(fileDigest(bytes));
});
