import { assignPolicy, createPolicy } from '@isotherm/contracts/alarm-policies';
import { createOnCall } from '@isotherm/contracts/on-call';
import { createReceiver } from '@isotherm/contracts/receivers';
import { type ApiClient, logIn } from '@isotherm/simulator/client/api-client';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, type ConsolePage, logInAs, startConsoleBrowser } from './console-page.ts';
import { type Mailbox, startMailbox } from './mailbox.ts';
import { type SteadyDevice, startSteadyDevice } from './steady-device.ts';
import { queryDatabase } from './stored.ts';

/** A rota with a gap: it is shown before it happens, and an alarm in it goes to the next step and waits for cover. */
const PASSWORD = 'Isotherm-2026';
const MINUTE_MS = 60_000;
/** Time in which the gap is entered and looked at before it begins. */
const PREPARED_WITHIN_MS = 25_000;
const NURSE = 'nurse@example.com';
const ENGINEER = 'engineer@example.com';
const PHARMACIST = 'pharmacist@example.com';

let mailbox: Mailbox;
let demo: DemoServer;
let client: ApiClient;
let device: SteadyDevice;
let browser: ConsoleBrowser;
let console_: ConsolePage;
let page: Page;
let scheduleId: number;
let gapAt: number;

beforeAll(async () => {
  mailbox = await startMailbox();
  demo = await startDemoServer({ LOG_LEVEL: 'warn', ...mailbox.environment });
  client = await logIn(demo.url, 'demo.manager', PASSWORD);
  device = await startSteadyDevice(demo, client, '58000002');
  const { organizationId } = device;
  const receiver = (name: string, email: string) =>
    client.call(createReceiver, { body: { organizationId, name, email, language: 'en' } });
  const [nurse, engineer] = [await receiver('Night nurse', NURSE), await receiver('Engineer', ENGINEER)];
  await receiver('Pharmacist', PHARMACIST);
  const rota = (name: string, id: number) =>
    client.call(createOnCall, {
      body: {
        organizationId,
        name,
        people: [{ type: 'receivers', id }],
        startsOn: new Date(Date.now() - 14 * 86_400_000).toISOString().slice(0, 10),
        handoverAt: '08:00',
        timeZone: 'Asia/Shanghai',
        turnDays: 7,
      },
    });
  const nights = await rota('Ward nights', nurse.id);
  const technical = await rota('Technical', engineer.id);
  scheduleId = nights.id;
  const policy = await client.call(createPolicy, {
    body: {
      organizationId,
      name: 'Ward with rota',
      definition: {
        recipientType: 'on-call',
        conditions: [{ quantity: 'temperature', low: 2, high: 8, recoveryMargin: 0, recoverAfterMs: 0 }],
        steps: [
          {
            level: 1,
            triggerAfterMs: 0,
            recipients: [nights.id],
            channels: ['email'],
            escalation: { afterMs: MINUTE_MS, toLevel: 2 },
          },
          { level: 2, triggerAfterMs: 60 * MINUTE_MS, recipients: [technical.id], channels: ['email'] },
        ],
      },
    },
  });
  await client.call(assignPolicy, {
    path: `/alarm/policy/${policy.id}/assignment`,
    body: { kind: 'asset', id: device.assetId },
  });
  browser = await startConsoleBrowser();
  console_ = await browser.open();
  page = console_.page;
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
});
afterAll(async () => {
  await device?.stop();
  await browser?.close();
  await demo?.stop();
  await mailbox?.stop();
});

/** Chooses a person in the open form of an override or leave. */
async function choosePerson(name: string): Promise<void> {
  await page.getByRole('dialog').getByRole('combobox', { name: 'Person' }).click();
  await page.locator('.ant-select-item-option').filter({ hasText: name }).click();
}

test('leave without a substitute is shown as a gap before it begins', async () => {
  gapAt = Math.ceil((Date.now() + PREPARED_WITHIN_MS) / MINUTE_MS) * MINUTE_MS;
  const span = new URLSearchParams({
    schedule: String(scheduleId),
    form: 'leave',
    from: new Date(gapAt).toISOString(),
    until: new Date(gapAt + 180 * MINUTE_MS).toISOString(),
  });
  await page.goto(`${demo.url}/alarm/on-call?${span}`);
  await choosePerson('Night nurse');
  await page.getByRole('dialog').getByRole('button', { name: 'Add leave', exact: true }).click();
  await page.getByText('No one is on call for 3 h', { exact: false }).waitFor();
  expect(Date.now()).toBeLessThan(gapAt);
  const now = page.locator('section').filter({ hasText: 'On call now' });
  await now.getByText('Night nurse').first().waitFor();
  // The tile says who is on call from the minute on in which the gap begins.
  await now.getByText('No one', { exact: true }).first().waitFor({ timeout: 120_000 });
  expect(Date.now()).toBeGreaterThanOrEqual(gapAt);
  expect(console_.faults).toEqual([]);
}, 180_000);

test('an alarm in the gap is escalated to the next step, and told as late to whoever fills the gap', async () => {
  device.report(10);
  const alarmId = async () =>
    (
      await queryDatabase<{ id: number }>(
        demo.databaseUrl,
        'select id::float8 as id from alarm where asset_id = $1 and ended_at is null',
        [device.assetId],
      )
    )[0]?.id;
  await expect.poll(alarmId).toBeDefined();
  const id = await alarmId();
  await page.goto(`${demo.url}/alarm/${id}`);
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await timeline.getByText('waits until someone is on call', { exact: false }).waitFor();

  await expect.poll(() => mailbox.to(ENGINEER).length, { timeout: 120_000 }).toBe(1);
  expect(mailbox.to(ENGINEER)[0]).toContain('No one has acknowledged this level 1 alarm');
  expect(mailbox.to(NURSE)).toEqual([]);

  await page.goto(`${demo.url}/alarm/on-call?schedule=${scheduleId}`);
  await page.getByRole('button', { name: 'Assign someone', exact: true }).click();
  await choosePerson('Pharmacist');
  await page.getByRole('dialog').getByRole('button', { name: 'Add override', exact: true }).click();
  await page.locator('section').filter({ hasText: 'On call now' }).getByText('Pharmacist').first().waitFor();
  await expect.poll(() => mailbox.to(PHARMACIST).length, { timeout: 120_000 }).toBe(1);
  expect(mailbox.to(PHARMACIST)[0]).toContain('This message is late');

  device.report(5);
  // Whoever was told is told of the end.
  await expect.poll(() => mailbox.to(PHARMACIST).length, { timeout: 120_000 }).toBe(2);
  await expect.poll(() => mailbox.to(ENGINEER).length, { timeout: 120_000 }).toBe(2);
  expect(mailbox.to(NURSE)).toEqual([]);
  await page.goto(`${demo.url}/alarm/${id}`);
  await timeline.getByText('Pharmacist').first().waitFor();
  expect(console_.faults).toEqual([]);
}, 480_000);
