import { once } from 'node:events';
import { commandsTopic } from '@isotherm/contracts/commands';
import { openPacketLink } from '@isotherm/simulator/client/packet-link';
import mqtt from 'mqtt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fridge, type Session, startTestServer, TEST_KEY, type TestServer } from '../testing/test-server.ts';

/** Tests connections of a device whose key is revoked by another process than the one that holds them. */
let holder: TestServer;
let other: TestServer;
let manager: Session;
let devices = 47_000_000;

beforeAll(async () => {
  holder = await startTestServer();
  other = await startTestServer({ databaseUrl: holder.databaseUrl });
  manager = await other.logIn('demo.manager');
});
afterAll(async () => {
  await other.stop();
  await holder.stop();
});

async function newDevice(): Promise<string> {
  const number = String(++devices);
  await other.provision(manager, [fridge(number)]);
  return number;
}

const WITHDRAWALS = [
  [
    'rotated',
    (number: string) =>
      other.call({
        method: 'POST',
        path: `/api/device/list/${number}/key`,
        session: manager,
        json: { reason: 'It was on a label' },
      }),
  ],
  [
    'deleted with its device',
    (number: string) =>
      other.call({
        method: 'POST',
        path: '/api/device/list/delete',
        session: manager,
        json: { numbers: [number], reason: 'Scrapped' },
      }),
  ],
] as const;

async function listen(number: string, key = TEST_KEY) {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${holder.mqttPort}`, {
    protocolVersion: 5,
    username: number,
    password: key,
    reconnectPeriod: 0,
  });
  const told: string[] = [];
  const reasons: (number | undefined)[] = [];
  client.on('message', (_topic, payload) => told.push(payload.toString()));
  client.on('disconnect', ({ reasonCode }) => reasons.push(reasonCode));
  client.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
  await client.subscribeAsync(commandsTopic(number), { qos: 1 });
  return { client, told, reasons, closed };
}

describe.each(WITHDRAWALS)('connections with a key that was %s', (_name, withdraw) => {
  it('MQTT connections are closed at once, with the reason', async () => {
    const number = await newDevice();
    const bystander = await listen(await newDevice());
    const { reasons, closed } = await listen(number);
    expect(await withdraw(number)).toMatchObject({ status: '1' });
    await closed;
    expect(reasons).toEqual([0x87]);
    expect(bystander.client.connected).toBe(true);
    await bystander.client.endAsync(true);
  });

  it('TCP connections are closed at once', async () => {
    const number = await newDevice();
    const link = await openPacketLink({
      host: '127.0.0.1',
      port: holder.tcpPort,
      number,
      key: TEST_KEY,
      encryption: 'none',
      counter: 1,
    });
    const closed = once(link.socket, 'close');
    expect(await withdraw(number)).toMatchObject({ status: '1' });
    await closed;
  });
});

it('a connection with a previous key receives no command, even before it is closed', async () => {
  const number = await newDevice();
  const old = await listen(number);
  // The notification is suppressed by disabling the trigger, as if it were delayed.
  await other.pool.query(`alter table device disable trigger user`);
  const answer = await other.call<{ key: string }>({
    method: 'POST',
    path: `/api/device/list/${number}/key`,
    session: manager,
    json: { reason: 'It was on a label' },
  });
  await other.pool.query(`alter table device enable trigger user`);
  expect(answer.status).toBe('1');
  const given = await other.call({
    method: 'POST',
    path: '/api/device/command',
    session: manager,
    json: { devices: [number], order: { kind: 'acquisition-interval', seconds: 30 } },
  });
  expect(given.status).toBe('1');
  // The wait is long enough because commands are polled once a second.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(old.told).toEqual([]);
  const { rows } = await other.pool.query<{ state: string }>(
    `select c.state from device_command c join device d on d.id = c.device_id where d.number = $1`,
    [number],
  );
  expect(rows).toEqual([{ state: 'reserved' }]);
  await other.pool.query(`select pg_notify('isotherm_cache', 'device ${number}')`);
  await old.closed;
  const renewed = await listen(number, answer.data.key);
  await expect.poll(() => renewed.told, { timeout: 5_000 }).toHaveLength(1);
  await renewed.client.endAsync(true);
});
