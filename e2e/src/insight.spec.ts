import { readFile } from 'node:fs/promises';
import { read, utils } from '@e965/xlsx';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, logInAs, startConsoleBrowser } from './console-page.ts';
import { violations } from './page-checks.ts';
import { queryDatabase } from './stored.ts';

/** What a manager looks at once a day: dashboard, reports and statistics, compared with what is stored. */
let demo: DemoServer;
let browser: ConsoleBrowser;
const PASSWORD = 'Isotherm-2026';

beforeAll(async () => {
  demo = await startDemoServer({
    LOG_LEVEL: 'warn',
    ISOTHERM_ENVIRONMENT: 'development',
    ISOTHERM_SEAL_AFTER_HOURS: '10000',
  });
  const fleet = await demo.startFleet({ historyDays: 2 });
  // The numbers are compared with what is stored; live readings would change them.
  await fleet.program.stop();
  browser = await startConsoleBrowser();
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

/** The organisations that the manager sees. */
const SCOPE = `with scope as (
  select o.id as organization_id from account me join organization own on own.id = me.organization_id
    join organization o on o.path like own.path || '%' where me.username = 'demo.manager')`;

async function open() {
  const opened = await browser.open();
  await logInAs(opened.page, demo.url, 'demo.manager', PASSWORD);
  return opened;
}

/** The titles of the tiles, in their order. */
const tiles = (page: Page) => page.locator('.dashboard > section h2').allTextContents();

/** Orders the spreadsheet of the report, and returns the rows of each of its sheets. */
async function orderedSheets(page: Page): Promise<Record<string, unknown[][]>> {
  await page.getByRole('button', { name: 'XLSX' }).click();
  const drawer = page.getByRole('dialog', { name: 'Downloads' });
  await drawer.getByText('Ready', { exact: true }).waitFor();
  const saved = page.waitForEvent('download');
  await drawer.getByRole('button', { name: 'Download' }).click();
  const book = read(await readFile(await (await saved).path()));
  await drawer.getByRole('button', { name: 'Delete' }).click();
  await drawer.getByText('No downloads yet').waitFor();
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'hidden' });
  return Object.fromEntries(
    book.SheetNames.map((name) => [
      name,
      utils.sheet_to_json<unknown[]>(book.Sheets[name] as never, { header: 1 }),
    ]),
  );
}

/** The table in the frame with this label; its panel may have the same one. */
const tableOf = (page: Page, label: string) =>
  page.getByRole('region', { name: label, exact: true }).last().getByRole('table');

/** The range of the last two days as a query, and for the database. */
function twoDays() {
  const to = new Date();
  const from = new Date(to.getTime() - 2 * 86_400_000);
  return { from, to, query: new URLSearchParams({ from: from.toISOString(), to: to.toISOString() }) };
}

test('the dashboard answers first, each number leads to its list, and the layout of its tiles is kept', async () => {
  const { page, faults, context } = await open();
  await page.goto(`${demo.url}/dashboard`);
  const headline = page.getByRole('region', { name: 'Summary' });
  await headline.waitFor();
  const [stored] = await queryDatabase<{ devices: number; open: number }>(
    demo.databaseUrl,
    `${SCOPE} select (select count(*)::int from device join scope using (organization_id) where deleted_at is null) as devices,
                     (select count(*)::int from alarm join scope using (organization_id) where ended_at is null) as open`,
  );
  const devices = page.getByRole('region', { name: 'Devices', exact: true });
  expect(await devices.textContent()).toContain(`list${stored?.devices} registered`);
  expect(await page.getByRole('region', { name: 'Current alarms' }).textContent()).toContain(
    `${stored?.open} open`,
  );
  expect(await violations(page)).toEqual([]);

  await devices.getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Device list', level: 1 }).waitFor();
  await page.goBack();
  await headline.waitFor();

  const before = await tiles(page);
  await page.getByRole('button', { name: 'Arrange tiles' }).click();
  await page
    .getByRole('region', { name: before[0] as string })
    .getByRole('button', { name: 'Move later' })
    .click();
  await page
    .getByRole('region', { name: before.at(-1) as string })
    .getByRole('button', { name: 'Hide tile' })
    .click();
  await page.getByRole('button', { name: 'Save layout' }).click();
  await page.getByText('Layout saved').waitFor();
  const arranged = [before[1], before[0], ...before.slice(2, -1)];
  expect(await tiles(page)).toEqual(arranged);
  await page.reload();
  await headline.waitFor();
  expect(await tiles(page)).toEqual(arranged);

  await page.getByRole('button', { name: 'Arrange tiles' }).click();
  await page.getByRole('button', { name: 'Reset to default' }).click();
  await page.getByText('Layout saved').waitFor();
  expect(await tiles(page)).toEqual(before);
  expect(faults).toEqual([]);
  await context.close();
});

test('the alarm report counts the stored alarms, and its numbers lead to them', async () => {
  const { page, faults, context } = await open();
  const { from, to, query } = twoDays();
  const [stored] = await queryDatabase<{ alarms: number }>(
    demo.databaseUrl,
    `${SCOPE} select count(*)::int as alarms from alarm join scope using (organization_id)
               where raised_at >= $1 and raised_at < $2`,
    [from, to],
  );
  expect(stored?.alarms).toBeGreaterThan(0);
  await page.goto(`${demo.url}/report/alarms?${query}`);
  await page.locator('.report-answer', { hasText: new RegExp(`^${stored?.alarms} alarm`) }).waitFor();
  const sites = tableOf(page, 'Sites');
  await sites.waitFor();
  const total = (await sites.getByRole('row').allTextContents()).length - 1;
  expect(total).toBeGreaterThan(0);
  const sheets = await orderedSheets(page);
  const alarms = Object.values(sheets).find((rows) => rows.length >= (stored?.alarms ?? 0) + 1);
  expect(alarms).toBeDefined();

  await sites.getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Alarm history', level: 1 }).waitFor();
  expect(new URL(page.url()).searchParams.get('from')).not.toBeNull();
  expect(faults).toEqual([]);
  await context.close();
});

test('the device report shows the completeness of each device, and the file has the same rows', async () => {
  const { page, faults, context } = await open();
  const { query } = twoDays();
  await page.goto(`${demo.url}/report/devices?${query}`);
  const table = tableOf(page, 'Devices');
  await table.waitFor();
  const first = table.getByRole('row').nth(1);
  const name = (await first.getByRole('link').first().textContent()) as string;
  const sheets = await orderedSheets(page);
  expect(
    Object.values(sheets)
      .flat(2)
      .filter((cell) => cell === name),
  ).toHaveLength(1);
  await page.getByRole('columnheader', { name: 'Battery' }).getByRole('button').click();
  await expect.poll(() => new URL(page.url()).search).toContain('battery');
  await first.getByRole('link').first().click();
  await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/device\/list\/\d+$/);
  expect(faults).toEqual([]);
  await context.close();
});

test('statistics are grouped by site, model and day, and the sum is that of the alarm report', async () => {
  const { page, faults, context } = await open();
  const { query } = twoDays();
  await page.goto(`${demo.url}/report/alarms?${query}`);
  const answer = (await page.locator('.report-answer').first().textContent()) as string;
  const alarms = /^[\d,]+/.exec(answer)?.[0] as string;
  await page.goto(`${demo.url}/report/statistics?${query}`);
  for (const label of ['By site', 'By device model', 'By day']) {
    await page.getByRole('combobox', { name: 'Group by' }).click();
    await page.locator('.ant-select-item-option').filter({ hasText: label }).click();
    const total = tableOf(page, label).getByRole('row').nth(1);
    await total.waitFor();
    expect(await total.getByRole('cell').allTextContents()).toEqual(
      expect.arrayContaining([expect.stringMatching(new RegExp(`^${alarms}(before|$)`))]),
    );
    await page.locator('.report-chart canvas, .report-chart svg').first().waitFor();
  }
  const sheets = await orderedSheets(page);
  expect(Object.keys(sheets).length).toBeGreaterThan(1);
  expect(await violations(page)).toEqual([]);
  expect(faults).toEqual([]);
  await context.close();
});
