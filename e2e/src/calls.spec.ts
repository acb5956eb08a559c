import { assignPolicy, createPolicy, endOwnRules } from '@isotherm/contracts/alarm-policies';
import { createBalanceWarning } from '@isotherm/contracts/balance-warnings';
import { createOrder, getBalance, listPackages } from '@isotherm/contracts/billing';
import { createReceiver } from '@isotherm/contracts/receivers';
import { createSmsProvider } from '@isotherm/contracts/sms-providers';
import { type ApiClient, logIn } from '@isotherm/simulator/client/api-client';
import { type DemoServer, type Fleet, startDemoServer } from '@isotherm/testkit/demo-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, type ConsolePage, logInAs, startConsoleBrowser } from './console-page.ts';
import { type Handed, type PhoneNetwork, startPhoneNetwork } from './phone-network.ts';
import { queryDatabase } from './stored.ts';

/** An alarm that is sent by SMS, then by a call that nobody answers, then by a call to the next person, who presses 1. */
const PASSWORD = 'Isotherm-2026';
const HOUR_MS = 3_600_000;
const NURSE = '+8613812345678';
const DOCTOR = '+8613900000002';

let phones: PhoneNetwork;
let demo: DemoServer;
let fleet: Fleet;
let browser: ConsoleBrowser;
let console_: ConsolePage;
let manager: ApiClient;
let assetId: number;
let organizationId: number;

beforeAll(async () => {
  phones = await startPhoneNetwork();
  demo = await startDemoServer({
    LOG_LEVEL: 'warn',
    ISOTHERM_ENVIRONMENT: 'sandbox',
    ISOTHERM_OUTGOING_ALLOW: '127.0.0.1',
  });
  fleet = await demo.startFleet({ historyDays: 1 });
  const [asset] = await queryDatabase<{ id: number; organization: number }>(
    demo.databaseUrl,
    `select id::int as id, organization_id::int as organization from asset where code = 'FR-03'`,
  );
  if (!asset) throw new Error('the demo has no refrigerator FR-03');
  assetId = asset.id;
  organizationId = asset.organization;
  const platform = await logIn(demo.url, 'demo.platform', PASSWORD);
  await platform.call(createSmsProvider, {
    body: {
      name: 'Local SMS',
      kind: 'twilio',
      url: phones.url,
      keyId: phones.account,
      secret: phones.token,
      sender: '+15005550006',
    },
  });
  manager = await logIn(demo.url, 'demo.manager', PASSWORD);
  await buy('sms');
  await buy('voice');
  browser = await startConsoleBrowser();
  console_ = await browser.open();
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
  await phones?.stop();
});

/** Buys the smallest package on the page of the sandbox provider. */
async function buy(commodity: 'sms' | 'voice'): Promise<void> {
  const [{ providers }, packages] = await Promise.all([manager.call(getBalance), manager.call(listPackages)]);
  const [offer] = packages.filter((each) => each.commodity === commodity).sort((a, b) => a.units - b.units);
  const provider = providers.find(({ kind }) => kind === 'sandbox');
  if (!offer || !provider) throw new Error('nothing is for sale');
  const { code } = await manager.call(createOrder, {
    body: { packageId: offer.id, provider: provider.name },
  });
  await fetch(new URL(new URL(code).pathname, demo.url), { method: 'POST', redirect: 'manual' });
}

const unitsOf = async (commodity: string) => {
  const [row] = await queryDatabase<{ units: number }>(
    demo.databaseUrl,
    `select sum(balance)::int as units from billing_account where commodity = $1 and role = 'available'`,
    [commodity],
  );
  return row?.units ?? 0;
};

async function receiver(name: string, mobile: string): Promise<number> {
  const { id } = await manager.call(createReceiver, {
    body: { organizationId, name, mobile, language: 'en' },
  });
  return id;
}

/** Waits until the telephone network has the next message or call. */
async function next(count: number, timeout: number): Promise<Handed> {
  await expect.poll(() => phones.handed.length, { timeout }).toBe(count);
  return phones.handed[count - 1] as Handed;
}

test('a provider of calls is added, and makes a test call', async () => {
  const { page, faults } = console_;
  await logInAs(page, demo.url, 'demo.platform', PASSWORD);
  await page.goto(`${demo.url}/management/channels`);
  await page.getByRole('button', { name: 'Add provider', exact: true }).first().click();
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: 'Name' }).fill('Local calls');
  await form.getByRole('combobox', { name: 'Type' }).click();
  await page.getByTitle('Twilio voice', { exact: true }).last().click();
  await form.getByRole('textbox', { name: 'Address' }).fill(phones.url);
  await form.getByRole('textbox', { name: 'Account SID' }).fill(phones.account);
  await form.getByLabel('Auth token').fill(phones.token);
  await form.getByRole('textbox', { name: 'Caller number' }).fill('+15005550006');
  await form.getByRole('button', { name: 'Add provider', exact: true }).click();
  const row = page.getByRole('row', { name: /Local calls/ });
  await row.getByText('Calls', { exact: true }).waitFor();
  await row.getByRole('button', { name: /More|Actions/ }).click();
  await page.getByRole('menuitem', { name: 'Send test message' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Mobile number' }).fill('13812345678');
  await page.getByRole('dialog').getByRole('button', { name: 'Send test message' }).click();
  await page.getByText(/Accepted by the provider/).waitFor();
  expect(phones.handed).toMatchObject([{ kind: 'call', to: NURSE, keypad: '' }]);
  phones.handed.length = 0;
  expect(faults).toEqual([]);
});

test('an opened door is sent by SMS, called to a person who does not answer, and acknowledged by the next one with the key 1', async () => {
  const recipients = [await receiver('Night nurse', '13812345678'), await receiver('Doctor', '13900000002')];
  const [nurse = 0, doctor = 0] = recipients;
  const { id: policyId } = await manager.call(createPolicy, {
    body: {
      organizationId,
      name: 'Door',
      definition: {
        conditions: [{ quantity: 'door', low: null, high: 0.5, recoveryMargin: 0, recoverAfterMs: 0 }],
        steps: [
          {
            level: 1,
            triggerAfterMs: 0,
            recipients: [nurse],
            channels: ['sms'],
            escalation: { afterMs: 60_000, toLevel: 2 },
          },
          {
            level: 2,
            triggerAfterMs: HOUR_MS,
            recipients: [nurse],
            channels: ['voice'],
            escalation: { afterMs: HOUR_MS, toLevel: 3 },
          },
          { level: 3, triggerAfterMs: 2 * HOUR_MS, recipients: [doctor], channels: ['voice'] },
        ],
        acknowledgement: { required: [], fromLevel: 1 },
      },
    },
  });
  await manager.call(endOwnRules, {
    path: `/alarm/policy/of-asset/${assetId}/own-rules`,
    body: { reason: 'The policy applies' },
  });
  await manager.call(assignPolicy, {
    path: `/alarm/policy/${policyId}/assignment`,
    body: { kind: 'asset', id: assetId },
  });
  const before = { sms: await unitsOf('sms'), voice: await unitsOf('voice') };
  await manager.call(createBalanceWarning, {
    body: {
      organizationId,
      smsBelow: 10,
      voiceBelow: before.voice - 1,
      emails: ['finance@example.com'],
      enabled: true,
    },
  });

  await fleet.scenario('door-left-open', 'FR-03');
  const sms = await next(1, 60_000);
  expect(sms).toMatchObject({ kind: 'sms', to: NURSE });
  expect(await phones.report(sms, 'delivered')).toBe(204);

  const unanswered = await next(2, 90_000);
  expect(unanswered).toMatchObject({ kind: 'call', to: NURSE });
  expect(await phones.report(unanswered, 'no-answer')).toBe(204);

  // Not after the hour of the policy, but now.
  const answered = await next(3, 15_000);
  expect(answered).toMatchObject({ kind: 'call', to: DOCTOR });
  expect(answered.text).toContain('Press 1 to acknowledge.');
  expect(await phones.press(answered, '1')).toBe('The alarm is acknowledged. Thank you.');
  expect(await phones.report(answered, 'completed')).toBe(204);

  const [alarm] = await queryDatabase<{ id: number }>(
    demo.databaseUrl,
    `select id::int as id from alarm where acknowledged_by_link = 'Doctor'`,
  );
  const { page, faults } = console_;
  await page.context().clearCookies();
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  await page.goto(`${demo.url}/alarm/${alarm?.id}`);
  await page.getByText('Acknowledged by Doctor', { exact: true }).waitFor();
  await page.getByText('Night nurse').first().waitFor();

  await page.goto(`${demo.url}/alarm/messages`);
  const rows = page.getByRole('row', { name: /Voice call/ });
  await expect.poll(() => rows.count()).toBe(2);
  await page
    .getByRole('row', { name: /Night nurse.*Voice call|Voice call.*Night nurse/ })
    .getByText('Call not answered')
    .waitFor();
  await page.getByRole('row', { name: /SMS/ }).first().waitFor();
  await rows.filter({ hasText: 'Doctor' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText('Local calls · Answered · completed').waitFor();
  await drawer.getByText('1 unit reserved').waitFor();
  await drawer.getByText('1 unit charged').waitFor();

  // The ledger has each step: the segments of the SMS and both calls.
  expect(await unitsOf('voice')).toBe(before.voice - 2);
  const entries = await queryDatabase<{ channel: string; kinds: string }>(
    demo.databaseUrl,
    `select n.channel, string_agg(e.kind, ' ' order by e.id) as kinds
       from ledger_entry e join alarm_notification n on n.id = e.cause_id
      where e.cause_kind = 'message' and n.alarm_id = $1 group by n.id, n.channel order by n.id`,
    [alarm?.id],
  );
  expect(entries).toEqual([
    { channel: 'sms', kinds: 'reserve capture' },
    { channel: 'voice', kinds: 'reserve capture' },
    { channel: 'voice', kinds: 'reserve capture' },
  ]);
  expect(await unitsOf('sms')).toBeLessThan(before.sms);

  // The balance of calls is below its count now.
  await expect
    .poll(
      async () =>
        (
          await queryDatabase(
            demo.databaseUrl,
            `select 1 from message where template = 'balance-warning' and recipient = 'finance@example.com'`,
          )
        ).length,
      { timeout: 90_000 },
    )
    .toBe(1);
  expect(faults).toEqual([]);
}, 300_000);
