import fc from 'fast-check';
import { expect, it } from 'vitest';
import { alarmNumber, LEAST_LETTERS, MOST_LETTERS, searchedText } from './kinds.ts';

it.each([
  ['  Fridge   03 ', 'fridge 03'],
  ['a\u0000b', 'a b'],
  ['\ud800ab', '\ufffdab'],
  ['冰箱', '冰箱'],
  ['x', ''],
  [' \u0000 ', ''],
  ['100%_\\', '100%_\\'],
])('the text %j is searched as %j', (typed, searched) => {
  expect(searchedText(typed)).toBe(searched);
});

it('a searched text is bounded and can be stored, whatever was typed', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff), { maxLength: 150 }), (codes) => {
      const text = searchedText(String.fromCharCode(...codes));
      // Neither control characters nor half of a pair, which a database does not store.
      expect(text).not.toMatch(/[\p{Cc}\p{Cs}]/u);
      expect(text === '' || [...text].length >= LEAST_LETTERS).toBe(true);
      // A few letters are longer in lower case.
      expect(text.length).toBeLessThanOrEqual(MOST_LETTERS * 3);
    }),
  );
});

it.each([
  ['#1042', 1042],
  ['1042', 1042],
  ['#', null],
  ['fr-09', null],
  ['9'.repeat(16), null],
])('the text %s is the alarm number %s', (text, number) => {
  expect(alarmNumber(text)).toBe(number);
});
