import type { WaybillDetail } from '@isotherm/contracts/waybills';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { expectDone } from '../../../testing/people.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';

const MIN = 60_000;
const NUMBERS = ['77000001', '77000002', '77000003'] as const;
const now = Math.floor(Date.now() / MIN) * MIN;
let server: TestServer;
let manager: Session;
let organizationId = 0;

const withButton = (number: string) => {
  const item = fridge(number);
  const [sensor, ...others] = item.sensors;
  if (!sensor) throw new Error('the fridge has a sensor');
  const button = { indicator: 'button' as const, name: 'Button', rules: [] };
  return { ...item, sensors: [{ ...sensor, channels: [...sensor.channels, button] }, ...others] };
};

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  await server.provision(manager, NUMBERS.map(withButton));
  await server.pool.query(
    `update binding set valid_from = now() - interval '1 day' where valid_until = 'infinity'`,
  );
  organizationId = await one('select organization_id::int as id from device where number = $1', [NUMBERS[0]]);
});
afterAll(() => server.stop());

async function one(sql: string, values: unknown[]): Promise<number> {
  const { rows } = await server.pool.query<{ id: number }>(sql, values);
  return rows[0]?.id as number;
}
const assetOf = (number: string) => one('select id::int from asset where code = $1', [`F-${number}`]);
const moment = (minutesAgo: number) => new Date(now - minutesAgo * MIN).toISOString();
const get = async (id: number) =>
  expectDone(await server.call<WaybillDetail>({ path: `/api/waybill/${id}`, session: manager }));
async function create(number: string, device: string, more: object): Promise<number> {
  const { id } = expectDone(
    await server.call<WaybillDetail>({
      method: 'POST',
      path: '/api/waybill',
      session: manager,
      json: {
        organizationId,
        number,
        consignorUnit: 'Warehouse',
        consigneeUnit: 'Clinic',
        assetId: await assetOf(device),
        plannedDepartureAt: moment(60),
        temperatureLow: 2,
        temperatureHigh: 8,
        ...more,
      },
    }),
  );
  // As if it had been created before the trip.
  await server.pool.query('update waybill set automatic_since = $2 where id = $1', [id, moment(300)]);
  return id;
}
const press = async (device: string, minutesAgo: number) =>
  expect(
    (
      await server.ingest(device, TEST_KEY, {
        readings: [
          { channel: 'button-1', at: now - minutesAgo * MIN, value: 1 },
          { channel: 'button-1', at: now - minutesAgo * MIN + 1, value: 0 },
        ],
      })
    ).httpStatus,
  ).toBe(200);
const look = () => server.pool.query(`select graphile_worker.add_job('waybill-times')`);

it('a waybill departs and is delivered by the button of its vehicle; a second press at once is not the delivery', async () => {
  const [device] = NUMBERS;
  const id = await create('BTN-1', device, { departByButton: true, deliverByButton: true });
  await press(device, 200);
  await press(device, 50);
  await vi.waitFor(async () => expect(await get(id)).toMatchObject({ state: 'in-transport' }), 10_000);
  expect((await get(id)).departedAt).toBe(moment(50));
  await press(device, 48);
  await press(device, 48);
  await press(device, 20);
  await vi.waitFor(async () => expect(await get(id)).toMatchObject({ state: 'arrived' }), 10_000);
  const { endedAt, custody } = await get(id);
  expect(endedAt).toBe(moment(20));
  expect(custody).toMatchObject([
    { action: 'depart', username: 'system', means: 'button', note: device },
    { action: 'deliver', username: 'system', means: 'button', note: device },
  ]);
});

it('the button of a device that is bound for the trip moves its waybill only, and none that does not ask for it', async () => {
  const [, vehicle, logger] = NUMBERS;
  const deviceIds = [await one('select id::int from device where number = $1', [logger])];
  const id = await create('BTN-2', vehicle, { departByButton: true, deviceIds });
  const other = await create('BTN-3', vehicle, { departByButton: true });
  const byHand = await create('BTN-4', vehicle, { deviceIds: [] });
  await press(logger, 30);
  await vi.waitFor(async () => expect(await get(id)).toMatchObject({ state: 'in-transport' }), 10_000);
  expect((await get(id)).devices).toMatchObject([{ number: logger, homeAssetName: `Fridge ${logger}` }]);
  expect((await get(other)).state).toBe('not-shipped');
  expect((await get(byHand)).state).toBe('not-shipped');
});

it('a waybill departs and is delivered once at its planned times, however often they are looked for', async () => {
  const id = await create('TIME-1', NUMBERS[0], {
    departAtTime: true,
    deliverAtTime: true,
    plannedDeliveryAt: moment(10),
  });
  const later = await create('TIME-2', NUMBERS[0], {
    departAtTime: true,
    plannedDepartureAt: new Date(Date.now() + 60 * MIN).toISOString(),
  });
  await Promise.all([look(), look(), look()]);
  await vi.waitFor(async () => expect(await get(id)).toMatchObject({ state: 'arrived' }), 10_000);
  await look();
  const { departedAt, endedAt, custody } = await get(id);
  expect([departedAt, endedAt]).toEqual([moment(60), moment(10)]);
  expect(custody.map(({ action, means }) => [action, means])).toEqual([
    ['depart', 'time'],
    ['deliver', 'time'],
  ]);
  expect((await get(later)).state).toBe('not-shipped');
});

it('a planned delivery before the departure is not taken, and a delivery at the planned time needs one', async () => {
  const id = await create('TIME-3', NUMBERS[0], { deliverAtTime: true, plannedDeliveryAt: moment(40) });
  await server.call({
    method: 'POST',
    path: `/api/waybill/${id}/depart`,
    session: manager,
    json: { at: moment(30), assetId: await assetOf(NUMBERS[0]) },
  });
  const other = await create('TIME-4', NUMBERS[0], { departAtTime: true });
  await look();
  await vi.waitFor(async () => expect(await get(other)).toMatchObject({ state: 'in-transport' }), 10_000);
  expect((await get(id)).state).toBe('in-transport');
  const answer = await server.call({
    method: 'POST',
    path: '/api/waybill',
    session: manager,
    json: { ...(await get(id)), deliverAtTime: true, plannedDeliveryAt: null },
  });
  expect(answer.status).not.toBe('1');
});
