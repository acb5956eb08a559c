import { readFile } from 'node:fs/promises';
import { read, utils } from '@e965/xlsx';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, logInAs, startConsoleBrowser } from './console-page.ts';
import { type Mailbox, startMailbox } from './mailbox.ts';
import { queryDatabase } from './stored.ts';

/** Reports and downloads in a real browser, with the fleet of the demo. */
let mailbox: Mailbox;
let demo: DemoServer;
let browser: ConsoleBrowser;
const PASSWORD = 'Isotherm-2026';

beforeAll(async () => {
  mailbox = await startMailbox();
  demo = await startDemoServer({
    LOG_LEVEL: 'warn',
    ISOTHERM_ENVIRONMENT: 'development',
    // Sealing, which runs each hour, is disabled, because files are compared with the unsealed table.
    ISOTHERM_SEAL_AFTER_HOURS: '10000',
    ...mailbox.environment,
  });
  const fleet = await demo.startFleet({ historyDays: 2 });
  // The report is compared with what is stored; live readings would only change it.
  await fleet.program.stop();
  browser = await startConsoleBrowser();
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
  await mailbox?.stop();
});

test('a report is ordered, its progress is shown, and the downloaded file contains what was measured', async () => {
  const { page, faults, context } = await browser.open();
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  const to = new Date();
  const from = new Date(to.getTime() - 2 * 86_400_000);
  const [asset] = await queryDatabase<{ id: number; name: string; channel: number }>(
    demo.databaseUrl,
    `select a.id, a.name, c.id as channel from asset a join channel c on c.asset_id = a.id
      where a.code = 'FR-03' and c.indicator = 'temperature' order by c.id limit 1`,
  );
  const address = new URLSearchParams({
    assets: String(asset?.id),
    from: from.toISOString(),
    to: to.toISOString(),
  });
  await page.goto(`${demo.url}/report/records?${address}`);
  const summary = page.getByRole('region', { name: 'Summary' }).first();
  await summary
    .getByText(/within|outside|No limits/)
    .first()
    .waitFor();

  await page.getByRole('button', { name: 'XLSX, every reading' }).click();
  const drawer = page.getByRole('dialog', { name: 'Downloads' });
  await drawer.getByText('Ready', { exact: true }).waitFor();
  const saved = page.waitForEvent('download');
  await drawer.getByRole('button', { name: 'Download' }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toMatch(/^records-.*\.xlsx$/);
  const book = read(await readFile(await download.path()));
  const rows = utils.sheet_to_json<unknown[]>(book.Sheets.Readings as never, { header: 1 });
  const column = (rows[0] as string[]).findIndex((title) => title.startsWith(asset?.name ?? ''));
  const values = rows.slice(1).flatMap((row) => (typeof row[column] === 'number' ? [row[column]] : []));
  const stored = await queryDatabase<{ value: number }>(
    demo.databaseUrl,
    'select value from reading where channel_id = $1 and measured_at >= $2 and measured_at < $3 order by measured_at',
    [asset?.channel, from, to],
  );
  expect(values.length).toBeGreaterThan(500);
  expect(values).toEqual(stored.map(({ value }) => Number(value.toFixed(4))));

  await drawer.getByRole('button', { name: 'Delete' }).click();
  await drawer.getByText('No downloads yet').waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

test('days are reviewed with initials, late readings mark them as changed, and an earlier period is compared', async () => {
  const { page, faults, context } = await browser.open();
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  const channels = await queryDatabase<{ asset: number; channel: number }>(
    demo.databaseUrl,
    `select a.id as asset, c.id as channel from asset a join channel c on c.asset_id = a.id
      where a.code = 'FR-03' and c.indicator = 'temperature' order by c.id`,
  );
  const [fridge] = channels;
  // Yesterday, for each of its channels.
  const review = channels.length === 1 ? 'Review 1 day' : `Review ${channels.length} days`;
  const now = Date.now();
  const address = new URLSearchParams({
    assets: String(fridge?.asset),
    from: new Date(now - 86_400_000).toISOString(),
    to: new Date(now).toISOString(),
  });
  await page.goto(`${demo.url}/report/records?${address}`);
  const days = page.getByRole('region', { name: 'Daily review' }).first();
  await days.getByText(`To review (${channels.length})`).waitFor();
  await days.getByRole('button', { name: review }).click();
  const dialog = page.getByRole('dialog', { name: review });
  expect(await dialog.getByLabel('Initials').inputValue()).toBe('LY');
  await dialog.getByLabel('Comment').fill('Checked on the round');
  await dialog.getByRole('button', { name: review }).click();
  await days.getByText('All days that are over are reviewed.').waitFor();

  const [reviewed] = await queryDatabase<{ count: number; stored: number; middle: Date }>(
    demo.databaseUrl,
    `select count, (select count(*)::int from reading r where r.channel_id = d.channel_id
                       and r.measured_at >= from_at and r.measured_at < from_at + interval '1 day') as stored,
            from_at + interval '12 hours 30 minutes 7 seconds' as middle from daily_review d where channel_id = $1`,
    [fridge?.channel],
  );
  // One each five minutes; each minute in the last hours of the history, which the day may include.
  expect(reviewed?.stored).toBeGreaterThan(280);
  expect(reviewed?.count).toBe(reviewed?.stored);
  // As if the device had sent another reading of that day late.
  await queryDatabase(
    demo.databaseUrl,
    'insert into reading (channel_id, measured_at, value, delay_s) values ($1, $2, 19.5, 90000)',
    [fridge?.channel, reviewed?.middle],
  );
  await page.goto(`${demo.url}/report/records?${address}&compare=before`);
  await days.getByText('Changed since review').waitFor();
  await days.getByText('19.5').waitFor();
  await days.getByText('Checked on the round').waitFor();

  await page.getByRole('region', { name: 'Comparison' }).first().getByText('100.00 %').first().waitFor();
  const chart = page.getByRole('region', { name: 'Chart' });
  await chart.getByText(/^Pale line: /).waitFor();
  await chart.locator('canvas').first().waitFor();

  await page.getByRole('button', { name: 'PDF, summary' }).click();
  const drawer = page.getByRole('dialog', { name: 'Downloads' });
  await drawer.getByText('Ready', { exact: true }).waitFor();
  await drawer.getByRole('button', { name: 'Delete' }).click();
  await drawer.getByText('No downloads yet').waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

test('a scheduled report arrives by e-mail with the print head, its PDF verifies, and a changed byte does not', async () => {
  const { page, faults, context } = await browser.open();
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  await page.goto(`${demo.url}/management/print-heads?new=1`);
  const head = page.getByRole('dialog', { name: 'Create print head' });
  await head.getByLabel('Title').fill('Journey Pharma Ltd');
  await head.getByRole('button', { name: 'Create print head' }).click();
  await page.getByText('Print head saved').waitFor();

  await page.goto(`${demo.url}/report/schedules?new=1`);
  const form = page.getByRole('dialog', { name: 'Schedule report' });
  await form.getByLabel('Name').fill('Morning report');
  await form.getByRole('button', { name: /^Assets/ }).click();
  const picker = page.getByRole('dialog', { name: 'Choose assets' });
  await picker.getByRole('searchbox').fill('Vaccine fridge 03');
  await picker.getByText('Vaccine fridge 03').first().click();
  await picker.getByRole('button', { name: 'Choose 1 asset' }).click();
  await form.getByLabel('E-mail addresses').fill('nurse@example.com');
  await page.keyboard.press('Enter');
  await form.getByRole('button', { name: 'Schedule report' }).click();
  await page.getByText('Scheduled report saved').waitFor();

  await page.getByText('Morning report').first().click();
  const drawer = page.getByRole('dialog', { name: 'Morning report' });
  await drawer.getByText('No report was created yet.').waitFor();
  await drawer.getByRole('button', { name: 'Run now' }).click();
  await drawer.getByText('nurse@example.com: Sent').waitFor({ timeout: 60_000 });
  const [mail = ''] = mailbox.to('nurse@example.com');
  expect(mail).toContain('Subject: Morning report: Records report');
  const [, part = ''] = mail.split('Content-Disposition: attachment');
  const begin = part.indexOf('\r\n\r\n');
  const file = Buffer.from(part.slice(begin, part.indexOf('\r\n--', begin + 4)), 'base64');

  const [, path] = /\/URI \(https?:\/\/[^)]*?(\/verify\/[\w-]{22})\)/.exec(file.toString('latin1')) ?? [];
  await page.goto(`${demo.url}${path}`);
  const choose = (buffer: Buffer) =>
    page
      .locator('input[type=file]')
      .setInputFiles({ name: 'report.pdf', mimeType: 'application/pdf', buffer });
  await page.getByText(/RR-\d{4}-\d{6}/).waitFor();
  await choose(file);
  await page.getByText('This file is genuine.').waitFor();
  file[2000] = (file[2000] ?? 0) ^ 1;
  await choose(file);
  await page.getByText(/This file is not report RR-/).waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

test('the register lists the report, opens a page that verifies it, and downloads the file that still exists', async () => {
  const { page, faults, context } = await browser.open();
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  await page.goto(`${demo.url}/report/register`);
  const row = page
    .getByRole('row')
    .filter({ hasText: /RR-\d{4}-\d{6}/ })
    .first();
  await row.getByRole('button', { name: /^Actions/ }).click();
  const opened = context.waitForEvent('page');
  await page.getByRole('menuitem', { name: 'Open verification page' }).click();
  const verification = await opened;
  await verification.getByText(/RR-\d{4}-\d{6}/).waitFor();
  await row.getByRole('button', { name: /^Actions/ }).click();
  const saved = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Download' }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toMatch(/^RR-\d{4}-\d{6}\.pdf$/);
  await verification.locator('input[type=file]').setInputFiles(await download.path());
  await verification.getByText('This file is genuine.').waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

test('a compliance report judges clauses, its numbers lead to assets and alarms, and its PDF is registered', async () => {
  const { page, faults, context } = await browser.open();
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  const to = new Date();
  const from = new Date(to.getTime() - 2 * 86_400_000);
  const range = new URLSearchParams({ from: from.toISOString(), to: to.toISOString() });
  await page.goto(`${demo.url}/report/compliance?pack=who&${range}`);
  await page.getByText(/\d of 9 clauses (is|are) not met\./).waitFor();
  const clauses = page.getByRole('region', { name: 'Clauses' }).first();
  await clauses.getByText('Readings cover at least 95 % of the time').waitFor();
  await clauses.getByRole('button', { name: 'Show the assets that do not meet Temperature mapping' }).click();
  await page.waitForURL(/failing=mapping/);
  await page.getByRole('button', { name: 'Clear filters' }).click();

  await page.getByRole('button', { name: 'PDF' }).click();
  const drawer = page.getByRole('dialog', { name: 'Downloads' });
  // Older reports are listed below the one that is being made.
  const made = drawer.getByRole('listitem').filter({ hasText: 'Compliance' }).first();
  await made.getByText('Ready', { exact: true }).waitFor();
  const saved = page.waitForEvent('download');
  await made.getByRole('button', { name: 'Download' }).click();
  expect((await saved).suggestedFilename()).toMatch(/^compliance-who-.*\.pdf$/);
  const registered = await queryDatabase<{ number: string }>(
    demo.databaseUrl,
    `select number from report where kind = 'compliance'`,
  );
  expect(registered.map(({ number }) => number)).toEqual([expect.stringMatching(/^CR-\d{4}-\d{6}$/)]);

  for (const [path, answer] of [
    ['alarms', /alarms?, |No alarms in this range/],
    ['devices', /devices?, |No day of this range/],
    ['statistics', /alarms? in \d+ assets/],
  ] as const) {
    await page.goto(`${demo.url}/report/${path}?${range}`);
    await page.getByText(answer).first().waitFor();
  }
  expect(faults).toEqual([]);
  await context.close();
});

test('a phone shows the downloads', async () => {
  const { page, faults, context } = await browser.open({ width: 390, height: 844 });
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  await page.goto(`${demo.url}/report/records`);
  await page.getByText('No assets chosen').waitFor();
  await page.getByRole('button', { name: 'Downloads' }).click();
  // The scheduled report of the test before was made with the rights of this account.
  await page.getByRole('dialog', { name: 'Downloads' }).getByText('Ready', { exact: true }).first().waitFor();
  expect(faults).toEqual([]);
  await context.close();
});
