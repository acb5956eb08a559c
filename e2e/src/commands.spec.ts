import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, logInAs, startConsoleBrowser } from './console-page.ts';

/** Tests commands to simulated devices over MQTT and in gateway packets, end to end. */
let demo: DemoServer;
let browser: ConsoleBrowser;
const PASSWORD = 'Isotherm-2026';
/**
 * Devices that execute commands: two over MQTT, and one with encrypted packets. The device of the blood
 * refrigerator refuses commands.
 */
const OBEDIENT = ['31010101', '31020103', '31010102'];
const LOCKED = '31020201';

beforeAll(async () => {
  demo = await startDemoServer({ LOG_LEVEL: 'warn' });
  await demo.startFleet({ historyDays: 0 });
  browser = await startConsoleBrowser();
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

test('a batch to several devices is followed to its end: all but one succeed, and that one is shown with its reason', async () => {
  const { page, faults, context } = await browser.open();
  await logInAs(page, demo.url, 'demo.platform', PASSWORD);
  await page.goto(`${demo.url}/device/commands`);
  await page.getByRole('button', { name: 'New command' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('Every').fill('20');
  await drawer.getByLabel('Devices', { exact: true }).fill('blood fridge');
  await page.getByTitle(LOCKED).click();
  await drawer.getByLabel('Or paste numbers').fill([...OBEDIENT, '39999999'].join('\n'));
  await drawer.getByLabel('Note').fill('Audit week');
  await drawer.getByRole('button', { name: 'Send' }).click();

  const progress = page.getByRole('region', { name: /^Progress of batch/ });
  await progress.getByText('Acquisition every 20 s').waitFor();
  await progress.getByText(/39999999/).waitFor();
  await progress.getByText('All 4 finished').waitFor({ timeout: 30_000 });
  expect(await progress.getByRole('listitem').allTextContents()).toEqual(['Success3', 'Failed1']);
  const row = (number: string) => page.getByRole('row', { name: new RegExp(number) });
  for (const number of OBEDIENT) await row(number).getByText('Success').waitFor();
  await row(LOCKED).getByText('rejected by the device, code 7').waitFor();

  // A shutdown command needs a confirmation; the device returns by itself and reports it.
  await page.getByRole('button', { name: 'New command' }).click();
  await drawer.getByLabel('Command*').click();
  await page.getByTitle('Reboot').click();
  await drawer.getByLabel('Or paste numbers').fill('31010101');
  await drawer.getByRole('button', { name: 'Send' }).click();
  const question = page.getByRole('dialog', { name: 'Reboot 1 device?' });
  await question.getByRole('button', { name: 'Send' }).click();
  await progress.getByText('Reboot', { exact: true }).waitFor();
  await progress.getByText('Configuring').waitFor();
  await progress.getByText('All 1 finished').waitFor({ timeout: 60_000 });
  expect(await progress.getByRole('listitem').allTextContents()).toEqual(['Success1']);

  await page.goto(`${demo.url}/management/logs?action=send-command`);
  // There is one audit entry for each organisation with a device in the batch.
  const entries = page.getByRole('row', { name: /Audit week/ });
  await expect.poll(() => entries.count()).toBe(2);
  expect(faults).toEqual([]);
  await context.close();
});
