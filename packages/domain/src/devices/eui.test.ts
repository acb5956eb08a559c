import { expect, test } from 'vitest';
import { euiOf } from './eui.ts';

test.each([
  ['70B3D57ED005A1B2', '70b3d57ed005a1b2'],
  ['282C024FFFB3', '282c02fffe4fffb3'],
  ['282C024FFFB', null],
  ['282C024FFFB30', null],
  ['282C024FFFBG', null],
  ['', null],
])('the EUI-64 of "%s" is %s', (text, eui) => {
  expect(euiOf(text)).toBe(eui);
});
