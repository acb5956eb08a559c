import { REPLAY_WINDOW } from '@isotherm/protocol/gateway-packet/replay-window';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLog } from '../../platform/log.ts';
import { fridge, startTestServer, type TestServer } from '../../testing/test-server.ts';
import { createPacketCounters } from './packet-counters.ts';

const NUMBER = '43000001';
const GONE = { id: 4_000_000_000, keyHash: Buffer.from('gone') };
const log = createLog('silent', false);

let server: TestServer;
let device: { id: number; keyHash: Buffer };

beforeAll(async () => {
  server = await startTestServer();
  await server.provision(await server.logIn('demo.manager'), [fridge(NUMBER)]);
  const { rows } = await server.pool.query<{ id: number; keyHash: Buffer }>(
    'select id, key_hash as "keyHash" from device where number = $1',
    [NUMBER],
  );
  device = rows[0] as typeof device;
});
afterAll(() => server.stop());

it('a packet counter that was accepted before a restart is rejected after it', async () => {
  const before = createPacketCounters(server.pool, log);
  (await before.window(device)).mark(50_000);
  await before.stop();
  const after = createPacketCounters(server.pool, log);
  const window = await after.window(device);
  expect(window.judge(50_000 - REPLAY_WINDOW)).toBe('too-old');
  expect(window.judge(50_001)).toBe('fresh');
  await after.stop();
});

it('another process never lowers a packet counter, and a deleted device does not affect others', async () => {
  const [one, other] = [createPacketCounters(server.pool, log), createPacketCounters(server.pool, log)];
  (await one.window(device)).mark(60_000);
  (await other.window(device)).mark(70_000);
  (await one.window(GONE)).mark(5);
  await other.stop();
  await one.stop();
  const { rows } = await server.pool.query('select device_id::int as id, highest::int from packet_counter');
  expect(rows).toEqual([{ id: device.id, highest: 70_000 }]);
});

it('the packet counter of a new key begins at 1 in every process, and counters of the old key no longer apply', async () => {
  const [one, other] = [createPacketCounters(server.pool, log), createPacketCounters(server.pool, log)];
  (await one.window(device)).mark(80_000);
  expect((await other.window(device)).judge(60_000)).toBe('too-old');
  const rotated = { ...device, keyHash: Buffer.from('another key') };
  await server.pool.query('update device set key_hash = $2 where id = $1', [rotated.id, rotated.keyHash]);
  for (const counters of [one, other]) expect((await counters.window(rotated)).judge(1)).toBe('fresh');
  (await one.window(rotated)).mark(10_000);
  // A message with the old key is still in progress in another process.
  (await other.window(device)).mark(90_000);
  await one.stop();
  await other.stop();
  const after = createPacketCounters(server.pool, log);
  const window = await after.window(rotated);
  expect(window.judge(10_000 - REPLAY_WINDOW)).toBe('too-old');
  expect(window.judge(10_001)).toBe('fresh');
  await after.stop();
});
