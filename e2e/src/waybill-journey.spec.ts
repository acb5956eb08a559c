import { readFile } from 'node:fs/promises';
import { createGeofence } from '@isotherm/contracts/geofences';
import { listRoles } from '@isotherm/contracts/roles';
import { createUser } from '@isotherm/contracts/users';
import { createWaybill, listWaybillDrivers } from '@isotherm/contracts/waybills';
import { readPdf } from '@isotherm/server/testing/read-pdf';
import { type ApiClient, logIn } from '@isotherm/simulator/client/api-client';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, logInAs, startConsoleBrowser } from './console-page.ts';
import { sign } from './sign-on-glass.ts';
import { DEPOT, FROZEN, type SimulatedTruck, startSimulatedTruck } from './simulated-truck.ts';
import { queryDatabase } from './stored.ts';

/** A shipment from its departure to the paper about it: two trucks, a door that was opened, an alarm, a verdict. */
let demo: DemoServer;
let browser: ConsoleBrowser;
const trucks: SimulatedTruck[] = [];
const PASSWORD = 'Isotherm-2026';
const NUMBER = 'JOURNEY-1';
const DRIVER = 'journey.driver';
const REASON = 'Core temperature measured, goods in order';

beforeAll(async () => {
  demo = await startDemoServer({ LOG_LEVEL: 'warn', ISOTHERM_ENVIRONMENT: 'development' });
  browser = await startConsoleBrowser();
});
afterAll(async () => {
  await Promise.all(trucks.map((truck) => truck.stop()));
  await browser?.close();
  await demo?.stop();
});

/** Creates the account of a driver, who has changed the initial password. */
async function createDriver(client: ApiClient, organizationId: number): Promise<number> {
  const roles = await client.call(listRoles);
  await client.call(createUser, {
    body: {
      username: DRIVER,
      realname: 'Xu Gang',
      organizationId,
      accountType: 'staff',
      roleIds: roles.filter(({ code }) => code === 'driver').map(({ id }) => id),
      mobile: '13900000019',
      email: 'driver@example.com',
    },
  });
  await queryDatabase(
    demo.databaseUrl,
    `update account d set password_hash = m.password_hash, must_change_password = false
       from account m where m.username = 'demo.manager' and d.username = '${DRIVER}'`,
  );
  const query = { organizationId: String(organizationId), search: DRIVER };
  const [driver] = await client.call(listWaybillDrivers, { query });
  if (!driver) throw new Error('there is no driver');
  return driver.id;
}

test('a truck departs by geofence, its door is opened, an alarm names the leg, and the goods are transshipped, delivered, judged and released', async () => {
  const client = await logIn(demo.url, 'demo.manager', PASSWORD);
  const first = await startSimulatedTruck(demo, client, '76500001', 'Journey truck 1');
  trucks.push(first);
  const second = await startSimulatedTruck(demo, client, '76500002', 'Journey truck 2');
  trucks.push(second);
  const { organizationId } = first;
  const fence = await client.call(createGeofence, {
    body: {
      organizationId,
      name: 'Depot gate',
      shape: { kind: 'circle', centre: DEPOT, radiusM: 40 },
      marginM: 10,
    },
  });
  const { id } = await client.call(createWaybill, {
    body: {
      organizationId,
      number: NUMBER,
      assetId: first.id,
      driverId: await createDriver(client, organizationId),
      consignorUnit: 'Central warehouse',
      consigneeUnit: 'Blood bank',
      consigneeContact: 'He Tao',
      plannedDepartureAt: new Date().toISOString(),
      temperatureLow: FROZEN.lowC,
      temperatureHigh: FROZEN.highC,
      goods: [{ product: 'Fresh frozen plasma', batch: 'P-1', quantity: 48, unit: 'bags' }],
      departureFenceId: fence.id,
    },
  });
  const inDatabase = async <Row extends object>(query: string): Promise<Row | undefined> =>
    (await queryDatabase<Row>(demo.databaseUrl, query, [id]))[0];
  const soon = { timeout: 30_000, interval: 200 };

  const desk = await browser.open();
  await logInAs(desk.page, demo.url, 'demo.manager', PASSWORD);
  first.driveOff();
  await expect
    .poll(() => inDatabase<{ state: string }>('select state from waybill where id = $1'), {
      ...soon,
      // The truck needs about 13 s to leave the geofence.
      timeout: 60_000,
    })
    .toEqual({ state: 'in-transport' });
  await desk.page.goto(`${demo.url}/waybill/list/${id}`);
  const custody = desk.page.locator('.waybill-custody');
  await custody.getByText('By geofence · Depot gate', { exact: true }).waitFor();

  // The door is opened on the road. The alarm says which shipment, and that it is on its first leg.
  first.openDoor();
  const alarmOf = () =>
    inDatabase<{ id: number; level: number }>(
      `select al.id::float8 as id, al.level from alarm al join waybill w on w.asset_id = al.asset_id
        where w.id = $1 and al.kind = 'high' order by al.id limit 1`,
    );
  await expect.poll(alarmOf, soon).toMatchObject({ level: FROZEN.level });
  await desk.page.goto(`${demo.url}/alarm/${(await alarmOf())?.id}`);
  await desk.page.getByRole('link', { name: `${NUMBER}: in transit, leg 1`, exact: true }).waitFor();
  first.closeDoor();

  // The goods go on with the second truck.
  await desk.page.goto(`${demo.url}/waybill/trips/${id}`);
  await desk.page.getByRole('button', { name: 'Transship', exact: true }).click();
  await desk.page.getByRole('textbox', { name: 'Received by' }).fill('Liu Qiang');
  await desk.page.getByRole('combobox', { name: 'Vehicle or box' }).click();
  const choice = desk.page.getByRole('dialog', { name: 'Choose an asset' });
  await choice.getByRole('searchbox').fill(second.name);
  await choice.getByRole('treeitem', { name: new RegExp(second.name) }).click();
  await sign(desk.page);
  await desk.page.getByRole('button', { name: 'Transship', exact: true }).click();
  await desk.page.getByText(/^Sent, /).waitFor();

  // The driver delivers on a phone, and the consignee signs on its glass.
  const phone = await browser.open({ width: 390, height: 844 });
  await logInAs(phone.page, demo.url, DRIVER, PASSWORD);
  await phone.page.goto(`${demo.url}/waybill/trips/${id}`);
  await phone.page.getByText('Record so far', { exact: true }).waitFor();
  await phone.page.getByRole('button', { name: 'Continue', exact: true }).click();
  await sign(phone.page);
  await phone.page.getByRole('button', { name: 'Confirm delivery', exact: true }).click();
  await phone.page.getByText(/^Sent, /).waitFor();
  expect(phone.faults).toEqual([]);
  await phone.context.close();

  // The verdict is a proposal; a person decides.
  await desk.page.goto(`${demo.url}/waybill/list/${id}`);
  await custody.getByText('Transship', { exact: false }).first().waitFor();
  await custody
    .getByRole('listitem')
    .filter({ hasText: 'Confirm delivery' })
    .getByRole('img', { name: 'Signature', exact: true })
    .waitFor();
  const verdict = desk.page.locator('section', {
    has: desk.page.getByRole('heading', { name: /^Verdict/ }),
  });
  await verdict.getByText('Outside the stability budget', { exact: true }).waitFor();
  await verdict.getByRole('button', { name: 'Release', exact: true }).click();
  const dialog = desk.page.getByRole('dialog', { name: `Release: waybill ${NUMBER}?`, exact: true });
  await dialog.getByRole('textbox').fill(REASON);
  await dialog.getByRole('button', { name: 'Release', exact: true }).click();
  await verdict.getByText(/^Released by demo\.manager, /).waitFor();

  const saved = desk.page.waitForEvent('download');
  await desk.page.getByRole('button', { name: 'Create trip report', exact: true }).click();
  const { pages } = await readPdf((await readFile(await (await saved).path())).toString('base64'));
  const report = pages.join(' ');
  for (const part of [
    NUMBER,
    'Outside the stability budget',
    'Released by demo.manager',
    REASON,
    first.name,
    second.name,
    'He Tao',
  ])
    expect(report).toContain(part);
  expect(desk.faults).toEqual([]);
  await desk.context.close();
}, 180_000);
