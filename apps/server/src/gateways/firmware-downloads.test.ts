import { expect, test } from 'vitest';
import { spanOf } from './firmware-downloads.ts';

test.each([
  [undefined, { from: 0, to: 100 }],
  ['bytes=0-', { from: 0, to: 100 }],
  ['bytes=40-', { from: 40, to: 100 }],
  ['bytes=40-59', { from: 40, to: 60 }],
  ['bytes=99-200', { from: 99, to: 100 }],
  ['bytes=-10', { from: 90, to: 100 }],
  ['bytes=-200', { from: 0, to: 100 }],
  ['bytes=100-', null],
  ['bytes=50-40', null],
  ['bytes=-0', null],
  ['bytes=0-1,5-6', { from: 0, to: 100 }],
  ['bytes=-', { from: 0, to: 100 }],
  ['items=1-2', { from: 0, to: 100 }],
])('range %s of 100 bytes is parsed', (range, span) => {
  expect(spanOf(range, 100)).toEqual(span);
});
