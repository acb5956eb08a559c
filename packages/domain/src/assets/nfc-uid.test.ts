import { expect, test } from 'vitest';
import { nfcUid } from './nfc-uid.ts';

test.each([
  ['04:a2:2b:1c:9d:5e:80', '04A22B1C9D5E80'],
  [' 04 A2 2B 1C ', '04A22B1C'],
  ['04-a2-2b-1c-9d-5e-80-01-02-03', '04A22B1C9D5E80010203'],
  ['04a22b1c9d', null],
  ['04a22b1', null],
  ['04:a2:2b:1g', null],
  ['', null],
])('the UID %s is stored as %s', (typed, kept) => {
  expect(nfcUid(typed)).toBe(kept);
});
