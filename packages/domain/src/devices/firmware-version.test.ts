import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { compareVersions, FIRMWARE_VERSION } from './firmware-version.ts';

test.each([
  ['1.2.3', '1.2.3', 0],
  ['1.2', '1.2.0', 0],
  ['1.10.0', '1.9.9', 1],
  ['2', '10', -1],
  ['1.2.3.4', '1.2.3', 1],
  ['1.0.0-rc.1', '1.0.0', -1],
  ['1.0.0', '1.0.0-rc.1', 1],
  ['1.0.0-rc.2', '1.0.0-rc.10', -1],
  ['1.0.0-alpha', '1.0.0-beta', -1],
  ['1.0.0-beta', '1.0.0-alpha', 1],
  ['1.0.0-1', '1.0.0-alpha', -1],
  ['1.0.0-alpha', '1.0.0-1', 1],
  ['1.0.0-alpha', '1.0.0-alpha.1', -1],
  ['1.0.0-alpha', '1.0.0-alpha', 0],
])('the versions %s and %s are compared correctly', (a, b, sign) => {
  expect(Math.sign(compareVersions(a, b))).toBe(sign);
});

test.each([
  ['1', true],
  ['1.2.3-rc.1', true],
  ['v1.2', false],
  ['1.2.', false],
  ['1.2-', false],
  ['', false],
  ['1.2.3.4.5', false],
])('%s is a valid version: %s', (text, is) => {
  expect(FIRMWARE_VERSION.test(text)).toBe(is);
});

it('the order of versions is antisymmetric and transitive', () => {
  const version = fc.stringMatching(FIRMWARE_VERSION);
  fc.assert(
    fc.property(version, version, version, (a, b, c) => {
      expect(Math.sign(compareVersions(a, b)) + Math.sign(compareVersions(b, a))).toBe(0);
      const [low, middle, high] = [a, b, c].sort(compareVersions) as [string, string, string];
      expect(compareVersions(low, middle) <= 0 && compareVersions(middle, high) <= 0).toBe(true);
      expect(compareVersions(low, high)).toBeLessThanOrEqual(0);
    }),
  );
});
