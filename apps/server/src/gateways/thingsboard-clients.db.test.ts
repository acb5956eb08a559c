import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import mqttPacket, { type Packet } from 'mqtt-packet';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fridge, startTestServer, type TestServer } from '../testing/test-server.ts';

/** Recorded packets of client libraries, which are replayed against the server. */
const { clients } = JSON.parse(
  readFileSync(
    new URL('../../../../packages/protocol/vectors/thingsboard-clients.json', import.meta.url),
    'utf8',
  ),
) as {
  clients: {
    name: string;
    origin: 'recorded' | 'constructed';
    mqtt: 3 | 5;
    packets: string[];
    pubacks: number;
    answers: { topic: string; payload: unknown }[];
  }[];
};
const TOKEN = 'A1b2C3d4E5f6G7h8I9j0';
const GATEWAY_TOKEN = 'G1b2C3d4E5f6G7h8I9j0';
/** Packet type of DISCONNECT, which a client sends without waiting for a response. */
const DISCONNECT = 0xe;
const PUBLISH = 0x3;

let server: TestServer;
let last = 25_000_000;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

async function register(device: object): Promise<string> {
  const item = fridge(String(++last));
  await server.provision(await server.logIn('demo.manager'), [
    { ...item, device: { ...item.device, ...device } },
  ]);
  return item.device.number;
}

it.each(clients)('$name, $origin: every message is acknowledged and answered', async (client) => {
  await server.pool.query('update device set token_hash = null, gateway_id = null');
  const number = await register({ token: TOKEN });
  const gateway = await register({ token: GATEWAY_TOKEN });
  const behind = await register({ name: 'Ward 1', gatewayNumber: gateway });

  const socket = net.connect(server.mqttPort, '127.0.0.1');
  const parser = mqttPacket.parser({ protocolVersion: client.mqtt });
  const got: Packet[] = [];
  parser.on('packet', (packet) => got.push(packet));
  socket.on('data', (bytes) => parser.parse(bytes));
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  for (const hex of client.packets) {
    const bytes = Buffer.from(hex, 'hex');
    const type = (bytes[0] as number) >> 4;
    // Clients wait before they disconnect until all messages have been acknowledged and answered.
    if (type === DISCONNECT) await allAnswered();
    const before = got.length;
    socket.write(bytes);
    const isAnswered = type !== DISCONNECT && (type !== PUBLISH || ((bytes[0] as number) & 6) !== 0);
    if (isAnswered) await expect.poll(() => got.length, { timeout: 10_000 }).toBeGreaterThan(before);
  }
  await allAnswered();
  // Some clients close the connection without a DISCONNECT.
  socket.end();
  await closed;

  function allAnswered(): Promise<void> {
    return expect
      .poll(() => [count('puback'), count('publish')], { timeout: 10_000 })
      .toEqual([client.pubacks, client.answers.length]);
  }
  function count(cmd: Packet['cmd']): number {
    return got.filter((packet) => packet.cmd === cmd).length;
  }
  expect(got[0]).toMatchObject({
    cmd: 'connack',
    ...(client.mqtt === 5 ? { reasonCode: 0 } : { returnCode: 0 }),
  });
  for (const packet of got)
    if (packet.cmd === 'suback') for (const granted of packet.granted) expect(granted).toBe(0);
  const answers = got.flatMap((packet) =>
    packet.cmd === 'publish' ? [{ topic: packet.topic, payload: JSON.parse(packet.payload.toString()) }] : [],
  );
  expect(answers).toEqual(client.answers);
  const { rows } = await server.pool.query(
    'select code from rejected_message where device_number = any($1)',
    [[number, gateway, behind]],
  );
  expect(rows).toEqual([]);
});
