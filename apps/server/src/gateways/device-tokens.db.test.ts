import type { DeviceDetail } from '@isotherm/contracts/device-registry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDone } from '../testing/people.ts';
import { fridge, type Session, startTestServer, TEST_KEY, type TestServer } from '../testing/test-server.ts';
import { thingsboardDevice } from '../testing/thingsboard-device.ts';

/**
 * Tests access tokens that devices kept from ThingsBoard. A second process makes changes of which the first
 * one must be notified.
 */
let holder: TestServer;
let other: TestServer;
let manager: Session;
let last = 22_000_000;

beforeAll(async () => {
  holder = await startTestServer();
  other = await startTestServer({ databaseUrl: holder.databaseUrl });
  manager = await other.logIn('demo.manager');
});
afterAll(async () => {
  await other.stop();
  await holder.stop();
});

let tokens = 0;
/** Returns a token in the format of ThingsBoard's own tokens. */
const newToken = () => `tOkEn${String(++tokens).padStart(15, 'x')}`;
async function newDevice(token: string): Promise<string> {
  const item = fridge(String(++last));
  await other.provision(manager, [{ ...item, device: { ...item.device, token } }]);
  return item.device.number;
}
const telemetry = async (token: string) =>
  (
    await fetch(`${holder.url}/api/v1/${token}/telemetry`, {
      method: 'POST',
      body: JSON.stringify({ temperature: 4 }),
    })
  ).status;
const setToken = (number: string, token: string) =>
  other.call<DeviceDetail>({
    method: 'PUT',
    path: `/api/device/list/${number}/token`,
    session: manager,
    json: { token, reason: 'Moved from ThingsBoard' },
  });
const detail = async (number: string) =>
  expectDone(await other.call<DeviceDetail>({ path: `/api/device/list/${number}`, session: manager }));

describe('access tokens kept from ThingsBoard', () => {
  it('a token kept from ThingsBoard authenticates over HTTP and MQTT, and an empty password counts as none', async () => {
    const token = newToken();
    const number = await newDevice(token);
    expect(await telemetry(token)).toBe(200);
    for (const options of [{}, { password: '' }, { protocolVersion: 5 as const }]) {
      const device = await thingsboardDevice(holder.mqttPort, token, options);
      await device.publish('v1/devices/me/telemetry', { temperature: 5 });
      await device.close();
    }
    // The device's number and key remain valid.
    expect(await telemetry(`${number}.${TEST_KEY}`)).toBe(200);
    expect((await detail(number)).hasToken).toBe(true);
  });

  it('a token kept from ThingsBoard is stored as a hash, and appears in no response and no log entry', async () => {
    const token = newToken();
    const number = await newDevice(token);
    const { rows } = await other.pool.query<{ text: string }>(
      `select d::text as text from device d where number = $1
       union all select a::text from audit_entry a where object_id = $1`,
      [number],
    );
    expect(rows.length).toBeGreaterThan(1);
    for (const { text } of [...rows, { text: JSON.stringify(await detail(number)) }])
      expect(text).not.toContain(token);
  });

  it.each([
    ['unknown', 'tOkEnThatNobodyHas00'],
    ['too short', 'short'],
    ['too long', 'x'.repeat(65)],
    ['empty', '%20'],
  ])('a token that is %s is refused', async (_name, token) => {
    expect(await telemetry(token)).toBe(401);
    await expect(thingsboardDevice(holder.mqttPort, token)).rejects.toThrow();
  });

  it('a token is unique, also across organisations, and is free again once it was removed', async () => {
    const token = newToken();
    const number = await newDevice(token);
    const second = await newDevice(newToken());
    expect(await setToken(second, token)).toMatchObject({ httpStatus: 409, status: 'device.token_taken' });
    const item = fridge(String(++last));
    expect(
      await other.call({
        method: 'POST',
        path: '/api/device/provision',
        session: manager,
        json: { items: [{ ...item, device: { ...item.device, token } }] },
      }),
    ).toMatchObject({ httpStatus: 409, status: 'device.token_taken' });
    expect(expectDone(await setToken(number, '')).hasToken).toBe(false);
    expect(await telemetry(token)).toBe(401);
    expectDone(await setToken(second, token));
    expect(await telemetry(token)).toBe(200);
    for (const wrong of [
      'short',
      `${number}.${'k'.repeat(12)}`,
      'with a space in the middle',
      'x/y'.repeat(10),
    ])
      expect(await setToken(second, wrong)).toMatchObject({ httpStatus: 400, status: 'request.invalid' });
  });

  it.each([
    ['replaced', async (number: string) => void expectDone(await setToken(number, newToken()))],
    ['removed', async (number: string) => void expectDone(await setToken(number, ''))],
    [
      'revoked by a new key',
      async (number: string) =>
        void expectDone(
          await other.call({
            method: 'POST',
            path: `/api/device/list/${number}/key`,
            session: manager,
            json: { reason: 'It was on a label' },
          }),
        ),
    ],
    [
      'deleted with its device',
      async (number: string) =>
        void expectDone(
          await other.call({
            method: 'POST',
            path: '/api/device/list/delete',
            session: manager,
            json: { numbers: [number], reason: 'Scrapped' },
          }),
        ),
    ],
  ])('a token that was %s closes its connections at once', async (_name, withdraw) => {
    const token = newToken();
    const number = await newDevice(token);
    const device = await thingsboardDevice(holder.mqttPort, token);
    const bystander = await thingsboardDevice(holder.mqttPort, `${await newDevice(newToken())}.${TEST_KEY}`);
    await withdraw(number);
    await device.closed;
    expect(await telemetry(token)).toBe(401);
    await expect(thingsboardDevice(holder.mqttPort, token)).rejects.toThrow();
    expect(bystander.client.connected).toBe(true);
    await bystander.close();
  });

  it('changing a token does not close connections that authenticated with the key, and these still receive commands', async () => {
    const number = await newDevice(newToken());
    const device = await thingsboardDevice(holder.mqttPort, number, { password: TEST_KEY });
    await device.subscribe('v1/devices/me/rpc/request/+');
    expectDone(await setToken(number, newToken()));
    expectDone(
      await other.call({
        method: 'POST',
        path: '/api/device/command',
        session: manager,
        json: { devices: [number], order: { kind: 'acquisition-interval', seconds: 30 } },
      }),
    );
    await expect.poll(() => device.heard.length, { timeout: 5_000 }).toBe(1);
    await device.close();
  });

  it('a connection with a previous token receives no command, even before it is closed', async () => {
    const token = newToken();
    const number = await newDevice(token);
    const device = await thingsboardDevice(holder.mqttPort, token);
    await device.subscribe('v1/devices/me/rpc/request/+');
    // The notification is suppressed by disabling the trigger, as if it were delayed.
    await other.pool.query('alter table device disable trigger user');
    expectDone(await setToken(number, newToken()));
    await other.pool.query('alter table device enable trigger user');
    const second = await newDevice(newToken());
    const bystander = await thingsboardDevice(holder.mqttPort, `${second}.${TEST_KEY}`);
    await bystander.subscribe('v1/devices/me/rpc/request/+');
    const given = await holder.call<{ batch: { id: number } }>({
      method: 'POST',
      path: '/api/device/command',
      session: manager,
      json: { devices: [number, second], order: { kind: 'acquisition-interval', seconds: 30 } },
    });
    expectDone(given);
    // The commands of a batch are sent together.
    await expect.poll(() => bystander.heard.length, { timeout: 5_000 }).toBe(1);
    await bystander.close();
    const { rows } = await other.pool.query<{ state: string }>(
      `select c.state from device_command c join device d on d.id = c.device_id where c.batch_id = $1 and d.number = $2`,
      [given.data.batch.id, number],
    );
    expect([rows, device.heard]).toEqual([[{ state: 'reserved' }], []]);
    await device.close();
  });
});
