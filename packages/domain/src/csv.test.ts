import { expect, it } from 'vitest';
import { csvFile, csvRow } from './csv.ts';

it.each<[string, string | number, string]>([
  ['plain text', 'Keeper', 'Keeper'],
  ['a comma', 'a,b', '"a,b"'],
  ['a quotation mark', 'a "b"', '"a ""b"""'],
  ['a line break', 'a\nb', '"a\nb"'],
  ['a formula', '=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
  ['a formula with a plus sign', '+1+1', "'+1+1"],
  ['a formula with a minus sign', '-2+3', "'-2+3"],
  ['a formula with an at sign', '@SUM(A1)', "'@SUM(A1)"],
  ['a tab before a formula', '\t=1', "'\t'=1"],
  ['a space before a formula', ' =1', "' =1"],
  ['a zero-width character before a formula', '\u200b=1', "'\u200b=1"],
  ['a formula with a full-width sign', '＝1', "'＝1"],
  ['a formula with a full-width sign after a semicolon', 'x;\u200b＠SUM', "x;\u200b'＠SUM"],
  ['a space before a word', ' x=1', ' x=1'],
  ['a formula after a semicolon', "x;=cmd|' /C calc'!A0", "x;'=cmd|' /C calc'!A0"],
  ['a formula after a tab', 'x\t =1', "x\t '=1"],
  ['a negative number is not a formula', -2, '-2'],
  ['nothing', '', ''],
])('a CSV cell is written safely: %s', (_name, value, wanted) => {
  expect(csvRow([value])).toBe(`${wanted}\r\n`);
});

it('the file starts with a byte order mark for UTF-8', () => {
  expect(csvFile([['a', 1], ['冷']])).toBe('\ufeffa,1\r\n冷\r\n');
});
