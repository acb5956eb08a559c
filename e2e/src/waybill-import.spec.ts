import * as xlsx from '@e965/xlsx';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, type ConsolePage, logInAs, startConsoleBrowser } from './console-page.ts';
import { clippedLabels, overflow, smallTargets, violations } from './page-checks.ts';
import { queryDatabase } from './stored.ts';

/** A dispatcher imports the waybills of a day from a spreadsheet in which faults were planted, and corrects it. */
let demo: DemoServer;
let browser: ConsoleBrowser;

beforeAll(async () => {
  demo = await startDemoServer({ LOG_LEVEL: 'warn' });
  await queryDatabase(
    demo.databaseUrl,
    `insert into asset (organization_id, kind, code, name)
     select o.id, 'vehicle', a.code, a.code from organization o, (values ('HU-A 1'), ('HU-A 2')) as a(code)
      where o.code = 'DEMO'`,
  );
  browser = await startConsoleBrowser();
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

const HEAD = [
  'Number',
  'Organisation',
  'Asset type',
  'Asset',
  'Planned departure',
  'Consignor',
  'Consignee',
  'Lowest temperature',
  'Highest temperature',
  'Goods',
  'Quantity',
];
type Row = readonly string[];
const row = (number: string, changes: Record<number, string> = {}): Row =>
  [
    number,
    'DEMO',
    'Vehicle',
    'HU-A 1',
    '2027-12-25 08:30',
    'Warehouse',
    'Clinic',
    '2',
    '8',
    'Insulin',
    '40',
  ].map((cell, at) => changes[at] ?? cell);

function sheet(name: string, rows: readonly Row[]) {
  const book = xlsx.utils.book_new();
  xlsx.utils.book_append_sheet(book, xlsx.utils.aoa_to_sheet([HEAD, ...rows] as string[][]), 'Waybills');
  const buffer = xlsx.write(book, { type: 'buffer', bookType: 'xlsx', compression: true }) as Buffer;
  return { name, mimeType: 'application/octet-stream', buffer };
}

/** What was planted: the row as it is in the file, and what the page must say of it. */
const FAULTS: [planted: Row, column: string, value: string, message: string][] = [
  [row('', {}), 'Number', '', 'Required.'],
  [row('W-IMP-1'), 'Number', 'W-IMP-1', 'Duplicate of row 2.'],
  [row('W-IMP-3', { 3: 'HU-X 9' }), 'Asset', 'HU-X 9', 'No single asset of this type has this name or code.'],
  [row('W-IMP-4', { 4: '' }), 'Planned departure', '', 'Required.'],
  [
    row('W-IMP-5', { 4: '25/12/2027' }),
    'Planned departure',
    '25/12/2027',
    'Wrong time format. Write it as 2027-12-25 08:30.',
  ],
  [row('W-IMP-6', { 7: 'cold' }), 'Lowest temperature', 'cold', 'Enter a number, for example 1,250.5.'],
  [
    row('W-IMP-7', { 7: '8', 8: '2' }),
    'Highest temperature',
    '2',
    'The maximum temperature is below the minimum.',
  ],
];
const CORRECTED = Array.from({ length: 8 }, (_, at) =>
  row(`W-IMP-${at + 1}`, { 3: at % 2 ? 'HU-A 2' : 'HU-A 1' }),
);

async function faultsOf({ page, settled }: ConsolePage): Promise<string[]> {
  await settled();
  const excess = await overflow(page);
  return [
    // Colours are checked with all pages.
    ...(await violations(page, { without: ['color-contrast'] })),
    ...(await clippedLabels(page)),
    ...((page.viewportSize()?.width ?? 0) < 992 ? await smallTargets(page) : []),
    ...(excess > 0 ? [`${excess} px wider than the screen`] : []),
  ];
}

async function openImport(options: { width?: number; dark?: boolean } = {}): Promise<ConsolePage> {
  const opened = await browser.open(options);
  await logInAs(opened.page, demo.url, 'demo.manager', 'Isotherm-2026');
  await opened.page.goto(`${demo.url}/waybill/list?import=1`);
  return opened;
}

const choose = ({ page }: ConsolePage, file: ReturnType<typeof sheet>) =>
  page.getByLabel('Choose a file or drop it here').setInputFiles(file);

/** The rows of the table of errors. */
const reported = ({ page }: ConsolePage) =>
  page
    .getByRole('dialog')
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((each) => [...each.querySelectorAll('td')].map((cell) => cell.textContent)),
    );

test('waybills with planted faults are refused row by row; the corrected file is imported and is in the list', async () => {
  const opened = await openImport();
  const { page } = opened;
  await choose(opened, { name: 'waybills.csv', mimeType: 'text/csv', buffer: Buffer.from(HEAD.join(',')) });
  await page.getByText('Upload format must be xls or xlsx.', { exact: true }).waitFor();

  await choose(opened, sheet('monday.xlsx', [row('W-IMP-1'), ...FAULTS.map(([planted]) => planted)]));
  await page.getByText('8 rows checked, nothing imported yet: 1 valid, 7 with errors.').waitFor();
  expect(await reported(opened)).toEqual(
    FAULTS.map(([, column, value, message], at) => [String(at + 3), column, value, message]),
  );
  expect(await faultsOf(opened)).toEqual([]);
  // Nobody imports a file that is to be corrected.
  await page.locator('.confirm-foot').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.getByText('No waybills yet', { exact: true }).waitFor();

  await page.goto(`${demo.url}/waybill/list?import=1`);
  await choose(opened, sheet('monday-corrected.xlsx', CORRECTED));
  await page.getByText('8 rows checked, nothing imported yet: 8 valid, 0 with errors.').waitFor();
  await page.getByRole('button', { name: 'Import 8 rows' }).click();
  await page.getByText('8 updated successfully, 0 failed').waitFor();
  await page.locator('.confirm-foot').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  for (const [number] of CORRECTED)
    await page
      .getByText(number as string, { exact: true })
      .first()
      .waitFor();

  await page.getByText('W-IMP-7', { exact: true }).first().click();
  await page.getByRole('heading', { name: 'W-IMP-7', exact: true }).waitFor();
  const head = page.locator('.detail-head');
  await head.getByText('Not shipped', { exact: true }).waitFor();
  await head.getByText('HU-A 1', { exact: true }).waitFor();
  await page.getByText('No positions or geofences for this trip.').waitFor();
  expect(await faultsOf(opened)).toEqual([]);
  expect(opened.faults).toEqual([]);
  await opened.context.close();
});

test('the faults of a file can be read on a phone with the dark theme', async () => {
  const opened = await openImport({ width: 390, dark: true });
  await choose(
    opened,
    sheet(
      'tuesday.xlsx',
      FAULTS.map(([planted]) => planted),
    ),
  );
  await opened.page.getByText(/^7 rows checked, nothing imported yet/).waitFor();
  expect((await reported(opened)).map(([at]) => at)).toEqual(['2', '3', '4', '5', '6', '7', '8']);
  expect(await faultsOf(opened)).toEqual([]);
  expect(opened.faults).toEqual([]);
  await opened.context.close();
});
