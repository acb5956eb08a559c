import { provisionDevices } from '@isotherm/contracts/devices';
import { INGEST_PATH } from '@isotherm/contracts/ingest';
import { createRenewalPrice } from '@isotherm/contracts/renewal-orders';
import { logIn } from '@isotherm/simulator/client/api-client';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, logInAs, startConsoleBrowser } from './console-page.ts';
import { queryDatabase } from './stored.ts';

/** A device expires, is hidden, and is renewed by QR code; then its data and its alarms return (docs/ledger.md). */
const NUMBER = '49300001';
const KEY = 'renewal-journey-key-of-a-device-0001';
const MINUTE_MS = 60_000;
const PASSWORD = 'Isotherm-2026';
let demo: DemoServer;
let browser: ConsoleBrowser;
let assetId: number;

beforeAll(async () => {
  demo = await startDemoServer({ LOG_LEVEL: 'warn', ISOTHERM_ENVIRONMENT: 'sandbox' });
  browser = await startConsoleBrowser();
  const manager = await logIn(demo.url, 'demo.manager', PASSWORD);
  await manager.call(provisionDevices, {
    body: {
      items: [
        {
          asset: {
            code: 'RENEWED',
            name: 'Vaccine fridge 7',
            kind: 'refrigerator',
            place: 'Pharmacy',
            organizationCode: 'DEMO-HOSPITAL',
          },
          device: { number: NUMBER, name: 'Logger 7', key: KEY, acquisitionIntervalMs: MINUTE_MS },
          sensors: [
            {
              index: 1,
              serial: `${NUMBER}-01`,
              name: 'Air',
              channels: [
                {
                  indicator: 'temperature',
                  name: 'Air',
                  rules: [{ kind: 'high', level: 3, limit: 8, triggerAfterMs: MINUTE_MS }],
                },
              ],
            },
          ],
        },
      ],
    },
  });
  const platform = await logIn(demo.url, 'demo.platform', PASSWORD);
  await platform.call(createRenewalPrice, { body: { model: '', price: 60, currency: 'CNY' } });
  [assetId] = (
    await queryDatabase<{ id: number }>(demo.databaseUrl, `select id::int from asset where code = 'RENEWED'`)
  ).map(({ id }) => id) as [number];
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

async function send(readings: readonly { minutesAgo: number; value: number }[]): Promise<void> {
  const response = await fetch(`${demo.url}${INGEST_PATH}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from(`${NUMBER}:${KEY}`).toString('base64')}`,
    },
    body: JSON.stringify({
      readings: readings.map(({ minutesAgo, value }) => ({
        channel: 'temperature-1',
        at: Date.now() - minutesAgo * MINUTE_MS,
        value,
      })),
    }),
  });
  expect(response.status).toBe(200);
}
const alarms = () =>
  queryDatabase<{ end_reason: string | null }>(
    demo.databaseUrl,
    `select end_reason from alarm where asset_id = ${assetId} order by id`,
  );

test('a device that expires is hidden and raises no alarms, until its renewal is paid by QR code', async () => {
  await send([30, 25, 20].map((minutesAgo) => ({ minutesAgo, value: 5 })));
  // The first moment that is not paid for was 15 minutes ago.
  await queryDatabase(
    demo.databaseUrl,
    `update device set expires_at = now() - interval '15 minutes' where number = '${NUMBER}' returning id`,
  );
  await send([10, 8, 6, 4, 2, 0].map((minutesAgo) => ({ minutesAgo, value: 11.4 })));

  const { page, faults } = await browser.open({ moving: false });
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  await page.waitForURL(`${demo.url}/monitor`);
  await page.getByRole('dialog', { name: 'System message' }).getByRole('button', { name: 'OK' }).click();
  await page.goto(`${demo.url}/asset/${assetId}`);
  await page
    .getByText(/Subscription expired/)
    .first()
    .waitFor();
  expect(await page.getByText('11.4').count()).toBe(0);
  expect(await alarms()).toEqual([]);

  await page.getByRole('link', { name: 'Renew', exact: true }).first().click();
  await page.waitForURL(`${demo.url}/device/expired`);
  await page.getByRole('button', { name: 'Renew all in list', exact: true }).click();
  await page.getByText('Total, 1 device').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Order and pay', exact: true }).click();
  await page.getByRole('img', { name: 'Scan the code with your phone' }).waitFor();
  const code = await page.getByRole('link', { name: 'Open the payment page' }).getAttribute('href');

  const phone = await browser.open({ width: 390, height: 844, moving: false });
  await phone.page.goto(`${demo.url}${new URL(code ?? '').pathname}`);
  await phone.page.getByRole('button', { name: 'Pay', exact: true }).click();
  await phone.page.getByText('Paid. You can close this page.').waitFor();

  await page.getByText('1 device renewed').waitFor();
  await expect.poll(alarms, { timeout: 20_000 }).toEqual([{ end_reason: null }]);
  await page.goto(`${demo.url}/asset/${assetId}`);
  await page.getByText('11.4').first().waitFor();
  await page
    .getByText(/Level 3/)
    .first()
    .waitFor();
  await page.goto(`${demo.url}/device/list/${NUMBER}?tab=renewals`);
  await page.getByText(/^R[0-9a-f]{24}$/).waitFor();
  expect(faults).toEqual([]);
});
