import { HELP_SUBJECT_NAMES } from '@isotherm/domain/help/subjects';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, logInAs, startConsoleBrowser } from './console-page.ts';
import { overflow, smallTargets, violations } from './page-checks.ts';

const PASSWORD = 'Isotherm-2026';

/** Searches everywhere and reads the help, at a desk and on a phone. */
let demo: DemoServer;
let browser: ConsoleBrowser;

beforeAll(async () => {
  demo = await startDemoServer({ LOG_LEVEL: 'warn' });
  const fleet = await demo.startFleet({ historyDays: 2, records: true });
  await fleet.program.stop();
  browser = await startConsoleBrowser();
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

/** Logs in and waits for the page frame, which listens for the shortcut of the search. */
async function signedIn(options = {}) {
  const opened = await browser.open(options);
  await logInAs(opened.page, demo.url, 'demo.manager', PASSWORD);
  await opened.page.getByText('Vaccine fridge 03').first().waitFor();
  return opened;
}

test('the search finds an alarm, leads to its list, opens an action and survives hostile text', async () => {
  const opened = await signedIn();
  const { page, faults } = opened;
  const box = page.getByRole('combobox', { name: 'Search pages, actions and records' });
  await page.keyboard.press('Control+k');
  await box.fill('vaccine');
  const alarms = page.getByRole('group', { name: 'Alarms' });
  await alarms.getByRole('option').first().waitFor();
  const title = (await alarms.getByRole('option').first().textContent()) ?? '';
  const number = /#(\d+)/.exec(title)?.[1];
  expect(number, title).toBeDefined();
  await page
    .getByRole('group', { name: 'Assets' })
    .getByRole('option', { name: /Show all/ })
    .click();
  await page.waitForURL(/\/monitor\?q=vaccine/);

  await page.keyboard.press('Control+k');
  await box.fill(`#${number}`);
  await alarms.getByRole('option', { name: new RegExp(`#${number} `) }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/alarm/${number}$`));

  await page.keyboard.press('Control+k');
  await box.fill('new policy');
  await page.getByRole('option', { name: /Create alarm policy/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/alarm\/policies\?new=1/);
  await page.locator('.graded-template').first().waitFor();
  await page.keyboard.press('Escape');

  await page.keyboard.press('Control+k');
  for (const text of ['%%%', '\u0000\u0001\u0002', '\\\\', 'z'.repeat(5000)]) {
    await box.fill(text);
    await page.locator('.search-state').getByText('No results', { exact: false }).waitFor();
  }
  await page.keyboard.press('Escape');
  await box.waitFor({ state: 'hidden' });
  expect(faults).toEqual([]);
  await opened.context.close();
});

test('on a phone in the dark, search and help fit the screen and every target is large enough', async () => {
  const opened = await signedIn({ width: 390, height: 844, dark: true, locale: 'es' });
  const { page, faults } = opened;
  await page.keyboard.press('Control+k');
  await page.locator('.search-box input').fill('fridge');
  await page.getByRole('group', { name: 'Activos' }).getByRole('option').first().waitFor();
  expect(await overflow(page)).toBe(0);
  const heights = await page
    .locator('.search-hit')
    .evaluateAll((hits) => hits.map((hit) => hit.clientHeight));
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
  await page.keyboard.press('Escape');
  await opened.travel('/help');
  await opened.settled();
  expect(await overflow(page)).toBe(0);
  expect(await smallTargets(page)).toEqual([]);
  for (const subject of HELP_SUBJECT_NAMES) {
    await opened.travel(`/help/${subject}`);
    await page.locator('.kept-page:visible .help-text').waitFor();
    await opened.settled();
    expect(await overflow(page), subject).toBe(0);
    expect(await smallTargets(page), subject).toEqual([]);
  }
  expect(faults).toEqual([]);
  await opened.context.close();
});

test('the ? of a page opens its help, which leads to a subject that is readable without a connection', async () => {
  const opened = await signedIn();
  const { page, context, faults } = opened;
  await page.goto(`${demo.url}/alarm/current`);
  const button = page.getByRole('button', { name: 'Help: Current alarms' });
  await button.click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText('What to watch out for').waitFor();
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'hidden' });
  expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
  await button.click();
  await drawer.getByRole('link', { name: 'Read more: Alarms' }).click();
  await page.waitForURL(/\/help\/alarms$/);
  await page.getByRole('heading', { name: 'Planned work' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('link', { name: 'All help subjects' }).click();
  await page.waitForURL(/\/help$/);
  await page.getByRole('link', { name: /Policies and limits/ }).waitFor();
  // What was loaded once needs no server.
  await context.setOffline(true);
  await page.getByRole('link', { name: /Policies and limits/ }).click();
  await page.getByRole('heading', { name: 'Create a policy' }).waitFor();
  await context.setOffline(false);
  expect(faults).toEqual([]);
  await opened.context.close();
});
