import { readFileSync } from 'node:fs';
import { type DemoServer, type Fleet, startDemoServer } from '@isotherm/testkit/demo-server';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, logInAs, startConsoleBrowser } from './console-page.ts';

let demo: DemoServer;
let fleet: Fleet;
let browser: ConsoleBrowser;

beforeAll(async () => {
  demo = await startDemoServer({ LOG_LEVEL: 'warn' });
  fleet = await demo.startFleet({ historyDays: 1, timeScale: 30, triggerMs: 3_000 });
  browser = await startConsoleBrowser();
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

const manager = () =>
  demo.accounts.find((account) => account.username === 'demo.manager') as { password: string };

const windowOf = (page: Page) => page.getByRole('region', { name: 'Live alarms' });

test('when a door is left open, the alarm sounds, is viewed and acknowledged, and ends', async () => {
  const { page, faults } = await browser.open({ moving: true });
  await logInAs(page, demo.url, 'demo.manager', manager().password);

  await page.waitForURL(`${demo.url}/monitor`);
  await page.getByText('Vaccine fridge 03').first().waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  expect(await page.getByText(/24 assets/).count()).toBe(1);

  await fleet.scenario('door-left-open', 'FR-03');
  const entry = windowOf(page).getByRole('article').filter({ hasText: 'Vaccine fridge 03' }).first();
  await entry.waitFor({ timeout: 90_000 });
  // The entry shows the level as a symbol with its number, the value with unit, and the time of the reading.
  expect(await entry.textContent()).toMatch(/\d+\.\d\s*°C/);
  const readAt = Date.parse((await entry.locator('time').getAttribute('datetime')) as string);
  expect(Math.abs(Date.now() - readAt)).toBeLessThan(90_000);
  // Its highest level is awaited, because an alarm that climbs after its acknowledgement must be acknowledged again.
  await page.locator('main').getByText('Level 5 · Too warm').first().waitFor({ timeout: 90_000 });

  await entry.getByRole('link', { name: 'Chart' }).click();
  await page.waitForURL(/\/asset\/\d+/);
  await page.getByRole('heading', { name: 'Vaccine fridge 03', exact: true }).waitFor();
  await page.locator('canvas').first().waitFor();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Download PNG' }).click();
  const picture = readFileSync(await (await saved).path());
  // The file begins with the PNG signature, and has width and height in its header.
  expect(picture.subarray(1, 4).toString()).toBe('PNG');
  expect([picture.readUInt32BE(16) > 800, picture.readUInt32BE(20) > 800]).toEqual([true, true]);

  // Other simulated assets may have alarms that do not end when this door is closed.
  await entry.getByRole('button', { name: 'Acknowledge' }).click();
  await entry.getByRole('combobox', { name: 'Reason' }).click();
  await page.getByTitle('Door left open').click();
  await entry
    .getByRole('textbox', { name: 'Corrective action' })
    .fill('Door was open, closed it. Goods checked.');
  await entry.getByRole('button', { name: 'Acknowledge' }).click();
  await entry.getByText('acknowledged by Lin Yue').waitFor();

  await fleet.clear();
  await page.goto(`${demo.url}/alarm/current?view=acknowledged`);
  const row = page
    .locator('table tbody tr')
    .filter({ hasText: 'Vaccine fridge 03' })
    .filter({ hasText: 'Lin Yue' })
    .first();
  await row.waitFor();
  await row.getByText('Ended').waitFor({ timeout: 90_000 });
  // An alarm of another asset may have opened it already.
  if (!(await windowOf(page).isVisible()))
    await page.getByTitle('Open the alarm window', { exact: false }).click();
  await windowOf(page).waitFor();
  await row.click();
  await page.locator('.ant-drawer-section').getByText('Door was open, closed it. Goods checked.').waitFor();
  // The alarm window must be where it covers no button of the drawer.
  const drawer = await page.locator('.ant-drawer-section').boundingBox();
  const docked = await windowOf(page).boundingBox();
  expect(drawer && docked && docked.x + docked.width <= drawer.x).toBe(true);
  await page.getByText('Back to normal').waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a floor plan is uploaded, twenty assets are dragged onto it, and their values are updated there', async () => {
  const { page, faults } = await browser.open({ moving: true });
  await logInAs(page, demo.url, 'demo.manager', manager().password);
  await page.goto(`${demo.url}/asset/floor-plans?new=1`);
  const form = page.getByRole('dialog');
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1600 900" onload="document.title='run'">
    <script>document.title = 'run'</script><rect width="1600" height="900" fill="none" stroke="#333"/></svg>`;
  await form
    .locator('input[type="file"]')
    .setInputFiles({ name: 'Hall.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(drawing) });
  await form.getByRole('button', { name: 'Add floor plan' }).click();
  await page.getByText('Nothing has been placed yet').waitFor();

  await page.getByRole('button', { name: 'Place assets' }).click();
  const offered = page.getByRole('region', { name: 'Assets and sensors' }).locator('div.place-item');
  await offered.first().waitFor();
  const picture = page.locator('img.plan-picture');
  await picture.waitFor();
  const room = (await picture.boundingBox()) as { x: number; y: number; width: number; height: number };
  for (let at = 0; at < 20; at++) {
    const item = (await offered.first().boundingBox()) as { x: number; y: number };
    await page.mouse.move(item.x + 20, item.y + 12);
    await page.mouse.down();
    await page.mouse.move(
      room.x + room.width * (0.1 + 0.2 * (at % 5)),
      room.y + room.height * (0.2 + 0.2 * Math.floor(at / 5)),
    );
    await page.mouse.up();
    await page.locator('.plan-mark').nth(at).waitFor();
  }
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText(/of 20 need|All 20 within/).waitFor();

  const values = () => page.locator('.plan-mark bdi').allTextContents();
  await page.locator('.plan-mark bdi').nth(15).waitFor();
  const before = await values();
  const changed = async () => (await values()).filter((value, at) => value !== before[at]).length;
  await expect.poll(changed, { timeout: 15_000 }).toBeGreaterThanOrEqual(3);

  await page.locator('.plan-mark').first().click();
  await page.getByRole('link', { name: 'Chart' }).click();
  await page.waitForURL(/\/asset\/\d+$/);
  await page.getByRole('tab', { name: 'Floor plan' }).click();
  await page.locator('.plan-mark-focus').waitFor();
  expect(await page.title()).not.toBe('run');
  expect(faults).toEqual([]);
  await page.context().close();
});

test('the console shows that its data are stale during a database outage, and recovers by itself', async () => {
  const { page, faults } = await browser.open({ moving: true });
  await logInAs(page, demo.url, 'demo.manager', manager().password);
  await page.getByText('Live', { exact: true }).waitFor();
  await demo.postgres.stop();
  const banner = page
    .getByRole('alert')
    .or(page.getByRole('status'))
    .filter({ hasText: /database|stale|not live/i })
    .first();
  await banner.waitFor({ timeout: 30_000 });
  await demo.startPostgres();
  await banner.waitFor({ state: 'hidden', timeout: 30_000 });
  await page.getByText('Live', { exact: true }).waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});

test('an operator of the hospital sees the hospital only, and an auditor cannot change anything', async () => {
  const { page } = await browser.open({ moving: true });
  await logInAs(page, demo.url, 'demo.keeper', manager().password);
  await page.getByText('Vaccine fridge 03').first().waitFor();
  expect(await page.getByText('Cold store A-1').count()).toBe(0);
  expect(await page.getByText('Truck HU-A D8F21').count()).toBe(0);
  await page.context().close();

  const auditor = await browser.open({ moving: true });
  await logInAs(auditor.page, demo.url, 'demo.auditor', manager().password);
  await auditor.page.goto(`${demo.url}/alarm/current`);
  // The scenario raises an unacknowledged alarm, which the list shows when it arrives.
  await fleet.scenario('door-left-open', 'FR-03');
  const open = auditor.page.locator('tr.list-row').filter({ hasText: 'Not acknowledged' }).first();
  await open.click({ timeout: 90_000 });
  await auditor.page.getByRole('dialog').waitFor();
  expect(await auditor.page.getByRole('button', { name: 'Acknowledge', exact: true }).count()).toBe(0);
  await fleet.clear();
  await auditor.context.close();
});
