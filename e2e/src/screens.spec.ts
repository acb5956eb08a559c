import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, logInAs, startConsoleBrowser } from './console-page.ts';

/** The smart screen in a real browser, with the fleet of the demo. */
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

test('a screen is created, arranged by the mouse, tried, shown without login, and revoked', async () => {
  const { page, faults, context } = await browser.open({ width: 1440 });
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  await page.goto(`${demo.url}/screen?new=1`);
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill('Control room');
  await form.getByRole('button', { name: 'Create screen', exact: true }).click();
  await page.getByRole('heading', { name: 'Control room', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Start trial', exact: true }).click();
  await page.getByText('Trial started: one week').waitFor();

  // The wall makes room for the map by its corner.
  const wall = page.locator('.screen-canvas .screen-tile').nth(3);
  await wall.locator('.screen-cells > li').first().waitFor();
  const corner = await wall.locator('.screen-corner').boundingBox();
  if (!corner) throw new Error('no corner');
  await page.mouse.move(corner.x + 9, corner.y + 9);
  await page.mouse.down();
  await page.mouse.move(corner.x + 9, corner.y - 300, { steps: 5 });
  await page.mouse.up();
  await page.getByRole('button', { name: 'Map', exact: true }).click();
  await page.locator('.screen-canvas .maplibregl-canvas').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Screen saved').waitFor();

  await page.getByRole('button', { name: 'Create link', exact: true }).click();
  const address = await page.getByText(/\/screen\/kiosk#/).innerText();
  await page.getByRole('button', { name: "I've saved it", exact: true }).click();

  const display = await browser.open({ width: 1920, height: 1080, dark: true });
  await display.page.goto(`${demo.url}${new URL(address).pathname}${new URL(address).hash}`);
  await display.page.getByRole('heading', { name: /^Control room/ }).waitFor();
  expect(await display.page.locator('.screen-cells > li').count()).toBeGreaterThan(5);
  await display.page.locator('.maplibregl-canvas').waitFor();
  const overflow = await display.page.evaluate('document.documentElement.scrollHeight - innerHeight');
  expect(overflow).toBe(0);

  await display.context.setOffline(true);
  await display.page.getByText(/^No connection since/).waitFor();
  expect(await display.page.locator('.screen-cells > li').count()).toBeGreaterThan(5);
  await display.context.setOffline(false);
  await display.page.getByText(/ ago$/).first().waitFor();

  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await page.getByText('Link revoked', { exact: true }).waitFor();
  await display.page.getByText('This link does not work', { exact: true }).waitFor();
  expect(await display.page.locator('.screen-cells').count()).toBe(0);
  expect([...faults, ...display.faults]).toEqual([]);
  await display.context.close();
  await context.close();
});
