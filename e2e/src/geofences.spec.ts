import { provisionDevices } from '@isotherm/contracts/devices';
import { INGEST_PATH } from '@isotherm/contracts/ingest';
import { createWaybill } from '@isotherm/contracts/waybills';
import { logIn } from '@isotherm/simulator/client/api-client';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, logInAs, startConsoleBrowser } from './console-page.ts';
import { deviceAuthorization, loadedItem } from './loaded-device.ts';
import { queryDatabase } from './stored.ts';

/** A truck leaves a geofence that was drawn in the console: the event is listed, and its waybill departs. */
let demo: DemoServer;
let browser: ConsoleBrowser;
const PASSWORD = 'Isotherm-2026';
const NUMBER = '76000001';
const DEPOT = { latitude: 31.2, longitude: 121.4 };

beforeAll(async () => {
  demo = await startDemoServer({ LOG_LEVEL: 'warn', ISOTHERM_ENVIRONMENT: 'development' });
  browser = await startConsoleBrowser();
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

test('a truck leaves a geofence: the event is listed, and its waybill departs', async () => {
  const client = await logIn(demo.url, 'demo.manager', PASSWORD);
  await client.call(provisionDevices, { body: { items: [loadedItem(NUMBER)] } });
  const [asset] = await queryDatabase<{ id: number; name: string; organization: number }>(
    demo.databaseUrl,
    `select a.id::float8 as id, a.name, a.organization_id::float8 as organization
       from device d join asset a on a.id = d.asset_id where d.number = $1`,
    [NUMBER],
  );
  if (!asset) throw new Error('the truck was not created');
  let latitude = DEPOT.latitude;
  let at = 0;
  const report = async () => {
    at = Math.max(at + 1, Date.now());
    const { status } = await fetch(demo.url + INGEST_PATH, {
      method: 'POST',
      headers: { authorization: deviceAuthorization(NUMBER), 'content-type': 'application/json' },
      body: JSON.stringify({ positions: [{ at, latitude, longitude: DEPOT.longitude }] }),
    });
    expect(status).toBe(200);
  };

  const { page, faults, context } = await browser.open();
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  await page.goto(`${demo.url}/map/geofences?new=1`);
  await page.locator('.maplibregl-ctrl-scale').waitFor();
  const form = page.locator('form');
  await form.getByLabel('Name').fill('Depot');
  await form.getByLabel('Centre').fill(`${DEPOT.latitude}, ${DEPOT.longitude}`);
  await form.getByRole('textbox', { name: 'Radius (m)', exact: true }).fill('30');
  await form.getByLabel('Margin (m)').fill('10');
  await form.getByRole('button', { name: 'Create geofence', exact: true }).click();
  await page.getByText('Depot saved', { exact: true }).waitFor();
  const [fence] = await queryDatabase<{ id: number }>(
    demo.databaseUrl,
    `select id::float8 as id from geofence where name = 'Depot'`,
  );
  if (!fence) throw new Error('the geofence was not stored');

  // The truck stands in the depot: it was in there already when its first position came.
  await report();
  const waybill = await client.call(createWaybill, {
    body: {
      organizationId: asset.organization,
      number: 'GEO-1',
      consignorUnit: 'Warehouse',
      consigneeUnit: 'Hospital',
      assetId: asset.id,
      plannedDepartureAt: new Date().toISOString(),
      temperatureLow: 2,
      temperatureHigh: 8,
      departureFenceId: fence.id,
    },
  });
  await page.goto(`${demo.url}/map/geofences?tab=events`);
  await page.locator('table').getByText('Already inside', { exact: true }).first().waitFor();

  // It drives off, 60 m at a time: the receiver's noise is no event, and neither are jumps.
  await expect
    .poll(
      async () => {
        latitude += 60 / 111_195;
        await report();
        const rows = await queryDatabase<{ state: string }>(
          demo.databaseUrl,
          'select state from waybill where id = $1',
          [waybill.id],
        );
        return rows[0]?.state;
      },
      { timeout: 60_000, interval: 1_000 },
    )
    .toBe('in-transport');
  await page.goto(`${demo.url}/map/geofences?tab=events`);
  await page.locator('table').getByText('Left', { exact: true }).first().waitFor();
  await page.getByRole('link', { name: asset.name, exact: true }).first().waitFor();
  await page.goto(`${demo.url}/waybill/list/${waybill.id}`);
  await page.getByText('Depart · ', { exact: false }).first().waitFor();
  await page.locator('.waybill-custody').getByText('By geofence · Depot', { exact: true }).waitFor();
  expect(faults).toEqual([]);
  await context.close();
});
