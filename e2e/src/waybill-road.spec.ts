import { captureEpcis } from '@isotherm/contracts/waybill-epcis';
import { logIn } from '@isotherm/simulator/client/api-client';
import { type DemoServer, type Fleet, startDemoServer } from '@isotherm/testkit/demo-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, type ConsolePage, logInAs, startConsoleBrowser } from './console-page.ts';
import { clippedLabels, overflow, smallTargets, violations } from './page-checks.ts';
import { queryDatabase } from './stored.ts';

/** A shipment with a logger of its own departs by the button of its truck, and its receipt is reported by another system. */
let demo: DemoServer;
let fleet: Fleet;
let browser: ConsoleBrowser;
const PASSWORD = 'Isotherm-2026';
const NUMBER = 'W-2026-88218';
const TRUCK = 'TR-7E115';
const TRUCK_DEVICE = '31040115';
/** The logger of another truck goes along. */
const LOGGER = '31040103';
const HOME = 'Truck HU-B 71K03';

beforeAll(async () => {
  demo = await startDemoServer({ LOG_LEVEL: 'warn', ISOTHERM_ENVIRONMENT: 'development' });
  fleet = await demo.startFleet({ historyDays: 1, records: true });
  await queryDatabase(
    demo.databaseUrl,
    `update waybill set planned_departure_at = now() + interval '30 minutes' where number = '${NUMBER}'`,
  );
  browser = await startConsoleBrowser();
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

async function faultsOf({ page, settled }: ConsolePage): Promise<string[]> {
  await settled();
  const excess = await overflow(page);
  return [
    // Colours are checked with all pages.
    ...(await violations(page, { without: ['color-contrast'] })),
    ...(await clippedLabels(page)),
    ...((page.viewportSize()?.width ?? 0) < 992 ? await smallTargets(page) : []),
    ...(excess > 0 ? [`${excess} px wider than the screen`] : []),
  ];
}

test('a shipment departs by the button of its truck with a logger of its own, which returns when the receipt is captured', async () => {
  const desk = await browser.open();
  const { page } = desk;
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  await page.goto(`${demo.url}/waybill/list?search=${NUMBER}`);
  await page.getByText(NUMBER, { exact: true }).first().click();
  await page.getByRole('heading', { name: NUMBER, exact: true }).waitFor();
  const address = page.url();
  await page.getByRole('button', { name: 'Adjust', exact: true }).click();
  const form = page.getByRole('dialog', { name: 'Adjust', exact: true });
  await form.getByRole('combobox', { name: 'Devices for this trip' }).click();
  await form.getByRole('combobox', { name: 'Devices for this trip' }).fill(LOGGER);
  await page.locator('.ant-select-item-option', { hasText: LOGGER }).click();
  await form.getByRole('button', { name: new RegExp(`^Remove device ${LOGGER}`) }).waitFor();
  expect(await faultsOf(desk)).toEqual([]);
  await form.getByRole('button', { name: 'Save', exact: true }).click();
  const devices = page.locator('section', {
    has: page.getByRole('heading', { name: 'Devices for this trip' }),
  });
  await devices.getByText('Bound at departure', { exact: true }).waitFor();

  await fleet.scenario('button-pressed', TRUCK);
  // The events beside the map name the departure too.
  const custody = page.locator('section', { has: page.getByRole('heading', { name: 'Chain of custody' }) });
  const departed = custody.getByRole('listitem').filter({ hasText: 'Depart' });
  await expect
    .poll(
      async () => {
        await page.reload();
        await page.getByRole('heading', { name: NUMBER, exact: true }).waitFor();
        await desk.settled();
        return departed.count();
      },
      { timeout: 60_000 },
    )
    .toBe(1);
  await departed.getByText(`By device button · ${TRUCK_DEVICE}`, { exact: true }).waitFor();
  await devices.getByText(/^Bound since /).waitFor();
  await devices.getByText(`Returns to ${HOME}`, { exact: true }).waitFor();
  expect(await faultsOf(desk)).toEqual([]);

  const client = await logIn(demo.url, 'demo.manager', PASSWORD);
  const now = new Date().toISOString();
  const event = {
    type: 'ObjectEvent' as const,
    action: 'OBSERVE' as const,
    bizStep: 'receiving',
    eventTime: now,
    eventTimeZoneOffset: '+08:00',
    epcList: [address],
    sensorElementList: [{ sensorReport: [{ type: 'Temperature', value: -18.5, uom: 'CEL' }] }],
  };
  const captured = await client.call(captureEpcis, {
    body: {
      '@context': ['https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld'],
      type: 'EPCISDocument',
      schemaVersion: '2.0',
      creationDate: now,
      epcisBody: { eventList: [event] },
    },
  });
  expect(captured).toEqual({ stored: 1, known: 0, steps: 1 });

  const phone = await browser.open({ width: 390, height: 844, dark: true });
  await logInAs(phone.page, demo.url, 'demo.manager', PASSWORD);
  await phone.page.goto(address);
  await phone.page.getByText(`Returned to ${HOME}`, { exact: true }).waitFor();
  const events = phone.page.locator('section', {
    has: phone.page.getByRole('heading', { name: 'Events from other systems' }),
  });
  await events.getByText('receiving · recorded as a step', { exact: true }).waitFor();
  expect(await faultsOf(phone)).toEqual([]);
  await phone.page.goto(`${demo.url}/waybill/list?new=1`);
  await phone.page.getByText('Automatic departure and delivery', { exact: true }).waitFor();
  expect(await faultsOf(phone)).toEqual([]);
  expect([...desk.faults, ...phone.faults]).toEqual([]);
  const bound = await queryDatabase<{ code: string }>(
    demo.databaseUrl,
    `select a.code from device d join asset a on a.id = d.asset_id where d.number = $1`,
    [LOGGER],
  );
  expect(bound).toEqual([{ code: 'TR-71K03' }]);
  await phone.context.close();
  await desk.context.close();
}, 240_000);
