import { assignPolicy, createPolicy } from '@isotherm/contracts/alarm-policies';
import { logIn } from '@isotherm/simulator/client/api-client';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, type ConsolePage, logInAs, startConsoleBrowser } from './console-page.ts';
import { type SteadyDevice, startSteadyDevice } from './steady-device.ts';
import { queryDatabase } from './stored.ts';

/** The limit of a policy is edited in the console while its alarm is open. */
const PASSWORD = 'Isotherm-2026';
const VALUE = 10;
const WITHIN_MS = 30_000;

let demo: DemoServer;
let device: SteadyDevice;
let browser: ConsoleBrowser;
let console_: ConsolePage;
let page: Page;
let policyId: number;

beforeAll(async () => {
  demo = await startDemoServer({ LOG_LEVEL: 'warn' });
  const client = await logIn(demo.url, 'demo.manager', PASSWORD);
  device = await startSteadyDevice(demo, client, '58000001');
  const policy = await client.call(createPolicy, {
    body: {
      organizationId: device.organizationId,
      name: 'Ward refrigerator',
      definition: {
        conditions: [{ quantity: 'temperature', low: 2, high: 8, recoveryMargin: 0, recoverAfterMs: 0 }],
        steps: [{ level: 1, triggerAfterMs: 0 }],
      },
    },
  });
  policyId = policy.id;
  await client.call(assignPolicy, {
    path: `/alarm/policy/${policyId}/assignment`,
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
});

interface Stored {
  id: number;
  limit: number;
  reason: string | null;
}

/** Alarms of the refrigerator, the newest last. */
const alarms = () =>
  queryDatabase<Stored>(
    demo.databaseUrl,
    `select id::float8 as id, limit_value as limit, end_reason as reason from alarm where asset_id = $1 order by id`,
    [device.assetId],
  );

/** Edits the upper limit of the policy in the console. */
async function setLimit(high: number): Promise<void> {
  await page.goto(`${demo.url}/alarm/policies/${policyId}`);
  await page
    .getByRole('group', { name: 'Condition 1' })
    .getByRole('textbox', { name: 'Above', exact: true })
    .fill(String(high));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Policy saved. It is in force now.').waitFor();
}

/** Waits until the timeline of an alarm says that it ended because its rule was edited. */
async function expectEndedByEdit(id: number): Promise<void> {
  await page.goto(`${demo.url}/alarm/${id}`);
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await timeline
    .getByRole('listitem')
    .filter({ hasText: 'Ended' })
    .filter({ hasText: 'Rule edited' })
    .waitFor();
}

test('an alarm whose limit is raised above the value ends as rule edited, and no other one is raised', async () => {
  device.report(VALUE);
  await expect.poll(async () => (await alarms()).length, { timeout: WITHIN_MS }).toBe(1);
  const [open] = await alarms();
  await page.goto(`${demo.url}/alarm/${open?.id}`);
  await page.getByText('Raised at level 1').waitFor();

  await setLimit(12);
  await expect
    .poll(alarms, { timeout: WITHIN_MS })
    .toEqual([{ id: open?.id, limit: 8, reason: 'rule-edited' }]);
  await expectEndedByEdit(open?.id as number);
  // The limit that was exceeded is kept (decision 8).
  await page
    .getByText(/8\.0\s°C/)
    .first()
    .waitFor();
  expect(console_.faults).toEqual([]);
});

test('an alarm whose value stays outside the edited limit ends as rule edited and is raised again by the new rule', async () => {
  await setLimit(9);
  await expect.poll(async () => (await alarms()).length, { timeout: WITHIN_MS }).toBe(2);
  const [, second] = await alarms();
  expect(second).toMatchObject({ limit: 9, reason: null });

  await setLimit(9.5);
  await expect
    .poll(async () => (await alarms()).slice(1), { timeout: WITHIN_MS })
    .toEqual([
      { id: second?.id, limit: 9, reason: 'rule-edited' },
      { id: expect.any(Number), limit: 9.5, reason: null },
    ]);
  await expectEndedByEdit(second?.id as number);
  const [, , third] = await alarms();
  await page.goto(`${demo.url}/alarm/${third?.id}`);
  await page.getByText('Raised at level 1').waitFor();

  device.report(5);
  await expect
    .poll(async () => (await alarms()).map(({ reason }) => reason), { timeout: WITHIN_MS })
    .toEqual(['rule-edited', 'rule-edited', 'recovered']);
  expect(console_.faults).toEqual([]);
});
