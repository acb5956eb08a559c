import { packetsTopic } from '@isotherm/contracts/ingest';
import { createPacketKeys, packetSecret } from '@isotherm/contracts/packet-cipher';
import type { ExplainedField, Explanation, StoredPacket } from '@isotherm/contracts/packets';
import { writePacket } from '@isotherm/protocol/gateway-packet/packet';
import { blocksOf, writeReadings } from '@isotherm/protocol/gateway-packet/readings-body';
import mqtt from 'mqtt';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';

const HOSPITAL = '42000001';
const FLEET = '42000002';
const CONTENT = writeReadings(
  blocksOf([{ sensor: 1, indicator: 'temperature', at: 1_795_140_000_000, value: 4.9 }]),
);
const keys = createPacketKeys(packetSecret(TEST_KEY));

let server: TestServer;
let manager: Session;
let auditor: Session;

beforeAll(async () => {
  server = await startTestServer();
  [manager, auditor] = [await server.logIn('demo.manager'), await server.logIn('demo.auditor')];
  await server.provision(manager, [
    fridge(HOSPITAL, { organizationCode: 'DEMO-HOSPITAL' }),
    fridge(FLEET, { organizationCode: 'DEMO-FLEET' }),
  ]);
});
afterAll(() => server.stop());

/** Returns an encrypted packet with one reading of this device. */
const sealed = (number: string, fromServer = false) =>
  Buffer.from(
    writePacket({
      type: 'readings',
      gatewayId: Number(number),
      messageId: 7,
      content: CONTENT,
      fromServer,
      seal: { encryption: 'sm4-gcm', cipher: keys.uplink('sm4-gcm'), counter: 41 },
    }),
  ).toString('hex');
const clear = Buffer.from(
  writePacket({ type: 'readings', gatewayId: 1, messageId: 7, content: CONTENT }),
).toString('hex');

const explain = (hex: string, session = manager) =>
  server.call<Explanation>({ method: 'POST', path: '/api/packet/explain', json: { hex }, session });
const value = (fields: readonly ExplainedField[], name: string) =>
  fields.find((field) => field.name === name)?.meaning;

it('the page explains packet bytes in any notation', async () => {
  const pasted = clear.toUpperCase().replace(/(..)(..)/g, '0x$1, $2\r\n');
  const { data } = await explain(pasted);
  expect(data.hex).toBe(clear);
  expect(data.packets).toHaveLength(1);
  expect(data.packets[0]).toMatchObject({ kind: 'packet', offset: 0, length: 31, fault: null, opened: null });
  expect(value(data.packets[0]!.fields, 'first-value')).toEqual({
    kind: 'quantity',
    value: 4.9,
    indicator: 'temperature',
  });
  expect(data.packets[0]!.fields.map(({ level }) => level)).toContain(3);
});

test.each([
  ['text that is not hexadecimal', 'xyz', 'request.invalid'],
  ['an incomplete byte', 'c01', 'request.invalid'],
  ['nothing', '  ', 'request.invalid'],
])('packet bytes are refused: %s', async (_name, hex, status) => {
  expect(await explain(hex)).toMatchObject({ status });
});

it('an explanation lists no more fields than a page can show, and states how many were omitted', async () => {
  const many = writeReadings(
    blocksOf(
      Array.from({ length: 3_000 }, (_, i) => ({
        sensor: 1,
        indicator: 'door',
        at: i * 1_000,
        value: i % 2,
      })),
    ),
  );
  const packet = writePacket({ type: 'readings', gatewayId: 1, messageId: 1, content: many });
  const { data } = await explain(Buffer.from(packet).toString('hex'));
  expect(data.packets[0]!.fields).toHaveLength(1_500);
  // Number of all fields of the packet, in this order: header with its ten fields, content and block, base,
  // unit, counts, gaps; channel, its name in three fields, values; CRC.
  expect(data.omitted).toBe(10 + 2 + 4 + 2_999 + 4 + 3_000 + 2 - 1_500);
});

it('packets of own and subordinate devices are decrypted for users with the permission, and the key is never shown', async () => {
  const { data } = await explain(sealed(HOSPITAL));
  expect(data.packets[0]).toMatchObject({
    fault: null,
    opened: { hex: Buffer.from(CONTENT).toString('hex') },
  });
  expect(value(data.packets[0]!.fields, 'first-value')).toMatchObject({ value: 4.9 });
  const said = JSON.stringify(data);
  for (const secret of [TEST_KEY, packetSecret(TEST_KEY).toString('hex')]) expect(said).not.toContain(secret);
});

test.each<[string, () => Promise<{ data: Explanation }>]>([
  ['the user lacks the permission to decrypt', () => explain(sealed(HOSPITAL), auditor)],
  ['the device is unknown', () => explain(sealed('42999999'))],
  ['the packet was sent by the server', () => explain(sealed(HOSPITAL, true))],
])('a packet stays encrypted: %s', async (_name, ask) => {
  const { data } = await ask();
  expect(data.packets[0]).toMatchObject({ fault: 'no-key', opened: null });
  expect(value(data.packets[0]!.fields, 'first-value')).toBeUndefined();
});

it('a packet of a device of another organisation stays encrypted', async () => {
  const { rows } = await server.pool.query<{ id: number }>(
    `update account set organization_id = (select id from organization where code = 'DEMO-HOSPITAL')
      where username = 'demo.manager' returning organization_id as id`,
  );
  expect(rows).toHaveLength(1);
  const session = await server.logIn('demo.manager');
  expect((await explain(sealed(FLEET), session)).data.packets[0]).toMatchObject({ fault: 'no-key' });
  expect((await explain(sealed(HOSPITAL), session)).data.packets[0]).toMatchObject({ fault: null });
  await server.pool.query(
    `update account set organization_id = (select id from organization where code = 'DEMO')
      where username = 'demo.manager'`,
  );
  manager = await server.logIn('demo.manager');
});

it('rejected messages are listed, newest first, and explained', async () => {
  for (const number of [HOSPITAL, FLEET]) {
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username: number,
      password: TEST_KEY,
      protocolVersion: 4,
      reconnectPeriod: 0,
    });
    await client.publishAsync(packetsTopic(number), Buffer.from(clear, 'hex'), { qos: 1 });
    await client.endAsync();
  }
  const list = (query: Record<string, string> = {}) =>
    server.call<{ items: StoredPacket[]; total: number }>({ path: '/api/packet', query, session: manager });
  await expect.poll(async () => (await list()).data.total).toBe(2);
  const { data } = await list({ search: HOSPITAL });
  expect(data.items).toEqual([
    expect.objectContaining({ deviceNumber: HOSPITAL, gateway: 'mqtt', code: 'packet.gateway', bytes: 31 }),
  ]);
  expect((await list()).data.items.map(({ deviceNumber }) => deviceNumber)).toEqual([FLEET, HOSPITAL]);
  expect((await list({ gateway: 'tcp' })).data.total).toBe(0);
  const one = await server.call<Explanation & { stored: StoredPacket }>({
    path: `/api/packet/${data.items[0]!.id}`,
    session: manager,
  });
  expect(one.data).toMatchObject({ hex: clear, stored: { id: data.items[0]!.id } });
});
