import { readFile } from 'node:fs/promises';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, type ConsolePage, logInAs, startConsoleBrowser } from './console-page.ts';
import { clippedLabels, overflow, smallTargets, violations } from './page-checks.ts';

/** The papers and links of a delivered waybill of the demo, in a real browser. */
let demo: DemoServer;
let browser: ConsoleBrowser;
const PASSWORD = 'Isotherm-2026';
const NUMBER = 'W-2026-88214';

beforeAll(async () => {
  demo = await startDemoServer({ LOG_LEVEL: 'warn', ISOTHERM_ENVIRONMENT: 'development' });
  await demo.startFleet({ historyDays: 1, records: true });
  browser = await startConsoleBrowser();
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

/** What is wrong with a page on a phone. */
async function faultsOf({ page, settled }: ConsolePage): Promise<string[]> {
  await settled();
  const excess = await overflow(page);
  return [
    ...(await violations(page)),
    ...(await clippedLabels(page)),
    ...(await smallTargets(page)),
    ...(excess > 0 ? [`${excess} px wider than the screen`] : []),
  ];
}

async function openWaybill() {
  const opened = await browser.open();
  const { page } = opened;
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  await page.goto(`${demo.url}/waybill/list?search=${NUMBER}`);
  await page.getByText(NUMBER, { exact: true }).first().click();
  await page.getByRole('heading', { name: NUMBER, exact: true }).waitFor();
  return opened;
}

test('the trip report of a delivered waybill verifies without login, and one with a changed byte does not', async () => {
  const { page, faults, context } = await openWaybill();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Create trip report', exact: true }).click();
  const report = await readFile(await (await saved).path());
  // The address that the QR code contains is a link in the document.
  const [, path] = /\/URI \(https?:\/\/[^)]*?(\/verify\/[\w-]{22})\)/.exec(report.toString('latin1')) ?? [];
  expect(path).toBeDefined();
  expect(faults).toEqual([]);
  await context.close();

  const stranger = await browser.open({ width: 390 });
  await stranger.page.goto(`${demo.url}${path}`);
  await stranger.page.getByText('Trip report', { exact: true }).waitFor();
  const check = (name: string, buffer: Buffer) =>
    stranger.page.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/pdf', buffer });
  await check('report.pdf', report);
  await stranger.page.getByText('This file is genuine.', { exact: true }).waitFor();
  const changed = Buffer.from(report);
  changed[changed.length >> 1] = (changed[changed.length >> 1] as number) ^ 1;
  await check('changed.pdf', changed);
  await stranger.page.getByText(/^This file is not report TR-\d{4}-\d{6}\.$/).waitFor();
  expect(await faultsOf(stranger)).toEqual([]);
  expect(stranger.faults).toEqual([]);
  await stranger.context.close();
});

test('a link shows the shipment without login, in the dark and on a phone, until it is revoked', async () => {
  const { page, faults, context } = await openWaybill();
  const links = page.getByRole('region', { name: 'Public links', exact: true });
  await links.getByRole('button', { name: 'Create link', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'New link', exact: true });
  const [, path] = /(\/link\/shipment\/[\w-]{22})/.exec(await dialog.innerText()) ?? [];
  await dialog.getByRole('button', { name: "I've saved it", exact: true }).click();

  const stranger = await browser.open({ width: 390, dark: true });
  await stranger.page.goto(`${demo.url}${path}`);
  await stranger.page.getByRole('heading', { name: NUMBER, exact: true }).waitFor();
  await stranger.page.getByRole('img', { name: /^Temperatures from/ }).waitFor();
  await stranger.page.getByRole('img', { name: 'Route, north up', exact: true }).waitFor();
  expect(await faultsOf(stranger)).toEqual([]);

  await page.reload();
  await links.getByText(/last opened/).waitFor();
  await links.getByRole('button', { name: /^Revoke the link/ }).click();
  await links.getByText('There are no links.', { exact: true }).waitFor();
  await stranger.page.reload();
  await stranger.page.getByRole('heading', { name: 'Link not valid', exact: true }).waitFor();
  expect(await stranger.page.getByText(NUMBER).count()).toBe(0);
  expect(stranger.faults).toEqual([]);
  expect(faults).toEqual([]);
  await stranger.context.close();
  await context.close();
});
