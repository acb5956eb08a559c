import { readFile } from 'node:fs/promises';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type ConsoleBrowser,
  type ConsolePage,
  fillLogIn,
  logInAs,
  startConsoleBrowser,
} from './console-page.ts';
import { clippedLabels, overflow, smallTargets, violations } from './page-checks.ts';
import { sign } from './sign-on-glass.ts';
import { queryDatabase } from './stored.ts';

/** A waybill of the demo is handed over by its driver on a phone: scanned, signed without a connection, sent once. */
let demo: DemoServer;
let browser: ConsoleBrowser;
const PASSWORD = 'Isotherm-2026';
const NUMBER = 'W-2026-88216';

beforeAll(async () => {
  demo = await startDemoServer({ LOG_LEVEL: 'warn', ISOTHERM_ENVIRONMENT: 'development' });
  await demo.startFleet({ historyDays: 1, records: true });
  // The driver has changed the initial password.
  await queryDatabase(
    demo.databaseUrl,
    `update account d set password_hash = m.password_hash, must_change_password = false
       from account m where m.username = 'demo.manager' and d.username = 'demo.driver'`,
  );
  // The frozen truck is outside the range of these goods.
  await queryDatabase(
    demo.databaseUrl,
    `update waybill set temperature_low = 2, temperature_high = 8 where number = 'W-2026-88219'`,
  );
  browser = await startConsoleBrowser();
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

/** What is wrong with a page on a phone. */
async function faultsOf({ page, settled }: ConsolePage): Promise<string[]> {
  await settled();
  const excess = await overflow(page);
  return [
    // Colours are checked with all pages.
    ...(await violations(page, { without: ['color-contrast'] })),
    ...(await clippedLabels(page)),
    ...(await smallTargets(page)),
    ...(excess > 0 ? [`${excess} px wider than the screen`] : []),
  ];
}

const storedHandovers = (id: number) =>
  queryDatabase<{ kind: string; takenBy: string; signature: string; photos: number }>(
    demo.databaseUrl,
    `select h.kind, h.taken_by as "takenBy", h.signature,
            (select count(*)::int from waybill_photo p where p.handover_id = h.id) as photos
       from waybill_handover h where h.waybill_id = $1`,
    [id],
  );

/** Prints the waybill in the console; returns its PDF as text of bytes. */
async function printed(page: Page): Promise<string> {
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Print waybill', exact: true }).click();
  return (await readFile(await (await saved).path())).toString('latin1');
}

test('a printed waybill is scanned, signed without a connection, and sent once when the line is back', async () => {
  const desk = await browser.open();
  await logInAs(desk.page, demo.url, 'demo.manager', PASSWORD);
  await desk.page.goto(`${demo.url}/waybill/list?search=${NUMBER}`);
  await desk.page.getByText(NUMBER, { exact: true }).first().click();
  await desk.page.getByRole('heading', { name: NUMBER, exact: true }).waitFor();
  // The address that the QR code contains is a link in the document.
  const [, path = '', id = ''] =
    /\/URI \(https?:\/\/[^)]*?(\/waybill\/trips\/(\d+))\)/.exec(await printed(desk.page)) ?? [];
  expect(path).not.toBe('');

  const phone = await browser.open({ width: 390, height: 844 });
  const { page, context } = phone;
  await page.goto(demo.url + path);
  await fillLogIn(page, 'demo.driver', PASSWORD);
  await page.getByText('Record so far', { exact: true }).waitFor();
  expect(await faultsOf(phone)).toEqual([]);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByRole('button', { name: 'Less', exact: true }).click();
  await page.getByRole('textbox', { name: 'Remark' }).fill('One dose is broken');
  const photo = await desk.page.screenshot({ type: 'png' });
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'box.png', mimeType: 'image/png', buffer: photo });
  await page.getByRole('img', { name: 'Photo 1', exact: true }).waitFor();
  await sign(page);
  expect(await faultsOf(phone)).toEqual([]);

  await context.setOffline(true);
  await page.getByRole('button', { name: 'Confirm delivery', exact: true }).click();
  await page.getByText('Not sent yet: no connection', { exact: true }).waitFor();
  await page.getByText('Delivery confirmed', { exact: true }).waitFor();
  expect(await storedHandovers(Number(id))).toEqual([]);
  // The first attempt reaches the server, and its answer is lost.
  let attempts = 0;
  await page.route('**/handover', async (route) => {
    attempts += 1;
    if (attempts > 1) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await context.setOffline(false);
  await expect.poll(() => storedHandovers(Number(id))).toHaveLength(1);
  await page.getByText('Not sent yet: no connection', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await page.getByText(/^Sent, /).waitFor();
  expect(attempts).toBe(2);
  expect(await faultsOf(phone)).toEqual([]);
  const stored = await storedHandovers(Number(id));
  expect(stored).toMatchObject([{ kind: 'deliver', takenBy: 'Sun Yan', photos: 1 }]);

  // The driver sees own trips only, and begins with them.
  await page.getByRole('link', { name: 'All trips', exact: true }).click();
  await page.getByRole('heading', { name: 'Trips', exact: true }).waitFor();
  await page.getByText('W-2026-88218', { exact: true }).waitFor();
  expect(await page.locator('.trip-card').count()).toBe(3);
  expect(await faultsOf(phone)).toEqual([]);

  // The second stop of a tour: the vehicle is not cold enough to depart, and another stop comes before.
  await page.getByText('Tour T-2026-0412, stop 2').waitFor();
  await page.getByText('W-2026-88219', { exact: true }).click();
  await page.getByRole('heading', { name: 'Tour T-2026-0412', exact: true }).waitFor();
  const second = new URL(page.url()).pathname;
  await page.getByRole('heading', { name: 'Pre-cooling', exact: true }).waitFor();
  expect(await faultsOf(phone)).toEqual([]);
  await page.getByText('Outside the limits now. It must be in range for 30 min before departure.').waitFor();
  await page.getByRole('button', { name: 'Depart', exact: true }).click();
  await page.getByRole('button', { name: 'Depart', exact: true }).click();
  const reason = page.getByRole('textbox', { name: 'Reason for departing without pre-cooling' });
  await page.getByRole('textbox', { name: 'Handed over by' }).last().fill('Wang Jun');
  await reason.fill('Dry ice is used');
  await sign(page);
  expect(await faultsOf(phone)).toEqual([]);
  await page.getByRole('button', { name: 'Depart', exact: true }).click();
  await page.getByText('Departure confirmed', { exact: true }).waitFor();
  const storedCheck = () =>
    queryDatabase<{ state: string; reason: string }>(
      demo.databaseUrl,
      `select p.state, p.reason from waybill_pre_cool p join waybill w on w.id = p.waybill_id
        where w.number = 'W-2026-88219'`,
    );
  await expect.poll(storedCheck).toEqual([{ state: 'outside', reason: 'Dry ice is used' }]);
  await page.goto(demo.url + second);
  await page.getByText('Earlier stops that are not delivered yet: W-2026-88218', { exact: true }).waitFor();
  await page.getByText('Departed without pre-cooling: outside the limits.', { exact: true }).waitFor();
  expect(await faultsOf(phone)).toEqual([]);
  await page.goto(demo.url);
  await page.waitForURL('**/waybill/trips');

  // A scan after the hand-over says who signed, and offers nothing more.
  await page.goto(demo.url + path);
  await page.getByText(/^Signed by Sun Yan, /).waitFor();
  expect(await page.getByRole('button', { name: 'Continue', exact: true }).count()).toBe(0);
  expect(phone.faults).toEqual([]);
  await context.close();

  await desk.page.reload();
  const custody = desk.page.getByRole('listitem').filter({ hasText: 'Confirm delivery' });
  await custody.getByText('Hepatitis B vaccine: 1799 of 1800 doses', { exact: true }).waitFor();
  await custody.getByRole('img', { name: 'Signature', exact: true }).waitFor();
  const drawn = await custody.locator('svg path').getAttribute('d');
  expect(drawn).toBe(stored[0]?.signature);
  await custody.getByRole('button', { name: 'Photo 1', exact: true }).waitFor();
  expect(await printed(desk.page)).toContain('%PDF-');
  expect(desk.faults).toEqual([]);
  await desk.context.close();
}, 180_000);
