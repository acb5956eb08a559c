import { readFile } from 'node:fs/promises';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, logInAs, startConsoleBrowser } from './console-page.ts';

/** The maps in a real browser, with the trucks of the demo. */
let demo: DemoServer;
let browser: ConsoleBrowser;
const PASSWORD = 'Isotherm-2026';

beforeAll(async () => {
  demo = await startDemoServer({ LOG_LEVEL: 'warn', ISOTHERM_ENVIRONMENT: 'development' });
  await demo.startFleet({ historyDays: 1 });
  browser = await startConsoleBrowser();
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

test('a truck is found on the live map, replayed with its temperature, and its track is exported', async () => {
  const { page, faults, context } = await browser.open();
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  await page.goto(`${demo.url}/map/monitor?tab=all`);
  // The map itself is drawn: the scale is its own.
  await page.locator('.maplibregl-ctrl-scale').waitFor();
  await page.getByRole('button', { name: /Truck HU-A 7E115/ }).click();
  await page.locator('.maps-card').getByText('Truck HU-A 7E115', { exact: true }).waitFor();
  await page.locator('.maps-card').getByRole('link', { name: 'Replay', exact: true }).click();

  const events = page.getByRole('region', { name: 'Events', exact: true });
  await events.getByText('First position', { exact: true }).waitFor();
  await events
    .getByText(/^Stop, /)
    .first()
    .click();
  const time = page.getByRole('slider', { name: 'Time', exact: true });
  const before = Number(await time.inputValue());
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await expect.poll(async () => Number(await time.inputValue())).toBeGreaterThan(before);
  await page.getByRole('button', { name: 'Pause', exact: true }).click();

  await page.getByRole('button', { name: 'Export track', exact: true }).click();
  const saved = page.waitForEvent('download');
  await page.getByText('GPX', { exact: true }).click();
  const file = await readFile(await (await saved).path(), 'utf8');
  expect(file.match(/<trkpt /g)?.length).toBeGreaterThan(100);
  expect(faults).toEqual([]);
  await context.close();
});

test('a replay is shared by a link that shows it without login, and nothing after it is revoked', async () => {
  const { page, faults, context } = await browser.open();
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  await page.goto(`${demo.url}/map/monitor?tab=all`);
  await page.getByRole('button', { name: /Truck HU-A 7E115/ }).click();
  await page.locator('.maps-card').getByRole('link', { name: 'Replay', exact: true }).click();
  await page.getByText('First position', { exact: true }).waitFor();
  await page.getByRole('button', { name: '300', exact: true }).click();
  await page.getByRole('button', { name: 'Share replay', exact: true }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: /^Name/ }).fill('Morning run');
  await form.getByRole('button', { name: 'Create link', exact: true }).click();
  const address = await page.getByText(/\/map\/replay\/shared#/).innerText();
  await page.getByRole('button', { name: "I've saved it", exact: true }).click();

  const guest = await browser.open();
  const link = `${demo.url}${new URL(address).pathname}${new URL(address).hash}`;
  const calls: string[] = [];
  guest.page.on('request', (request) => {
    if (request.url().includes('/api/')) calls.push(new URL(request.url()).pathname);
  });
  await guest.page.goto(link);
  await guest.page.getByRole('heading', { name: 'Morning run', exact: true }).waitFor();
  await guest.page.locator('.maplibregl-ctrl-scale').waitFor();
  expect(
    await guest.page.getByRole('button', { name: '300', exact: true }).getAttribute('aria-pressed'),
  ).toBe('true');
  // Map, chart and list show the same time.
  const stop = guest.page.getByRole('region', { name: 'Events', exact: true }).getByText(/^Stop, /);
  await stop.first().click();
  const time = guest.page.getByRole('slider', { name: 'Time', exact: true });
  const before = Number(await time.inputValue());
  await guest.page.locator('.chart-frame canvas').first().waitFor();
  await guest.page.locator('.readout').getByText(/°C/).first().waitFor();
  await guest.page.getByRole('button', { name: 'Play', exact: true }).click();
  await expect.poll(async () => Number(await time.inputValue())).toBeGreaterThan(before);
  // Nothing but the link was asked for, and nothing else can be opened from here.
  expect(calls.every((path) => path.startsWith('/api/link/replay'))).toBe(true);
  expect(await guest.page.getByRole('link').count()).toBe(0);
  const theme = () => guest.page.evaluate(() => document.documentElement.dataset.theme);
  const wasDark = (await theme()) === 'dark';
  await guest.page.getByRole('button', { name: 'Light or dark', exact: true }).click();
  await expect.poll(theme).toBe(wasDark ? 'light' : 'dark');

  await page.getByRole('button', { name: 'Revoke the link Morning run', exact: true }).click();
  await page.getByText('Link revoked', { exact: true }).waitFor();
  await guest.page.reload();
  await guest.page.getByText('This link does not work', { exact: true }).waitFor();
  expect(await guest.page.getByRole('slider').count()).toBe(0);
  expect(faults).toEqual([]);
  await guest.context.close();
  await context.close();
});

test('a full screen is opened by its link without login, dark, finds the server again, and is revoked', async () => {
  const { page, faults, context } = await browser.open();
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  await page.goto(`${demo.url}/map/carmonitor`);
  await page.locator('.cars-card').first().waitFor();
  await page.getByRole('button', { name: 'Create link', exact: true }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: /^Name/ }).fill('Dispatch');
  await form.getByRole('button', { name: 'Create link', exact: true }).click();
  const address = await page.getByText(/\/map\/carmonitor\/fullscreen#/).innerText();
  await page.getByRole('button', { name: "I've saved it", exact: true }).click();

  const wall = await browser.open();
  await wall.page.goto(`${demo.url}${new URL(address).pathname}${new URL(address).hash}`);
  await wall.page.getByRole('heading', { name: 'Dispatch', exact: true }).waitFor();
  await wall.page.locator('.maplibregl-ctrl-scale').waitFor();
  expect(await wall.page.locator('.cars-stage .maps-row').count()).toBeGreaterThan(1);
  const current = () => wall.page.locator('.cars-stage .maps-row[aria-current="true"]').innerText();
  const first = await current();
  await wall.page.getByRole('button', { name: 'Next vehicle', exact: true }).click();
  await expect.poll(current).not.toBe(first);
  const theme = () => wall.page.evaluate(() => document.documentElement.dataset.theme);
  const before = await theme();
  await wall.page.getByRole('button', { name: 'Light or dark', exact: true }).click();
  await expect.poll(theme).toBe(before === 'dark' ? 'light' : 'dark');

  await wall.context.setOffline(true);
  await wall.page.getByText(/^No connection since/).waitFor();
  expect(await wall.page.locator('.cars-stage .maps-row').count()).toBeGreaterThan(1);
  await wall.context.setOffline(false);
  await wall.page.getByText(/^Updated /).waitFor();

  await page.getByRole('button', { name: 'Revoke the link Dispatch', exact: true }).click();
  await page.getByText('Link revoked', { exact: true }).waitFor();
  await wall.page.getByText('This link does not work', { exact: true }).waitFor();
  expect(await wall.page.locator('.maps-row').count()).toBe(0);
  expect(faults).toEqual([]);
  await wall.context.close();
  await context.close();
});
