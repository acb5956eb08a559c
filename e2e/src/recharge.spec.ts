import { readFile } from 'node:fs/promises';
import { read, utils } from '@e965/xlsx';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, logInAs, startConsoleBrowser } from './console-page.ts';
import { queryDatabase } from './stored.ts';

/** Recharges a balance as a customer does: order, pay by the QR code, read the statement (docs/ledger.md). */
let demo: DemoServer;
let browser: ConsoleBrowser;

beforeAll(async () => {
  demo = await startDemoServer({ LOG_LEVEL: 'warn', ISOTHERM_ENVIRONMENT: 'sandbox' });
  browser = await startConsoleBrowser();
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

test('a customer recharges by QR code, sees the balance rise, and downloads a statement that equals the ledger', async () => {
  const { page, faults } = await browser.open({ moving: false });
  await logInAs(page, demo.url, 'demo.manager', 'Isotherm-2026');
  await page.waitForURL(`${demo.url}/monitor`);
  await page.goto(`${demo.url}/recharge/sms`);
  await page.getByText('The balance is used up.').waitFor();
  await page.getByRole('button', { name: 'Order and pay', exact: true }).click();
  await page.getByRole('img', { name: 'Scan the code with your phone' }).waitFor();
  const code = await page.getByRole('link', { name: 'Open the payment page' }).getAttribute('href');

  const phone = await browser.open({ width: 390, height: 844, moving: false });
  await phone.page.goto(`${demo.url}${new URL(code ?? '').pathname}`);
  await phone.page.getByRole('button', { name: 'Pay', exact: true }).click();
  await phone.page.getByText('Paid. You can close this page.').waitFor();

  await page.getByText('5,000 SMS added to the balance').waitFor();
  await page.locator('.recharge-available', { hasText: '5,000' }).waitFor();

  await page.goto(`${demo.url}/recharge/records`);
  await page.getByRole('button', { name: 'Statement', exact: true }).click();
  const month = new Intl.DateTimeFormat('en', { year: 'numeric', month: 'long', timeZone: 'UTC' });
  await page.getByLabel('Month').click();
  await page
    .locator('.ant-select-item-option')
    .filter({ hasText: month.format(new Date()) })
    .click();
  await page.getByLabel('Format').click();
  await page.locator('.ant-select-item-option').filter({ hasText: 'XLSX' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download', exact: true }).click(),
  ]);
  const book = read(await readFile(await download.path()));
  const [name = ''] = book.SheetNames;
  const [, ...rows] = utils.sheet_to_json<string[]>(book.Sheets[name] ?? {}, { header: 1, defval: '' });
  const client = new pg.Client(demo.databaseUrl);
  await client.connect();
  const { rows: entries } = await client.query(
    `select e.amount::text as amount from ledger_entry e join billing_account a on a.id = e.to_id
      where a.commodity = 'sms' and a.role = 'available' order by e.id`,
  );
  await client.end();
  expect(rows.slice(1, -1).map((row) => row[4])).toEqual(entries.map(({ amount }) => amount));
  expect(rows.at(-1)?.[5]).toBe('5000');
  expect(faults).toEqual([]);
});

test('a refund is requested by one operator, approved by a second one, and takes its units from the balance', async () => {
  // With the role and the password of the first operator.
  await queryDatabase(
    demo.databaseUrl,
    `insert into account (organization_id, username, realname, password_hash, account_type, is_admin)
     select organization_id, 'second.operator', 'Second operator', password_hash, account_type, is_admin
       from account where username = 'demo.platform'`,
  );
  await queryDatabase(
    demo.databaseUrl,
    `insert into account_role (account_id, role_id)
     select n.id, r.role_id from account n, account o join account_role r on r.account_id = o.id
      where n.username = 'second.operator' and o.username = 'demo.platform'`,
  );
  const [first, second] = [await browser.open({ moving: false }), await browser.open({ moving: false })];
  const operator = first.page;
  await logInAs(operator, demo.url, 'demo.platform', 'Isotherm-2026');
  await operator.goto(`${demo.url}/recharge/records`);
  const order = operator.getByRole('row').filter({ hasText: '5,000' });
  await order.getByRole('button', { name: /^Actions/ }).click();
  await operator.getByRole('menuitem', { name: 'Request refund' }).click();
  const request = operator.getByRole('dialog', { name: /^Request the refund of/ });
  await request.getByRole('textbox').fill('Ordered twice');
  await request.getByRole('button', { name: 'Request refund' }).click();
  await operator.getByText('Refund requested').waitFor();
  // Who has asked for it cannot approve it.
  await operator.goto(`${demo.url}/recharge/refunds`);
  const asked = operator.getByRole('row').filter({ hasText: 'Ordered twice' });
  await asked.getByText('Waiting for approval').waitFor();
  expect(await asked.getByRole('button', { name: /^Actions/ }).count()).toBe(0);

  const approver = second.page;
  await logInAs(approver, demo.url, 'second.operator', 'Isotherm-2026');
  await approver.goto(`${demo.url}/recharge/refunds`);
  const waiting = approver.getByRole('row').filter({ hasText: 'Ordered twice' });
  await waiting.getByRole('button', { name: /^Actions/ }).click();
  await approver.getByRole('menuitem', { name: 'Approve' }).click();
  const approval = approver.getByRole('dialog', { name: /^Refund .* to / });
  await approval.getByText('Reason: Ordered twice').waitFor();
  await approval.getByText('withdraws 5,000 SMS from the balance').waitFor();
  await approval.getByRole('button', { name: 'Approve' }).click();
  await approver.getByText('Refund approved').waitFor();
  await waiting.getByText('Refunded', { exact: true }).waitFor();

  const customer = await browser.open({ moving: false });
  await logInAs(customer.page, demo.url, 'demo.manager', 'Isotherm-2026');
  await customer.page.goto(`${demo.url}/recharge/sms`);
  await customer.page.getByText('The balance is used up.').waitFor();
  expect([...first.faults, ...second.faults, ...customer.faults]).toEqual([]);
});
