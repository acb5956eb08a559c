import { SYSTEM_NAMES, systemName } from '@isotherm/domain/names/system-name';
import { expect, test } from 'vitest';
import { LANGUAGES } from './languages.ts';
import { inWords } from './system-names.ts';

test.each(LANGUAGES)('the system names in %s can replace their keys in JSON without escaping', (language) => {
  const stored = SYSTEM_NAMES.map(systemName);
  const words = stored.map((name) => inWords(name, language));
  expect(words.filter((word) => word.includes('{name:'))).toEqual([]);
  expect(inWords(JSON.stringify(stored), language)).toBe(JSON.stringify(words));
});
