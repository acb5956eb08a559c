import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleBrowser, logInAs, startConsoleBrowser } from './console-page.ts';
import { DRESSES, overflow, violations } from './page-checks.ts';

/** The pages of identity in every dress, and one thing done on each by hand and by keyboard. */
let demo: DemoServer;
let browser: ConsoleBrowser;
const PASSWORD = 'Isotherm-2026';

beforeAll(async () => {
  demo = await startDemoServer({ LOG_LEVEL: 'warn' });
  browser = await startConsoleBrowser();
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

/** Each with what is there once the page has its answer. */
const PAGES: readonly { path: string; ready: string }[] = [
  { path: '/management/organizations?id=2', ready: 'article' },
  { path: '/management/organizations?id=2&do=create', ready: 'form input' },
  { path: '/management/users', ready: 'text=demo.keeper' },
  { path: '/management/users?new=1', ready: 'form input' },
  { path: '/management/users/1', ready: 'h1' },
  { path: '/management/roles', ready: '.list-foot' },
  { path: '/management/roles?role=4', ready: '.permission-summary' },
  { path: '/management/roles?new=1', ready: '.permission-tree .ant-tree-checkbox' },
  { path: '/management/account', ready: 'form input' },
  { path: '/management/account?tab=security', ready: 'input[type="password"]' },
  { path: '/management/account?tab=sessions', ready: '.sessions li' },
  { path: '/management/authorizations', ready: 'h2, .list-foot' },
  { path: '/management/logs', ready: '.list-foot' },
];

describe.each(DRESSES)('$name', (dress) => {
  test('the pages of identity', async () => {
    const { page, faults, context } = await browser.open(dress);
    await logInAs(page, demo.url, 'demo.platform', PASSWORD);
    for (const { path, ready } of PAGES) {
      await page.goto(demo.url + path);
      await page.locator(ready).first().waitFor();
      // What slides in is judged where it comes to rest.
      await page.waitForFunction(() =>
        document
          .getAnimations()
          .every((each) => each.playState !== 'running' || each.effect?.getTiming().iterations === Infinity),
      );
      expect(await violations(page), path).toEqual([]);
      expect(await overflow(page), `${path} is as wide as the screen`).toBeLessThanOrEqual(0);
      expect(faults, path).toEqual([]);
    }
    await context.close();
  });
});

test('an organisation and a user in it are made, and the log says who did it', async () => {
  const { page, faults, context } = await browser.open();
  await logInAs(page, demo.url, 'demo.platform', PASSWORD);

  await page.goto(`${demo.url}/management/organizations?id=2&do=create`);
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('Name', { exact: false }).first().fill('Vaccination point 7');
  await drawer.getByLabel('Code', { exact: false }).first().fill('VP-7');
  await page.keyboard.press('Enter');
  await page.getByRole('article', { name: 'Vaccination point 7' }).waitFor();
  const place = new URL(page.url()).searchParams.get('id');

  await page.goto(`${demo.url}/management/users?new=1&organizationId=${place}`);
  await drawer.getByLabel('Account*').fill('wu.lei.01');
  await drawer.getByLabel('Full name*').fill('Wu Lei');
  await drawer.getByLabel('Roles*').click();
  await page.getByTitle('Operator').click();
  await page.keyboard.press('Escape');
  await drawer.getByRole('button', { name: 'Add user' }).click();
  await page.getByRole('row', { name: /wu\.lei\.01/ }).waitFor();

  // By keyboard alone: to the filter, to the row, into the page of the user.
  await page.keyboard.press('/');
  await page.keyboard.type('wu.lei');
  await page.waitForURL(/q=wu\.lei/);
  await page.getByRole('row').nth(1).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Wu Lei' }).waitFor();

  await page.goto(`${demo.url}/management/logs?action=create`);
  await page.getByRole('row', { name: /wu\.lei\.01/ }).click();
  await page.getByRole('dialog').getByText('Wu Lei').first().waitFor();
  expect(faults).toEqual([]);
  await context.close();
});
