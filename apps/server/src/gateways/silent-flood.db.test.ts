import net from 'node:net';
import { readingsTopic } from '@isotherm/contracts/ingest';
import mqtt from 'mqtt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fridge, startTestServer, TEST_KEY, type TestServer } from '../testing/test-server.ts';

const NUMBER = '10000001';
const FLOOD = 400;
let server: TestServer;
const sockets: net.Socket[] = [];

beforeAll(async () => {
  server = await startTestServer({ environment: { ISOTHERM_MAX_CONNECTIONS: '400' } });
  await server.provision(await server.logIn('demo.manager'), [fridge(NUMBER)]);
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await server.stop();
});

/** Opens connections that send nothing; the returned function counts those that the server keeps open. */
async function flood(port: number, from: string): Promise<() => number> {
  const mine = Array.from({ length: FLOOD }, () => {
    const socket = net.connect({ port, host: '127.0.0.1', localAddress: from });
    socket.on('error', () => undefined).resume();
    sockets.push(socket);
    return socket;
  });
  await Promise.all(
    mine.map(
      (socket) =>
        new Promise<void>((resolve) => socket.once('connect', resolve).once('close', () => resolve())),
    ),
  );
  return () => mine.filter((socket) => !socket.destroyed && socket.readyState === 'open').length;
}

test('a protocol upgrade request that follows an unanswered request does not keep its connection open', async () => {
  const upgrade = `GET /ws HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;
  const socket = net.connect({
    port: Number(new URL(server.url).port),
    host: '127.0.0.1',
    localAddress: '127.0.0.9',
  });
  sockets.push(socket);
  socket.on('error', () => undefined).resume();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(`GET /api/site HTTP/1.1\r\nhost: x\r\n\r\n${upgrade}`);
  await closed;
}, 20_000);

describe('many silent connections', () => {
  test('an address with hundreds of silent connections keeps 64 of each kind, and other addresses are served', async () => {
    const ports = [server.mqttPort, server.tcpPort, Number(new URL(server.url).port)];
    for (const port of ports)
      await expect.poll(await flood(port, '127.0.0.2'), { timeout: 10_000 }).toBeLessThanOrEqual(64);

    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username: NUMBER,
      password: TEST_KEY,
      reconnectPeriod: 0,
    });
    const readings = [{ channel: 'temperature-1', at: Date.now() - 60_000, value: 5 }];
    await client.publishAsync(readingsTopic(NUMBER), JSON.stringify({ readings }), { qos: 1 });
    await client.endAsync();
    expect(await server.ingest(NUMBER, TEST_KEY, JSON.stringify({ readings }))).toMatchObject({
      httpStatus: 200,
    });
    await expect(server.logIn('demo.manager')).resolves.toBeDefined();
  }, 60_000);
});
