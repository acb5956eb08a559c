import * as xlsx from '@e965/xlsx';
import fc from 'fast-check';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { expect, it } from 'vitest';
import { readSheet, type Sheet, writeBook } from './sheets.ts';

const MAX_ROWS = 100;

function book(rows: unknown[][], type: 'xlsx' | 'xls' | 'xlsm' = 'xlsx', hidden = false): Uint8Array {
  const made = xlsx.utils.book_new();
  if (hidden) xlsx.utils.book_append_sheet(made, xlsx.utils.aoa_to_sheet([['secret']]), 'Hidden');
  xlsx.utils.book_append_sheet(made, xlsx.utils.aoa_to_sheet(rows), 'Sheet');
  if (hidden) made.Workbook = { Sheets: [{ Hidden: 1 }, { Hidden: 0 }] };
  return xlsx.write(made, { type: 'buffer', bookType: type });
}
const readAll = (bytes: Uint8Array, name = 'a.xlsx') =>
  readSheet({ name, mediaType: '', bytes }, MAX_ROWS, 'anna');
const read = async (bytes: Uint8Array, name?: string) => (await readAll(bytes, name)).rows;
const refusal = async (work: Promise<unknown>) =>
  ((await work.catch((error) => error)) as { code: string }).code;

const ROWS = [
  ['Account', 'Since'],
  ['wang.fang', '2026-01-02'],
];

it('a spreadsheet that was written is read back correctly in four languages', async () => {
  const rows = [
    ['Cuenta', '帐号', '帳號'],
    ['Ñandú', '王芳', '=1+1'],
  ];
  expect(await read(await writeBook('anna', { name: 'Users', rows, widths: [10, 10, 10] }))).toEqual(rows);
});
it('two sheets with more rows than are written at a time keep all rows in order', async () => {
  const long = (word: string) => Array.from({ length: 1201 }, (_, at) => [`${word} ${at}`]);
  const [first, second] = ['first', 'second'].map((name) => ({ name, rows: long(name), widths: [10] }));
  const bytes = await writeBook('anna', first as Sheet, second as Sheet);
  const { Sheets, SheetNames } = xlsx.read(bytes);
  expect(SheetNames).toEqual(['first', 'second']);
  for (const name of SheetNames)
    expect(xlsx.utils.sheet_to_json(Sheets[name] as xlsx.WorkSheet, { header: 1 })).toEqual(long(name));
});
it('any text that was written is read back, and what no spreadsheet can contain is left out', async () => {
  const cell = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom('&lt;', ' "x" ', ']]>', ''),
  );
  const rows = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 20 });
  const ended = (cells: readonly string[]) =>
    cells.some((text) => text.trim() !== '')
      ? cells.slice(0, cells.findLastIndex((text) => text !== '') + 1)
      : [];
  await fc.assert(
    fc.asyncProperty(rows, async (given) => {
      const found = await read(await writeBook('anna', { name: 'Any', rows: given, widths: [10, 20] }));
      expect(given.map((_, at) => ended(found[at] ?? []))).toEqual(given.map(ended));
    }),
    { numRuns: 15 },
  );
  const impossible = `a\u0000b\uFFFEc\uFFFFd${'x'.repeat(40_000)}`;
  const { Sheets } = xlsx.read(await writeBook('anna', { name: 'S', rows: [[impossible]], widths: [10] }));
  const v = String(Sheets.S?.A1?.v);
  expect(v.startsWith('abcdx')).toBe(true);
  expect(v.length).toBeLessThanOrEqual(32_767);
});
it('of one person, only so many files are written at once as may wait', async () => {
  const sheet = { name: 'S', rows: [['a']], widths: [10] };
  const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => writeBook('bea', sheet)));
  expect(outcomes.map(({ status }) => status)).toEqual([...Array(5).fill('fulfilled'), 'rejected']);
  expect(await refusal(Promise.all(Array.from({ length: 6 }, () => writeBook('bea', sheet))))).toBe(
    'request.too_many',
  );
});
it('xls and xlsx files are read', async () => {
  expect(await read(book(ROWS))).toEqual(ROWS);
  expect(await read(book(ROWS, 'xls'), 'a.XLS')).toEqual(ROWS);
});
it('each row keeps its number, even after empty rows', async () => {
  const rows = [[null], ['Account'], [''], [null, 'x'], [' ']];
  expect(await read(book(rows))).toEqual([[], ['Account'], [], ['', 'x'], []]);
});
it('empty rows are ignored, and no row after them is lost', async () => {
  const some = Array.from({ length: MAX_ROWS }, (_, i) => [`row ${i}`]);
  const rows = await read(book([['head'], ...Array.from({ length: 50 }, () => [null]), ...some]));
  expect(rows.at(-1)).toEqual(['row 99']);
});
it('the first visible sheet is read', async () => {
  expect(await read(book(ROWS, 'xlsx', true))).toEqual(ROWS);
});
it('numbers are read as displayed', async () => {
  expect(await read(book([['n'], [13800138000]]))).toEqual([['n'], ['13800138000']]);
});
it('numeric cells are read as numbers too, whatever their format; dates and percentages are not', async () => {
  const cells: [value: number | string, format: string | undefined, number: number | undefined][] = [
    [2400, '#,##0', 2400],
    [2400, '0 "doses"', 2400],
    [2.4, '0.000', 2.4],
    [8.25, '0', 8.25],
    [0.1 + 0.2, undefined, 0.3],
    [0.5, '0%', undefined],
    [46_000, 'yyyy-mm-dd', undefined],
    ['2,400', undefined, undefined],
  ];
  const sheet = xlsx.utils.aoa_to_sheet([['', ...cells.map(([value]) => value)]]);
  cells.forEach(([, format], i) => {
    if (format) sheet[xlsx.utils.encode_cell({ r: 0, c: i + 1 })].z = format;
  });
  // The range does not begin in the first column.
  sheet['!ref'] = `B1:${xlsx.utils.encode_col(cells.length)}1`;
  const made = xlsx.utils.book_new();
  xlsx.utils.book_append_sheet(made, sheet, 'Sheet');
  const { rows, numbers } = await readAll(xlsx.write(made, { type: 'buffer', bookType: 'xlsx' }));
  expect(rows[0]?.[0]).toBe('2,400');
  expect(cells.map((_, i) => numbers[0]?.[i])).toEqual(cells.map(([, , number]) => number));
});
it('text that begins like a formula is written as text', async () => {
  const bytes = await writeBook('anna', { name: 'Users', rows: [['=HYPERLINK("http://x")']], widths: [10] });
  const cell = xlsx.read(bytes).Sheets.Users?.A1 as { f?: string; t: string };
  expect(cell).toMatchObject({ t: 's' });
  expect(cell.f).toBeUndefined();
});
it('a file that is not xls or xlsx is refused', async () => {
  expect(await refusal(read(book(ROWS), 'a.csv'))).toBe('import.format');
  expect(await refusal(read(Buffer.from('Account\nwang.fang'), 'a.xlsx'))).toBe('import.format');
  expect(await refusal(read(Buffer.from('<html>'), 'a.xls'))).toBe('import.format');
  expect(await refusal(read(zipSync({ 'a.txt': new Uint8Array(3) })))).toBe('import.format');
  expect(await refusal(read(book(ROWS).slice(0, 200)))).toBe('import.format');
});
it('a file with macros is refused', async () => {
  const made = xlsx.utils.book_new();
  xlsx.utils.book_append_sheet(made, xlsx.utils.aoa_to_sheet(ROWS), 'Sheet');
  made.vbaraw = new Uint8Array([1, 2, 3]);
  const bytes = xlsx.write(made, { type: 'buffer', bookType: 'xlsm', bookVBA: true });
  expect(await refusal(read(bytes, 'a.xlsx'))).toBe('import.format');
});
it('more rows than the limit are refused', async () => {
  const rows = Array.from({ length: MAX_ROWS + 2 }, (_, i) => [`row ${i}`]);
  expect(await refusal(read(book(rows)))).toBe('import.too_many_rows');
});
it('a file that unpacks to a gigabyte does not crash the server', async () => {
  const sheet = Buffer.concat([
    Buffer.from('<worksheet><sheetData>'),
    Buffer.alloc(400 * 1024 * 1024, '<row><c t="inlineStr"><is><t>a</t></is></c></row>'),
  ]);
  const bomb = zipSync({ '[Content_Types].xml': Buffer.from('<Types/>'), 'xl/worksheets/sheet1.xml': sheet });
  expect(bomb.length).toBeLessThan(5 * 1024 * 1024);
  const before = process.memoryUsage().heapUsed;
  expect(await refusal(read(bomb))).toBe('import.format');
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(100 * 1024 * 1024);
}, 60_000);

it('a sheet that declares the maximum size is read up to the limit, and quickly', async () => {
  const files = unzipSync(book([['username'], ['anna']]));
  const path = 'xl/worksheets/sheet1.xml';
  const xml = strFromU8(files[path] as Uint8Array)
    .replace(/<dimension ref="[^"]*"\/>/, '<dimension ref="A1:XFD1048576"/>')
    .replace(
      '</sheetData>',
      '<row r="100"><c r="XFD100"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>',
    );
  const begun = performance.now();
  const rows = await read(zipSync({ ...files, [path]: strToU8(xml) }));
  expect(performance.now() - begun).toBeLessThan(5_000);
  expect(rows.slice(0, 2).map(([first]) => first)).toEqual(['username', 'anna']);
  expect(Math.max(...rows.map((cells) => cells.length))).toBeLessThanOrEqual(256);
});
