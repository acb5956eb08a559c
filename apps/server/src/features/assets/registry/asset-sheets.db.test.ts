import * as xlsx from '@e965/xlsx';
import type { AssetRecord } from '@isotherm/contracts/asset-registry';
import type { ImportReport } from '@isotherm/contracts/batches';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDone } from '../../../testing/people.ts';
import { type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
let manager: Session;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
});
afterAll(() => server.stop());

type Cells = readonly (readonly (string | number)[])[];

function bytesOf(rows: Cells): Uint8Array {
  const book = xlsx.utils.book_new();
  xlsx.utils.book_append_sheet(book, xlsx.utils.aoa_to_sheet(rows as unknown[][]), 'Assets');
  return new Uint8Array(xlsx.write(book, { type: 'buffer', bookType: 'xlsx', compression: true }) as Buffer);
}
const upload = async (kind: string, bytes: Uint8Array, dryRun = true) =>
  server.call<ImportReport>({
    method: 'POST',
    path: '/api/asset/import',
    session: manager,
    fields: { kind, file: { name: 'assets.xlsx', bytes }, dryRun: String(dryRun) },
  });
const sheetOf = (content: string) => {
  const book = xlsx.read(Buffer.from(content, 'base64'));
  return xlsx.utils.sheet_to_json<string[]>(book.Sheets[book.SheetNames[0] ?? ''] as xlsx.WorkSheet, {
    header: 1,
    raw: false,
    defval: '',
  });
};
const list = async (search: string) =>
  expectDone(
    await server.call<{ items: AssetRecord[] }>({
      path: '/api/asset',
      session: manager,
      query: { search, pageSize: '200' },
    }),
  ).items;

const HEAD = [
  'Name *',
  'Code',
  'Plate',
  '类型',
  'Organisation',
  'Size',
  'Volume',
  'Two compressors',
  'Latitude',
];
const truck = (code: string, over: Partial<Record<number, string | number>> = {}) =>
  [`Truck ${code}`, code, `B-${code}`, 'REFRIGERATED truck', 'DEMO-HOSPITAL', '2,3,4', '12,5', 'yes', ''].map(
    (cell, at) => over[at] ?? cell,
  );

describe('errors in the rows of an asset import', () => {
  it.each([
    ['a code with whitespace', { 1: 'A 1' }, 'Code'],
    ['a missing plate', { 2: '' }, 'Plate'],
    ['an invalid type', { 3: 'Sledge' }, 'Type'],
    ['an organisation outside the scope', { 4: 'PLATFORM' }, 'Organisation'],
    ['Asset size: exactly three comma-separated numbers', { 5: '2,3' }, 'Size in mm'],
    ['Volume: one decimal', { 6: '1.25' }, 'Volume'],
    ['a value other than yes or no', { 7: 'perhaps' }, 'Two compressors'],
    ['a latitude or longitude alone', { 8: '31.2' }, 'Longitude'],
  ])('a row error is reported: %s', async (_name, over, column) => {
    const report = expectDone(await upload('vehicle', bytesOf([HEAD, truck('T-1', over)])));
    expect(report).toMatchObject({ rows: 1, fail: 1, written: false });
    expect(report.failures.map((fault) => [fault.row, fault.column])).toEqual([[2, column]]);
  });

  it('a code that occurs twice in the file is refused, and so is a code that already exists', async () => {
    expectDone(await upload('vehicle', bytesOf([HEAD, truck('T-0')]), false));
    const report = expectDone(
      await upload('vehicle', bytesOf([HEAD, truck('T-1'), truck('T-1'), truck('T-0')])),
    );
    expect(report.failures.map(({ row, message }) => [row, message])).toEqual([
      [3, 'Duplicate of row 2.'],
      [4, expect.stringContaining('T-0')],
    ]);
    expect(await list('T-1')).toEqual([]);
  });
});

it('an unknown column is reported and ignored', async () => {
  const rows = [
    [...HEAD, 'Colour'],
    [...truck('T-2'), 'red'],
  ];
  expect(expectDone(await upload('vehicle', bytesOf(rows)))).toMatchObject({
    success: 1,
    ignored: ['Colour'],
  });
});

it('valid rows are written and logged, the others are skipped, and an export can be imported again', async () => {
  const report = expectDone(
    await upload('vehicle', bytesOf([HEAD, truck('T-7'), truck('T-8', { 3: 'Sledge' })]), false),
  );
  expect(report).toMatchObject({ rows: 2, success: 1, fail: 1, written: true });
  const [made] = await list('T-7');
  expect(made).toMatchObject({
    plate: 'B-T-7',
    type: 'refrigerated-truck',
    size: '2,3,4',
    volume: 12.5,
    dualCompressor: true,
    dualPower: false,
  });
  const { rows } = await server.pool.query(
    `select action, object_name from audit_entry where object_kind = 'asset' order by seq desc limit 2`,
  );
  expect(rows.map(({ action }) => action).sort()).toEqual(['create', 'import']);

  const query = { kind: 'vehicle', search: 'T-7' };
  const exported = expectDone(
    await server.call<{ content: string; rows: number; limited: boolean }>({
      path: '/api/asset/export',
      session: manager,
      query,
    }),
  );
  expect(exported).toMatchObject({ rows: 1, limited: false });
  const again = sheetOf(exported.content).map((cells, at) =>
    cells.map((cell) => (at === 1 ? cell.replace('T-7', 'T-9') : cell)),
  );
  expectDone(await upload('vehicle', bytesOf(again), false));
  const [copy] = await list('T-9');
  const { id: _, code: __, createdAt: ___, name: ____, plate: _____, ...rest } = made as AssetRecord;
  expect(copy).toMatchObject(rest);
});

it('formulas are imported as text and exported as text', async () => {
  const rows = [HEAD, truck('T-F', { 0: '=HYPERLINK("http://x")' })];
  expectDone(await upload('vehicle', bytesOf(rows), false));
  const query = { kind: 'vehicle', search: 'T-F' };
  const { content } = expectDone(
    await server.call<{ content: string }>({ path: '/api/asset/export', session: manager, query }),
  );
  const book = xlsx.read(Buffer.from(content, 'base64'));
  const cell = (book.Sheets[book.SheetNames[0] ?? ''] as xlsx.WorkSheet).A2 as xlsx.CellObject;
  expect(cell.f).toBeUndefined();
  expect(cell.t).toBe('s');
});

it('the template contains the columns of its asset kind', async () => {
  const heads = async (kind: string) =>
    sheetOf(
      expectDone(
        await server.call<{ content: string }>({
          path: '/api/asset/template',
          session: manager,
          query: { kind },
        }),
      ).content,
    )[0];
  expect(await heads('vehicle')).toContain('Plate *');
  expect(await heads('container')).not.toContain('Plate *');
  expect(await heads('refrigerator')).toContain('Brand');
});
