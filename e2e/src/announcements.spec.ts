import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, logInAs, startConsoleBrowser } from './console-page.ts';
import { type Mailbox, startMailbox } from './mailbox.ts';
import { violations } from './page-checks.ts';
import { queryDatabase } from './stored.ts';

/** Announcements in a real browser, from the author to the reader. */
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
  browser = await startConsoleBrowser();
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
  await mailbox?.stop();
});

test('an announcement is written, published, shown once as popup, e-mailed, read, and its receipt is seen', async () => {
  await queryDatabase(
    demo.databaseUrl,
    `update account set email = 'keeper@example.com' where username = $1`,
    ['demo.keeper'],
  );
  const author = await browser.open();
  const reader = await browser.open();
  await logInAs(author.page, demo.url, 'demo.manager', PASSWORD);
  await logInAs(reader.page, demo.url, 'demo.keeper', PASSWORD);
  await reader.page.goto(`${demo.url}/announcement/list`);
  await reader.page.getByText('No announcements yet').waitFor();
  const otherTab = await reader.context.newPage();
  await otherTab.goto(`${demo.url}/announcement/list`);
  await otherTab.getByText('No announcements yet').waitFor();

  // The author formats the text and is refused a link with a script.
  const { page } = author;
  await page.goto(`${demo.url}/announcement/manage`);
  await page.getByRole('button', { name: 'New announcement' }).first().click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Title').fill('Maintenance on Sunday');
  const editor = form.getByRole('textbox', { name: 'Text' });
  await editor.click();
  await form.getByRole('button', { name: 'Heading' }).click();
  await page.keyboard.type('What continues to work');
  await page.keyboard.press('Enter');
  await page.keyboard.type('Alarms keep ');
  await page.keyboard.press('Control+b');
  await page.keyboard.type('working');
  await page.keyboard.press('Control+b');
  await page.keyboard.type('. ');
  await form.getByRole('button', { name: 'Link', exact: true }).click();
  await form.getByLabel('Address').fill('javascript:alert(1)');
  await form.getByRole('button', { name: 'Set link' }).click();
  await form.getByText('Enter an address such as').waitFor();
  await form.getByLabel('Address').fill('https://example.com/plan');
  await form.getByRole('button', { name: 'Set link' }).click();
  await form.getByRole('switch', { name: 'Show as popup' }).click();
  await form.getByRole('switch', { name: 'Send by e-mail' }).click();
  await form.getByRole('button', { name: 'Save draft' }).click();

  const drawer = page.getByRole('dialog', { name: 'Maintenance on Sunday' });
  await drawer.getByRole('heading', { name: 'What continues to work' }).waitFor();
  await drawer
    .locator('input[type="file"]')
    .setInputFiles({ name: 'plan.pdf', mimeType: 'application/pdf', buffer: Buffer.from('<script>') });
  await page.getByText('the name does not match the content').waitFor();
  await drawer
    .locator('input[type="file"]')
    .setInputFiles({ name: 'plan.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 plan') });
  await drawer.getByRole('button', { name: 'Open plan.pdf' }).waitFor();
  await drawer.getByRole('button', { name: 'Publish' }).click();
  await page
    .getByRole('dialog', { name: 'Publish “Maintenance on Sunday”?' })
    .getByRole('button', { name: 'Publish' })
    .click();
  await page.getByText('Announcement published').waitFor();

  // The reader is told without a reload: in one tab as a popup, in all by the badge.
  await otherTab.bringToFront();
  const popups = [reader.page, otherTab].map((tab) =>
    tab.getByRole('dialog', { name: 'Maintenance on Sunday' }),
  );
  await expect
    .poll(async () => (await Promise.all(popups.map((popup) => popup.count()))).reduce((a, b) => a + b), {
      timeout: 10_000,
    })
    .toBe(1);
  await reader.page.locator('.menu .count[title="1 unread announcement"]').first().waitFor();
  const shown = (await popups[0]?.count()) === 1 ? reader.page : otherTab;
  await shown
    .getByRole('dialog', { name: 'Maintenance on Sunday' })
    .getByRole('link', { name: 'Open' })
    .click();
  await shown.getByRole('heading', { name: 'What continues to work' }).waitFor();
  expect(await shown.locator('.announcement-text strong').textContent()).toBe('working');
  expect(await shown.getByRole('link', { name: 'https://example.com/plan' }).getAttribute('rel')).toContain(
    'noopener',
  );
  // Pages with every look are in dresses.spec; its account receives no announcement.
  expect(await violations(shown)).toEqual([]);
  const saved = shown.waitForEvent('download');
  await shown.getByRole('button', { name: /^plan\.pdf/ }).click();
  expect((await saved).suggestedFilename()).toBe('plan.pdf');
  for (const tab of [reader.page, otherTab]) {
    await tab.bringToFront();
    await tab.locator('.menu .count').filter({ hasText: '1' }).waitFor({ state: 'detached' });
    await tab.reload();
    await tab.getByRole('button', { name: /Maintenance on Sunday/ }).waitFor();
    expect(await tab.getByRole('dialog', { name: 'Maintenance on Sunday' }).count()).toBe(0);
  }

  await expect.poll(() => mailbox.to('keeper@example.com'), { timeout: 10_000 }).toHaveLength(1);
  expect(mailbox.to('keeper@example.com')[0]).toContain('Alarms keep working');

  // The author sees the receipt, and recalls the announcement.
  await page.bringToFront();
  await page.reload();
  const receipts = page.getByRole('dialog', { name: 'Maintenance on Sunday' });
  await receipts.getByText(/Read by 1 of \d+ users/).waitFor();
  await receipts.getByLabel('Name or account').fill('demo.keeper');
  await receipts.getByRole('row').filter({ hasText: 'demo.keeper' }).waitFor();
  await receipts.getByRole('button', { name: 'Recall' }).click();
  const recall = page.getByRole('dialog', { name: 'Recall “Maintenance on Sunday”?' });
  await recall.getByRole('textbox').fill('Wrong date');
  await recall.getByRole('button', { name: 'Recall' }).click();
  await page.getByText('Announcement recalled').waitFor();
  await shown.bringToFront();
  await shown.getByText('No announcements yet').waitFor();
  expect([...author.faults, ...reader.faults]).toEqual([]);
  await author.context.close();
  await reader.context.close();
});

/** Chooses an option of a field of a form. */
async function choose(page: Page, form: Locator, field: string, option: string): Promise<void> {
  await form.getByRole('combobox', { name: field }).click();
  await page.locator('.ant-select-item-option:visible').filter({ hasText: option }).first().click();
}

test('an announcement with a category reaches a user group only, and stays when the category is deleted', async () => {
  const author = await browser.open();
  const { page } = author;
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  await page.goto(`${demo.url}/announcement/categories`);
  await page.getByRole('button', { name: 'Create category' }).first().click();
  const category = page.getByRole('dialog', { name: 'Create category' });
  await category.getByLabel('Name').fill('Training');
  await category.getByRole('button', { name: 'Create category' }).click();
  await page.getByText('Category saved').waitFor();
  expect(await violations(page)).toEqual([]);

  await page.goto(`${demo.url}/announcement/user-groups`);
  await page.getByRole('button', { name: 'Create user group' }).first().click();
  const group = page.getByRole('dialog', { name: 'Create user group' });
  await group.getByLabel('Name').fill('Night shift');
  await choose(page, group, 'Organisations', '');
  await page.keyboard.press('Escape');
  await choose(page, group, 'Roles', 'Operator');
  await page.keyboard.press('Escape');
  await group.getByRole('button', { name: 'Create user group' }).click();
  await page.getByText('User group saved').waitFor();

  await page.goto(`${demo.url}/announcement/manage`);
  await page.getByRole('button', { name: 'New announcement' }).first().click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Title').fill('Course on Monday');
  await form.getByRole('textbox', { name: 'Text' }).click();
  await page.keyboard.type('In the training room.');
  await choose(page, form, 'Category', 'Training');
  await choose(page, form, 'Recipients', 'Night shift');
  await form.getByRole('button', { name: 'Save draft' }).click();
  const drawer = page.getByRole('dialog', { name: 'Course on Monday' });
  await drawer.getByRole('button', { name: 'Publish' }).click();
  await page
    .getByRole('dialog', { name: 'Publish “Course on Monday”?' })
    .getByRole('button', { name: 'Publish' })
    .click();
  await page.getByText('Announcement published').waitFor();

  const readers = { 'demo.keeper': true, 'demo.auditor': false };
  for (const [username, receives] of Object.entries(readers)) {
    const reader = await browser.open();
    await logInAs(reader.page, demo.url, username, PASSWORD);
    await reader.page.goto(`${demo.url}/announcement/list`);
    const entry = reader.page.getByRole('button', { name: /Course on Monday/ });
    if (receives) {
      await entry.waitFor();
      await reader.page.getByRole('combobox', { name: 'Category' }).click();
      await reader.page.locator('.ant-select-item-option:visible').filter({ hasText: 'Training' }).click();
      await expect.poll(() => new URL(reader.page.url()).searchParams.get('category')).not.toBeNull();
      await entry.getByText(/Training/).waitFor();
    } else await reader.page.getByText('No announcements yet').waitFor();
    expect(reader.faults).toEqual([]);
    await reader.context.close();
  }

  await page.goto(`${demo.url}/announcement/categories`);
  const row = page.getByRole('row').filter({ hasText: 'Training' });
  await row.getByRole('button', { name: /^Actions/ }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const confirm = page.getByRole('dialog', { name: 'Delete the category “Training”?' });
  await confirm.getByText('1 announcement stays without a category.').waitFor();
  await confirm.getByRole('textbox').fill('Not used any more');
  await confirm.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Category “Training” deleted').waitFor();
  await page.goto(`${demo.url}/announcement/manage`);
  await page.getByRole('row').filter({ hasText: 'Course on Monday' }).waitFor();
  expect(author.faults).toEqual([]);
  await author.context.close();
});
