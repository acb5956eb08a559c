import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, type ConsolePage, logInAs, startConsoleBrowser } from './console-page.ts';

/**
 * Tests the steps from a registered device to its first reading, with the commands that the page offers
 * (issue 13).
 */
const run = promisify(execFile);
let demo: DemoServer;
let browser: ConsoleBrowser;
let console_: ConsolePage;
let page: Page;

beforeAll(async () => {
  demo = await startDemoServer({ LOG_LEVEL: 'warn' });
  browser = await startConsoleBrowser();
  console_ = await browser.open();
  page = console_.page;
  await logInAs(page, demo.url, 'demo.manager', 'Isotherm-2026');
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

const code = () => page.locator('.device-connect-code pre').innerText();
const shell = (command: string) => run('sh', ['-c', command]);

test('a new device can be connected with the examples of its page', async () => {
  await page.goto(`${demo.url}/device/list?new=1`);
  const form = page.getByRole('dialog');
  await form.getByLabel('Number').first().fill('77000001');
  await form.getByLabel('Name').first().fill('Vaccine fridge logger');
  await form.getByLabel('Sensor name').fill('Air');
  await form.getByRole('button', { name: 'Register device' }).click();
  await page.getByRole('button', { name: 'Saved, connect device' }).click();
  await page.getByRole('heading', { name: 'Waiting for the first message…' }).waitFor();

  const curl = await code();
  await shell(curl.replace(/77000001:[^']+/, `77000001:${'w'.repeat(40)}`));
  await page.getByRole('heading', { name: 'Wrong device key' }).waitFor();

  await shell(curl.replace('temperature-1', 'temperature-7'));
  await page.getByRole('heading', { name: 'Message received, but rejected' }).waitFor();
  await page
    .getByText('1 reading of a channel that the device does not have. It has: temperature-1')
    .waitFor();

  const { stdout } = await shell(curl);
  expect(JSON.parse(stdout)).toMatchObject({ data: { accepted: 1 } });
  await page.getByRole('heading', { name: 'Device 77000001 is live' }).waitFor();

  await page.getByText('Python', { exact: true }).click();
  const python = await run('python3', ['-c', await code()]);
  expect(JSON.parse(python.stdout)).toMatchObject({ data: { accepted: 1 } });
  expect(console_.faults).toEqual([]);
}, 60_000);

test('the connection page fits on a phone screen', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('heading', { name: 'Device 77000001 is live' }).waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  expect(
    await page.evaluate(() =>
      [...document.querySelectorAll('.device-connect *')]
        .filter((element) => element.closest('pre') === null)
        .filter((element) => element.getBoundingClientRect().right > 390)
        .map((element) => element.className),
    ),
  ).toEqual([]);
});
