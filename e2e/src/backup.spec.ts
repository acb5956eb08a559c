import { readFile } from 'node:fs/promises';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import { BlobReader, TextReader, Uint8ArrayWriter, ZipReader, ZipWriter } from '@zip.js/zip.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, logInAs, startConsoleBrowser } from './console-page.ts';
import { type Mailbox, startMailbox } from './mailbox.ts';

/** Data backup in a real browser, with the fleet of the demo: from the trial to the verified archive. */
let mailbox: Mailbox;
let demo: DemoServer;
let browser: ConsoleBrowser;
const PASSWORD = 'Isotherm-2026';

beforeAll(async () => {
  mailbox = await startMailbox();
  demo = await startDemoServer({
    LOG_LEVEL: 'warn',
    ISOTHERM_ENVIRONMENT: 'development',
    ...mailbox.environment,
  });
  const fleet = await demo.startFleet({ historyDays: 2 });
  await fleet.program.stop();
  browser = await startConsoleBrowser();
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
  await mailbox?.stop();
});

/** Returns the archive with another content of one file, as a forger would write it. */
async function forged(archive: Buffer, changed: string, content: (text: string) => string): Promise<Buffer> {
  const reader = new ZipReader(new BlobReader(new Blob([new Uint8Array(archive)])));
  const writer = new ZipWriter(new Uint8ArrayWriter());
  for (const entry of await reader.getEntries()) {
    if (entry.directory) continue;
    const bytes = await entry.getData(new Uint8ArrayWriter());
    const text = new TextDecoder().decode(bytes);
    if (entry.filename === changed) await writer.add(changed, new TextReader(content(text)));
    else await writer.add(entry.filename, new BlobReader(new Blob([bytes])));
  }
  return Buffer.from(await writer.close());
}

test('a backup is tried, configured, made, downloaded and verified, and a forged one names the changed file', async () => {
  const { page, faults, context } = await browser.open();
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  await page.goto(`${demo.url}/setting/backup`);
  const service = page.getByRole('region', { name: 'Data backup service' });
  await service.getByRole('button', { name: 'Start trial' }).click();
  await service.getByText(/^Trial until .* up to 50 devices in each backup\.$/).waitFor();

  await page.goto(`${demo.url}/setting/backup?new=1`);
  const form = page.getByRole('dialog', { name: 'Create backup' });
  await form.getByLabel('Title').fill('Fridges');
  await form.getByLabel('File name').fill('fridges of ward 1');
  await form.getByLabel('E-mail addresses').fill('auditor@example.com');
  await page.keyboard.press('Enter');
  await form.getByRole('button', { name: 'Create backup' }).click();
  await form.getByText('Use letters, digits, hyphens and underscores only.').waitFor();
  await form.getByLabel('File name').fill('fridges-1');
  await form.getByLabel('Devices').click();
  await page.locator('.ant-select-item-option').first().click();
  await page.keyboard.press('Escape');
  await form.getByRole('button', { name: 'Create backup' }).click();
  await page.getByText('Backup saved').waitFor();

  await page.getByText('Fridges', { exact: true }).first().click();
  const drawer = page.getByRole('dialog', { name: 'Fridges' });
  await drawer.getByText('No backups yet').waitFor();
  await drawer.getByRole('button', { name: 'Back up now' }).click();
  await drawer.getByText('Ready', { exact: true }).waitFor({ timeout: 60_000 });
  await expect
    .poll(() => mailbox.to('auditor@example.com')[0] ?? '', { timeout: 30_000 })
    .toContain('backup ready');

  await page.goto(`${demo.url}/report/backup`);
  await page
    .getByRole('button', { name: /^Actions/ })
    .first()
    .click();
  const saved = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Download' }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toMatch(/^fridges-1-.*\.zip$/);
  const archive = await readFile(await download.path());

  await page.getByRole('button', { name: 'Verify archive' }).click();
  const check = page.getByRole('dialog', { name: 'Verify archive' });
  const choose = (buffer: Buffer) =>
    check.locator('input[type=file]').setInputFiles({ name: 'a.zip', mimeType: 'application/zip', buffer });
  await choose(archive);
  await check.getByText('This archive is genuine and complete.').waitFor();
  const [csv = ''] = /devices\/\d{8}\.csv/.exec(archive.toString('latin1')) ?? [];
  await choose(await forged(archive, csv, (text) => text.replace(/,(\d)/, ',9$1')));
  await check.getByText('This archive was changed.').waitFor();
  await check.getByText(`${csv} was changed`).waitFor();
  await choose(await forged(archive, 'manifest.json', (text) => text.replace('Fridges', 'Others')));
  await check.getByText('manifest.json was not sealed by this installation').waitFor();
  await choose(Buffer.from('not an archive'));
  await check.getByText('This file is not an archive of a backup, or it cannot be read.').waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

test('an operator backs up the installation, and the file is verified', async () => {
  const { page, faults, context } = await browser.open();
  await logInAs(page, demo.url, 'demo.platform', PASSWORD);
  await page.goto(`${demo.url}/setting/backup`);
  const panel = page.getByRole('region', { name: 'Backup of the installation' }).first();
  await panel.getByText('No backup was made yet.').waitFor();
  await panel.getByRole('button', { name: 'Back up now' }).click();
  await panel.getByText('Verified', { exact: true }).waitFor({ timeout: 60_000 });
  await panel.getByText(/isotherm-\d{8}T\d{6}Z\.backup/).waitFor();
  expect(faults).toEqual([]);
  await context.close();
});
