import type { DeviceConnection } from '@isotherm/contracts/device-connection';
import mqtt from 'mqtt';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';

/** Tests the information for users who connect a device for the first time. */
const NUMBER = '60000201';
const WRONG = 'w'.repeat(40);
let server: TestServer;
let manager: Session;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  await server.provision(manager, [fridge(NUMBER)]);
});
afterAll(() => server.stop());

async function connection(session = manager, number = NUMBER): Promise<DeviceConnection> {
  const answer = await server.call<DeviceConnection>({
    path: `/api/device/list/${number}/connection`,
    session,
  });
  expect(answer.httpStatus).toBe(200);
  return answer.data;
}

const throughMqtt = (password: string) =>
  mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
    protocolVersion: 5,
    username: NUMBER,
    password,
    reconnectPeriod: 0,
  });

test('before a device has connected, only the address of the server is shown', async () => {
  expect(await connection()).toEqual({
    connected: null,
    refused: null,
    messages: [],
    address: { host: null, mqtt: server.mqttPort, mqtts: null, tcp: server.tcpPort },
  });
});

test('attempts with a wrong key are counted until the device connects', async () => {
  await server.ingest(NUMBER, WRONG, { readings: [] });
  await expect(throughMqtt(WRONG)).rejects.toThrow();
  await vi.waitFor(async () => {
    expect(await connection()).toMatchObject({
      connected: null,
      refused: { by: 'mqtt', from: '127.0.0.1', attempts: 2 },
    });
  }, 5_000);
  const client = await throughMqtt(TEST_KEY);
  await vi.waitFor(async () => {
    expect(await connection()).toMatchObject({ connected: { by: 'mqtt', from: '127.0.0.1' }, refused: null });
  }, 5_000);
  await client.endAsync();
});

test('a refused message and refused readings are shown with their reasons', async () => {
  await server.ingest(NUMBER, TEST_KEY, '{"readings": [');
  const now = Date.now();
  await server.ingest(NUMBER, TEST_KEY, {
    readings: [
      { channel: 'temperature-9', at: now, value: 4 },
      { channel: 'temperature-8', at: now, value: 4 },
      { channel: 'temperature-1', at: now, value: 4_000 },
      { channel: 'temperature-1', at: now, value: 4 },
    ],
  });
  await vi.waitFor(async () => {
    const { messages, connected } = await connection();
    expect(messages).toMatchObject([
      {
        by: 'http',
        code: 'readings-refused',
        faults: [
          { fault: 'unknown-channel', readings: 2 },
          { fault: 'outside-physical-range', readings: 1 },
        ],
      },
      { by: 'http', code: 'request.malformed', faults: [], bytes: 14 },
    ]);
    expect(connected?.by).toBe('http');
  }, 5_000);
});

test('messages of a previous device with the same number are not shown', async () => {
  await server.pool.query(`update device set created_at = now() + interval '1 minute' where number = $1`, [
    NUMBER,
  ]);
  expect((await connection()).messages).toEqual([]);
});

test('a device that does not exist or is out of scope is not found', async () => {
  const answer = await server.call({ path: '/api/device/list/60000299/connection', session: manager });
  expect(answer).toMatchObject({ httpStatus: 404 });
});
