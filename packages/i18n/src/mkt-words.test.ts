import { expect, it } from 'vitest';
import { mktWords, windowWords } from './mkt-words.ts';

const HOUR_MS = 3_600_000;
const text = (id: string, values: Record<string, string | number> = {}) =>
  [id, ...Object.values(values)].join(' | ');
const words = { text, language: 'en' as const, period: (from: number, to: number) => `${from}–${to}` };
const window = (windowMs: number, lengthMs = windowMs) => ({
  windowMs,
  value: 6.149,
  from: 0,
  to: lengthMs,
  readings: 280,
  coverage: 0.5,
});

it.each([
  [24 * HOUR_MS, 'common.duration.hours | 24'],
  [30 * 24 * HOUR_MS, 'waybills.mkt.days | 30'],
])('a window of %d ms is named by its hours or days', (windowMs, expected) => {
  expect(windowWords(windowMs, text)).toBe(expected);
});

it('nothing is said of the mean kinetic temperature without readings', () => {
  expect(mktWords({ readings: 0, meanKinetic: null, mktWindow: null }, 83.144, words)).toEqual([]);
});

it.each([
  [
    'a window with the share that readings cover',
    window(24 * HOUR_MS),
    'waybills.mkt.window | common.duration.hours | 24 | 6.15 °C | 0–86400000 | 280 | 50 %',
  ],
  [
    'readings that span less than the window',
    window(24 * HOUR_MS, HOUR_MS),
    'waybills.mkt.short | common.duration.hours | 24',
  ],
  ['that no window is covered well enough', null, 'waybills.mkt.none'],
])('the sentences name %s', (_, mktWindow, expected) => {
  expect(mktWords({ readings: 300, meanKinetic: 5.5, mktWindow }, 83.144, words)).toEqual([
    'waybills.mkt.whole | 5.50 °C | 300',
    expected,
    'waybills.mkt.inputs | 83.144',
  ]);
});
