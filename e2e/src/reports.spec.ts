import { readFile } from 'node:fs/promises';
import { read, utils } from '@e965/xlsx';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, logInAs, startConsoleBrowser } from './console-page.ts';
import { queryDatabase } from './stored.ts';

/** Reports and downloads in a real browser, with the fleet of the demo. */
let demo: DemoServer;
let browser: ConsoleBrowser;
const PASSWORD = 'Isotherm-2026';

beforeAll(async () => {
  demo = await startDemoServer({ LOG_LEVEL: 'warn', ISOTHERM_ENVIRONMENT: 'development' });
  const fleet = await demo.startFleet({ historyDays: 2 });
  // The report is compared with what is stored; live readings would only change it.
  await fleet.program.stop();
  browser = await startConsoleBrowser();
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

test('a report is ordered, its progress is shown, and the downloaded file contains what was measured', async () => {
  const { page, faults, context } = await browser.open();
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  const to = new Date();
  const from = new Date(to.getTime() - 2 * 86_400_000);
  const [asset] = await queryDatabase<{ id: number; name: string; channel: number }>(
    demo.databaseUrl,
    `select a.id, a.name, c.id as channel from asset a join channel c on c.asset_id = a.id
      where a.code = 'FR-03' and c.indicator = 'temperature' order by c.id limit 1`,
  );
  const address = new URLSearchParams({
    assets: String(asset?.id),
    from: from.toISOString(),
    to: to.toISOString(),
  });
  await page.goto(`${demo.url}/report/records?${address}`);
  const summary = page.getByRole('region', { name: 'Summary' }).first();
  await summary
    .getByText(/within|outside|No limits/)
    .first()
    .waitFor();

  await page.getByRole('button', { name: 'XLSX, every reading' }).click();
  const drawer = page.getByRole('dialog', { name: 'Downloads' });
  await drawer.getByText('Ready', { exact: true }).waitFor();
  const saved = page.waitForEvent('download');
  await drawer.getByRole('button', { name: 'Download' }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toMatch(/^records-.*\.xlsx$/);
  const book = read(await readFile(await download.path()));
  const rows = utils.sheet_to_json<unknown[]>(book.Sheets.Readings as never, { header: 1 });
  const column = (rows[0] as string[]).findIndex((title) => title.startsWith(asset?.name ?? ''));
  const values = rows.slice(1).flatMap((row) => (typeof row[column] === 'number' ? [row[column]] : []));
  const stored = await queryDatabase<{ value: number }>(
    demo.databaseUrl,
    'select value from reading where channel_id = $1 and measured_at >= $2 and measured_at < $3 order by measured_at',
    [asset?.channel, from, to],
  );
  expect(values.length).toBeGreaterThan(500);
  expect(values).toEqual(stored.map(({ value }) => Number(value.toFixed(4))));

  await drawer.getByRole('button', { name: 'Delete' }).click();
  await drawer.getByText('No downloads yet').waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

test('a phone shows the downloads', async () => {
  const { page, faults, context } = await browser.open({ width: 390, height: 844 });
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  await page.goto(`${demo.url}/report/records`);
  await page.getByText('No assets chosen').waitFor();
  await page.getByRole('button', { name: 'Downloads' }).click();
  await page.getByRole('dialog', { name: 'Downloads' }).getByText('No downloads yet').waitFor();
  expect(faults).toEqual([]);
  await context.close();
});
