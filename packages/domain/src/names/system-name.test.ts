import { expect, test } from 'vitest';
import { replaceSystemNames, SYSTEM_NAMES, systemName } from './system-name.ts';

const upper = (name: string) => name.toUpperCase();

test.each([
  ['{name:air}', 'AIR'],
  ['31010101 · {name:main-unit}, {name:load}', '31010101 · MAIN-UNIT, LOAD'],
  ['Air', 'Air'],
  ['{name:nonsense}', '{name:nonsense}'],
  ['{name:air', '{name:air'],
  ['', ''],
])('the stored text "%s" is translated to "%s"', (stored, written) => {
  expect(replaceSystemNames(stored, upper)).toBe(written);
});

test('every system name is found in its stored form', () => {
  for (const name of SYSTEM_NAMES) expect(replaceSystemNames(systemName(name), upper)).toBe(upper(name));
});
