import { expect, it } from 'vitest';
import { type CheckInWords, checkWords, worstWords } from './compliance-words.ts';

const HOUR = 3_600_000;
const text = (id: string, values?: object) => (values ? `${id} ${JSON.stringify(values)}` : id);

it.each<[CheckInWords['check'], CheckInWords['required'], RegExp]>([
  ['limits', {}, /^reports\.check\.limits$/],
  ['interval', { storageMs: HOUR / 2, transportMs: HOUR / 2 }, /^reports\.check\.interval .*30/],
  ['interval', { storageMs: HOUR / 2, transportMs: HOUR / 12 }, /interval-both .*30.*5/],
  ['interval', {}, /interval .*0/],
  ['coverage', { share: 0.95 }, /coverage .*95 %/],
  ['coverage', {}, /coverage .*0 %/],
  ['exposure', { isAbove: true, celsius: 8, ms: 10 * HOUR }, /exposure-above .*8\.0 °C.*10/],
  ['exposure', { celsius: -0.5, ms: HOUR }, /exposure-below .*−0\.5 °C/],
  ['exposure', {}, /exposure-below .*0\.0 °C/],
  ['calibration', { days: 366 }, /calibration-days .*366/],
  ['calibration', { days: null }, /calibration$/],
  ['mapping', {}, /mapping$/],
  ['alarm-test', { days: 366 }, /alarm-test .*366/],
  ['alarm-test', {}, /alarm-test .*0/],
  ['points', { points: 2 }, /points .*2/],
  ['points', {}, /points .*0/],
])('the requirement %s with %j', (check, required, words) => {
  expect(checkWords({ check, required }, text as never, 'en')).toMatch(words);
});

it('the worst number is a time, a share, or days', () => {
  expect(worstWords({ check: 'coverage', worst: 0.949 }, text as never)).toBe('94 %');
  expect(worstWords({ check: 'interval', worst: HOUR / 2 }, text as never)).toMatch(/minutes .*30/);
  expect(worstWords({ check: 'review', worst: 3 }, text as never)).toMatch(/review-missing .*3/);
  expect(worstWords({ check: 'limits', worst: null }, text as never)).toBeNull();
});
