import { expect, test } from 'vitest';
import { INDICATOR_NAMES, INDICATORS, isPhysical } from './indicator.ts';

test.each([
  ['temperature', -200, true],
  ['temperature', 200.1, false],
  ['humidity', -0.1, false],
  ['door', 1, true],
  ['temperature', Number.NaN, false],
] as const)('for %s, the value %d is physically possible: %s', (indicator, value, physical) => {
  expect(isPhysical(indicator, value)).toBe(physical);
});

test('every indicator has a valid range', () => {
  for (const name of INDICATOR_NAMES)
    expect(INDICATORS[name].physicalMin).toBeLessThan(INDICATORS[name].physicalMax);
});
