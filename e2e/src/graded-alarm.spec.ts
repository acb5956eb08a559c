import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { changeGroupMembers, createAssetGroup } from '@isotherm/contracts/asset-groups';
import { createReceiver } from '@isotherm/contracts/receivers';
import { logIn } from '@isotherm/simulator/client/api-client';
import { type DemoServer, type Fleet, startDemoServer } from '@isotherm/testkit/demo-server';
import type { Locator, Page } from 'playwright-core';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, type ConsolePage, logInAs, startConsoleBrowser } from './console-page.ts';
import { queryDatabase } from './stored.ts';

/** An alarm from its policy to its end, with a real mail server and a real receiver of URL pushes. */
const PASSWORD = 'Isotherm-2026';
const ALARM_WITHIN_MS = 90_000;

let mailServer: SMTPServer;
const mails: string[] = [];
let hook: Server;
const pushes: { event: string; displayTitle: string }[] = [];
let demo: DemoServer;
let fleet: Fleet;
let browser: ConsoleBrowser;
let console_: ConsolePage;
let page: Page;
let assetId: number;

const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

beforeAll(async () => {
  mailServer = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _, done) {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        mails.push(Buffer.concat(pieces).toString('utf8'));
        done();
      });
    },
  });
  hook = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      pushes.push(JSON.parse(Buffer.concat(pieces).toString('utf8')));
      response.end();
    });
  });
  await Promise.all(
    [mailServer, hook].map((each) => new Promise<void>((ready) => each.listen(0, '127.0.0.1', ready))),
  );
  demo = await startDemoServer({
    LOG_LEVEL: 'warn',
    ISOTHERM_SMTP_URL: `smtp://127.0.0.1:${portOf(mailServer.server)}`,
    ISOTHERM_MAIL_FROM: 'Isotherm <alarms@example.com>',
    ISOTHERM_OUTGOING_ALLOW: '127.0.0.1',
  });
  fleet = await demo.startFleet({ historyDays: 1, timeScale: 30, triggerMs: 3_000 });
  const client = await logIn(demo.url, 'demo.manager', PASSWORD);
  const [asset] = await queryDatabase<{ id: number; organization: number }>(
    demo.databaseUrl,
    `select id::int as id, organization_id::int as organization from asset where code = 'FR-03'`,
  );
  if (!asset) throw new Error('the demo has no refrigerator FR-03');
  assetId = asset.id;
  const group = await client.call(createAssetGroup, {
    body: { organizationId: asset.organization, parentId: null, name: 'Clinic', description: '' },
  });
  await client.call(changeGroupMembers, {
    path: `/asset/group/${group.id}/member`,
    body: { add: [assetId] },
  });
  await client.call(createReceiver, {
    body: {
      organizationId: asset.organization,
      name: 'Night nurse',
      email: 'night@example.com',
      language: 'en',
    },
  });
  browser = await startConsoleBrowser();
  console_ = await browser.open();
  page = console_.page;
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
  await new Promise<void>((closed) => mailServer.close(() => closed()));
  hook.closeAllConnections();
  await new Promise((closed) => hook.close(closed));
});

async function choose(within: Page | Locator, name: string, option: string): Promise<void> {
  await within.getByRole('combobox', { name, exact: true }).click();
  await page.getByTitle(option, { exact: true }).last().click();
}

test('a policy is created from a template, tested on past readings, and assigned to a group', async () => {
  await page.goto(`${demo.url}/alarm/policies/new?template=vaccine-refrigerator`);
  for (const [level, minutes] of [
    [2, '0.05'],
    [3, '0.1'],
  ] as const) {
    const row = page.getByRole('group', { name: `Level ${level}` });
    await row.getByRole('textbox', { name: 'Trigger delay' }).fill(minutes);
  }
  const third = page.getByRole('group', { name: 'Level 3' });
  await choose(third, 'Notify by', 'E-mail');
  await page.getByTitle('URL push', { exact: true }).last().click();
  await page.keyboard.press('Escape');
  await third.getByRole('combobox', { name: 'Recipients' }).click();
  await page.locator('.ant-select-item-option').filter({ hasText: 'Night nurse' }).click();
  await page.keyboard.press('Escape');
  await third.getByRole('textbox', { name: 'Address' }).fill(`http://127.0.0.1:${portOf(hook)}/alarms`);
  await page.getByRole('button', { name: 'Create policy', exact: true }).click();

  const assigning = page.getByRole('dialog');
  await choose(assigning, 'Assign to', 'Asset group');
  await assigning.getByRole('combobox', { name: 'Target' }).click();
  await page.locator('.ant-select-tree-title').filter({ hasText: 'Clinic' }).click();
  await assigning.getByRole('button', { name: 'Assign', exact: true }).click();
  await page.getByRole('listitem').filter({ hasText: 'Clinic' }).waitFor();

  await page.goto(`${demo.url}/asset/${assetId}?tab=rules`);
  await page.getByRole('button', { name: 'End own rules' }).click();
  const ending = page.getByRole('dialog');
  await ending.getByRole('textbox').fill('The policy of the clinic applies');
  await ending.getByRole('button', { name: 'End own rules' }).click();
  await page.getByText('Own rules of Vaccine fridge 03 ended').waitFor();

  const [policy] = await queryDatabase<{ id: number }>(
    demo.databaseUrl,
    'select max(id)::int as id from alarm_policy',
  );
  await page.goto(`${demo.url}/alarm/policies/${policy?.id}`);
  await page.getByText(/The draft raises/).waitFor();
  expect(console_.faults).toEqual([]);
}, 120_000);

test('a door left open raises an alarm that climbs to level 3, is sent by e-mail and URL push, is acknowledged, and ends', async () => {
  await fleet.scenario('door-left-open', 'FR-03');
  await expect.poll(() => mails.length, { timeout: ALARM_WITHIN_MS }).toBeGreaterThan(0);
  await expect.poll(() => pushes.length, { timeout: 10_000 }).toBeGreaterThan(0);
  expect(mails[0]).toMatch(/^Subject: Level 3 alarm: Too warm, Vaccine fridge 03$/m);
  expect(pushes[0]).toMatchObject({ event: '0003', eventField: 'temperature' });

  const [alarm] = await queryDatabase<{ id: number }>(
    demo.databaseUrl,
    `select a.id::int as id from alarm a join channel c on c.id = a.channel_id
      where c.asset_id = $1 and a.peak_level >= 3 order by a.id desc limit 1`,
    [assetId],
  );
  await page.goto(`${demo.url}/alarm/${alarm?.id}`);
  await page.getByText('Climbed to level 3').waitFor();
  await choose(page, 'Reason', 'Door left open');
  await page.getByRole('textbox', { name: 'Corrective action' }).fill('Door closed, goods checked.');
  await page.getByRole('button', { name: 'Acknowledge', exact: true }).click();
  // Only the timeline. The list of notifications shows the same words in lower case after its next refresh.
  await page.getByText('Acknowledged by Lin Yue', { exact: true }).waitFor();

  await fleet.clear();
  await expect
    .poll(() => mails.filter((mail) => mail.includes('Subject: Ended: Too warm')).length, {
      timeout: ALARM_WITHIN_MS,
    })
    .toBe(1);
  await expect.poll(() => pushes.map(({ event }) => event), { timeout: 10_000 }).toEqual(['0003', '0002']);
  await page.reload();
  await page
    .getByText('Told of the end')
    .or(page.getByText('Ended', { exact: true }))
    .first()
    .waitFor();
  for (const words of [
    'Raised at level 1',
    'Climbed to level 2',
    'Climbed to level 3',
    'Acknowledged by Lin Yue',
  ])
    await page.getByText(words).first().waitFor();
  await page.getByText('Door closed, goods checked.').first().waitFor();
  await page.getByText('Night nurse').first().waitFor();
  expect(console_.faults).toEqual([]);
}, 240_000);
