import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleBrowser, logInAs, startConsoleBrowser } from './console-page.ts';
import { DRESSES, overflow, violations } from './page-checks.ts';

/** Every page in every dress: nothing thrown, nothing refused by the policy, nothing that shuts somebody out. */
let demo: DemoServer;
let browser: ConsoleBrowser;

beforeAll(async () => {
  demo = await startDemoServer({ LOG_LEVEL: 'warn' });
  await demo.startFleet({ historyDays: 2 });
  browser = await startConsoleBrowser();
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

describe.each(DRESSES)('$name', (dress) => {
  test('login, monitor, asset and alarms', async () => {
    const { page, faults, context } = await browser.open(dress);
    const look = async (what: string) => {
      expect(await violations(page), what).toEqual([]);
      expect(await overflow(page), `${what} is as wide as the screen`).toBeLessThanOrEqual(0);
      expect(faults, what).toEqual([]);
    };
    await page.goto(`${demo.url}/login`);
    await page.locator('input[type="password"]').waitFor();
    await look('login');
    await logInAs(page, demo.url, 'demo.manager', 'Isotherm-2026');
    await page.getByText('Vaccine fridge 03').first().waitFor();
    await look('monitor');
    await page.getByText('Vaccine fridge 03').first().click();
    await page.waitForURL(/\/asset\/\d+/);
    await page.locator('canvas').first().waitFor();
    await look('asset, curve');
    for (const tab of ['alarms', 'sensors', 'rules']) {
      await page.goto(`${page.url().split('?')[0]}?tab=${tab}`);
      await page.getByRole('heading', { name: 'Vaccine fridge 03', exact: true }).waitFor();
      await look(`asset, ${tab}`);
    }
    await page.goto(`${demo.url}/alarm/current`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle').catch(() => undefined);
    await look('current alarms');
    await context.close();
  });
});

test('an address that is none says so, and a stranger is led to the login and back', async () => {
  const { page, context } = await browser.open();
  await page.goto(`${demo.url}/alarm/current?show=open`);
  await page.waitForURL(/\/login\?redirect=/);
  await page.locator('input[autocomplete="username"]').fill('demo.manager');
  await page.locator('input[type="password"]').fill('Isotherm-2026');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${demo.url}/alarm/current?show=open`);
  await page.goto(`${demo.url}/no/such/page`);
  await page.waitForURL(/\/404/);
  await page.goto(`${demo.url}/login`);
  await page.waitForURL(`${demo.url}/monitor`);
  await context.close();
});
