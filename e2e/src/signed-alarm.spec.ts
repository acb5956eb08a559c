import { assignPolicy, createPolicy } from '@isotherm/contracts/alarm-policies';
import { createReceiver } from '@isotherm/contracts/receivers';
import { type ApiClient, logIn } from '@isotherm/simulator/client/api-client';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, type ConsolePage, logInAs, startConsoleBrowser } from './console-page.ts';
import { type Mailbox, startMailbox } from './mailbox.ts';
import { type SteadyDevice, startSteadyDevice } from './steady-device.ts';
import { queryDatabase } from './stored.ts';

/** Acknowledgements with an electronic signature, and by a link with the PIN of its recipient. */
const PASSWORD = 'Isotherm-2026';
const WITHIN_MS = 60_000;
const NURSE = 'nurse@example.com';
const PUBLIC_URL = 'https://console.example';

let mailbox: Mailbox;
let demo: DemoServer;
let client: ApiClient;
const devices: SteadyDevice[] = [];
let browser: ConsoleBrowser;
let console_: ConsolePage;
let page: Page;

beforeAll(async () => {
  mailbox = await startMailbox();
  demo = await startDemoServer({
    LOG_LEVEL: 'warn',
    ISOTHERM_PUBLIC_URL: PUBLIC_URL,
    ...mailbox.environment,
  });
  client = await logIn(demo.url, 'demo.manager', PASSWORD);
  browser = await startConsoleBrowser();
  console_ = await browser.open();
  page = console_.page;
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
});
afterAll(async () => {
  await Promise.all(devices.map((device) => device.stop()));
  await browser?.close();
  await demo?.stop();
  await mailbox?.stop();
});

/** A refrigerator with a policy of one level, which e-mails these receivers. */
async function watch(number: string, recipients: number[]) {
  const device = await startSteadyDevice(demo, client, number);
  devices.push(device);
  const policy = await client.call(createPolicy, {
    body: {
      organizationId: device.organizationId,
      name: `Ward ${number}`,
      definition: {
        conditions: [{ quantity: 'temperature', low: 2, high: 8, recoveryMargin: 0, recoverAfterMs: 0 }],
        steps: [
          { level: 1, triggerAfterMs: 0, recipients, channels: recipients.length > 0 ? ['email'] : [] },
        ],
        acknowledgement: { required: [], fromLevel: 1 },
      },
    },
  });
  await client.call(assignPolicy, {
    path: `/alarm/policy/${policy.id}/assignment`,
    body: { kind: 'asset', id: device.assetId },
  });
  return { device, policyId: policy.id };
}

/** Has the refrigerator too warm; returns the id of its alarm. */
async function raise(device: SteadyDevice): Promise<number> {
  device.report(10);
  let id = 0;
  await expect
    .poll(
      async () => {
        const [open] = await queryDatabase<{ id: number }>(
          demo.databaseUrl,
          'select id::float8 as id from alarm where asset_id = $1 and ended_at is null',
          [device.assetId],
        );
        id = open?.id ?? 0;
        return id;
      },
      { timeout: WITHIN_MS },
    )
    .toBeGreaterThan(0);
  return id;
}

test('a policy requires a signature, an acknowledgement is signed with the password, and the page shows the signature', async () => {
  const { device, policyId } = await watch('58000003', []);
  await page.goto(`${demo.url}/alarm/policies/${policyId}`);
  await page.getByRole('combobox', { name: 'Signature required from', exact: true }).click();
  // The drawing of the levels has the same title.
  await page
    .locator('.ant-select-item-option')
    .filter({ hasText: /^Level 1$/ })
    .click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Policy saved. It is in force now.').waitFor();

  const id = await raise(device);
  await page.goto(`${demo.url}/alarm/${id}`);
  await page.getByRole('textbox', { name: 'Corrective action' }).fill('Door closed, goods checked.');
  await page.getByRole('button', { name: 'Acknowledge', exact: true }).click();
  const signing = page.getByRole('dialog').filter({ hasText: 'Sign electronically' });
  await signing.getByLabel('Password').fill('not the password');
  await signing.getByRole('button', { name: 'Sign', exact: true }).click();
  await signing.getByText('password is wrong', { exact: false }).waitFor();
  await signing.getByLabel('Password').fill(PASSWORD);
  await signing.getByRole('button', { name: 'Sign', exact: true }).click();
  await signing.waitFor({ state: 'hidden' });

  const signatures = page.getByRole('region', { name: 'Electronic signatures' });
  await signatures.getByText('Lin Yue').waitFor();
  await signatures.getByText('Valid', { exact: true }).waitFor();
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await timeline
    .getByRole('listitem')
    .filter({ hasText: 'Acknowledged by Lin Yue' })
    .getByText('Signed', { exact: true })
    .waitFor();
  expect(console_.faults).toEqual([]);
}, 180_000);

test('a receiver gets a PIN in the console, and acknowledges by the link of an e-mail with it', async () => {
  const organizationId = devices[0]?.organizationId ?? 0;
  const nurse = await client.call(createReceiver, {
    body: { organizationId, name: 'Ward nurse', email: NURSE, language: 'en' },
  });
  await page.goto(`${demo.url}/device/receivers?receiver=${nurse.id}`);
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: 'PIN for links' }).fill('4711');
  await form.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Receiver saved').waitFor();

  const { device } = await watch('58000004', [nurse.id]);
  const id = await raise(device);
  await expect.poll(() => mailbox.to(NURSE).length, { timeout: WITHIN_MS }).toBe(1);
  const [, path = ''] = /https:\/\/console\.example(\/link\/[\w-]+)/.exec(mailbox.to(NURSE)[0] ?? '') ?? [];
  expect(path).not.toBe('');
  await page.goto(`${demo.url}/alarm/${id}`);
  const links = page.getByRole('region', { name: 'Acknowledge links' });
  await links.getByText('Ward nurse').waitFor();

  const phone = await browser.open({ width: 390, height: 844 });
  await phone.page.goto(demo.url + path);
  await phone.page.getByText('You acknowledge as Ward nurse.').waitFor();
  const pin = phone.page.getByRole('textbox', { name: 'Your PIN' });
  await pin.fill('1234');
  await phone.page.getByRole('button', { name: 'Acknowledge', exact: true }).click();
  await phone.page.getByText('You have 4 more tries.', { exact: false }).first().waitFor();
  await pin.fill('4711');
  await phone.page.getByRole('button', { name: 'Acknowledge', exact: true }).click();
  await phone.page.getByText('Thank you. The alarm is acknowledged.').waitFor();
  expect(phone.faults).toEqual([]);

  await page.getByText('Acknowledged by Ward nurse').first().waitFor();
  await links.waitFor({ state: 'detached' });
  expect(console_.faults).toEqual([]);
}, 180_000);

test('a revoked link acknowledges nothing', async () => {
  const device = devices[1] as SteadyDevice;
  device.report(5);
  await expect
    .poll(() => mailbox.to(NURSE).filter((mail) => mail.includes('has ended')).length, { timeout: WITHIN_MS })
    .toBe(1);
  const before = mailbox.to(NURSE).length;
  const id = await raise(device);
  await expect.poll(() => mailbox.to(NURSE).length, { timeout: WITHIN_MS }).toBe(before + 1);
  await page.goto(`${demo.url}/alarm/${id}`);
  await page.getByRole('button', { name: 'Revoke the link of Ward nurse', exact: true }).click();
  await page.getByText('Link revoked').waitFor();
  const [, path = ''] =
    /https:\/\/console\.example(\/link\/[\w-]+)/.exec(mailbox.to(NURSE).at(-1) ?? '') ?? [];
  const phone = await browser.open({ width: 390, height: 844 });
  await phone.page.goto(demo.url + path);
  await phone.page.getByRole('heading', { name: 'Link not valid' }).waitFor();
  expect(console_.faults).toEqual([]);
}, 180_000);
