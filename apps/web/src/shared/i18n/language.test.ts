import { afterEach, expect, it, vi } from 'vitest';
import { writeCookie } from '../api/cookies.ts';
import { preferredLanguage } from './language.ts';

afterEach(() => {
  writeCookie('language', '');
  vi.unstubAllGlobals();
});

it.each([
  ['the stored choice has priority', 'zh-TW', ['es-MX'], 'zh-TW'],
  ['then the browser language is used', '', ['es-MX', 'en'], 'es'],
  ['the first supported language of the browser is used', '', ['fr', 'zh-HK'], 'zh-TW'],
  ['English is the fallback', '', ['fr', 'de'], 'en'],
  ['a stored language that is not supported is ignored', 'fr', ['zh'], 'zh-CN'],
])('the default language is chosen in the right order: %s', (_name, stored, languages, expected) => {
  if (stored !== '') writeCookie('language', stored);
  vi.stubGlobal('navigator', { languages, language: languages[0] });
  expect(preferredLanguage()).toBe(expected);
});

it('cookies are kept for 3650 days', () => {
  const written: string[] = [];
  const spy = vi.spyOn(document, 'cookie', 'set').mockImplementation((text) => void written.push(text));
  writeCookie('language', 'es');
  spy.mockRestore();
  expect(written).toEqual([expect.stringContaining(`Max-Age=${3650 * 86_400};`)]);
});
