import { read, utils } from '@e965/xlsx';
import { expect, test } from 'vitest';
import { type StreamCell, type StreamSheet, streamWorkbook } from './workbook-stream.ts';

async function* each<T>(...items: T[]): AsyncGenerator<T> {
  yield* items;
}

async function bytesOf(sheets: AsyncIterable<StreamSheet>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of streamWorkbook(sheets)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test('a spreadsheet program can read the result', async () => {
  const head = ['Time', '°C'];
  const row = (ms: number, value: number): StreamCell[] => [{ clock: Date.UTC(2026, 10, 20, 8) + ms }, value];
  const bytes = await bytesOf(
    each<StreamSheet>(
      {
        name: 'Cold store [1]: 冷库',
        head,
        rows: each([row(0, 5.1)], [row(60_000, -18.5), row(120_000, 4)]),
      },
      { name: 'cold store [1]: 冷库', head: ['<b>&"', '=1+1'], rows: each() },
    ),
  );
  const book = read(bytes, { type: 'buffer', cellDates: false });
  expect(book.SheetNames).toEqual(['Cold store  1   冷库', 'cold store  1   冷库 (2)']);
  const [first, second] = book.SheetNames.map((name) => book.Sheets[name] as never);
  expect(utils.sheet_to_json(first as never, { header: 1, raw: true })).toEqual([
    ['Time', '°C'],
    [expect.closeTo(46346 + 8 / 24, 6), 5.1],
    [expect.closeTo(46346 + 8 / 24 + 1 / 1440, 6), -18.5],
    [expect.closeTo(46346 + 8 / 24 + 2 / 1440, 6), 4],
  ]);
  expect(utils.sheet_to_csv(first as never).split('\n')[1]).toBe('2026-11-20 08:00:00,5.1');
  // Text that looks like a formula is stored as text.
  expect(utils.sheet_to_json(second as never, { header: 1 })).toEqual([['<b>&"', '=1+1']]);
});

test('rows above the row limit of a sheet continue on another sheet', async () => {
  async function* many(): AsyncGenerator<StreamCell[][]> {
    for (let portion = 0; portion < 22; portion++)
      yield Array.from({ length: 50_000 }, (_, i) => [portion * 50_000 + i]);
  }
  const bytes = await bytesOf(each<StreamSheet>({ name: 'Long', head: ['n'], rows: many() }));
  const book = read(bytes, { type: 'buffer', dense: true });
  expect(book.SheetNames).toEqual(['Long', 'Long (2)']);
  const second = utils.sheet_to_json<number[]>(book.Sheets['Long (2)'] as never, { header: 1 });
  expect([second.length, second[1], second.at(-1)]).toEqual([
    1_100_000 - 1_048_575 + 1,
    [1_048_575],
    [1_099_999],
  ]);
});
