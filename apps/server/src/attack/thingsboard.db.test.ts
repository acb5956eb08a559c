import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createDice, type Dice, mutated } from '@isotherm/testkit/dice';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ATTACK, rounds } from '../testing/attack.ts';
import { fridge, startTestServer, TEST_KEY, type TestServer } from '../testing/test-server.ts';
import { thingsboardDevice } from '../testing/thingsboard-device.ts';

/**
 * Sends random sequences of valid and invalid messages and subscriptions of the ThingsBoard device API,
 * generated from a seed: no connection is closed, every message is acknowledged, and memory does not grow
 * without limit.
 */
const DEVICE = '26000001';
const BYSTANDER = '26000002';
const AT_ONCE = 40;
const MOST_ATTRIBUTE_BYTES = 100 * (255 + 1_024 + 8);
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
  const behind = fridge('26000003');
  await server.provision(await server.logIn('demo.manager'), [
    fridge(DEVICE),
    fridge(BYSTANDER),
    { ...behind, device: { ...behind.device, name: 'Ward 1', gatewayNumber: DEVICE } },
  ]);
});
afterAll(() => server.stop());

const TOPICS = [
  'v1/devices/me/telemetry',
  'v1/devices/me/attributes',
  'v1/devices/me/attributes/request/',
  'v1/devices/me/rpc/request/',
  'v1/devices/me/rpc/response/',
  'v1/devices/me/claim',
  `v1/devices/${BYSTANDER}/attributes/request/`,
  'v1/gateway/telemetry',
  'v1/gateway/attributes',
  'v1/gateway/attributes/request',
  'v1/gateway/connect',
  'v1/gateway/disconnect',
  'v1/gateway/rpc',
  'v1/gateway/claim',
  'v2/t',
  'v2/a',
  'v2/a/req/',
  'v2/r/req/',
  'v2/r/res/',
  'v2/c',
  'v2/fw/request/1/chunk/',
  'v2/nothing/of/the/kind',
];
const FILTERS = [
  'v1/devices/me/attributes',
  'v1/devices/me/attributes/response/+',
  'v1/devices/me/rpc/request/+',
  'v1/gateway/rpc',
  'v1/gateway/attributes',
  'v2/a',
  'v2/r/req/+',
  'v1/#',
  'v2/#',
];
const PAYLOADS = [
  { temperature: 4.5, door: false },
  { ts: 1_700_000_000_000, values: { temperature: 5 } },
  [{ temperature: 1 }, 7, null],
  { clientKeys: 'serial,fw_version', sharedKeys: 'uploadIntervalS' },
  { serial: 'SN-1', nested: { a: [1, 2, { b: null }] }, gone: null },
  { method: 'getCurrentTime', params: {} },
  { method: 7 },
  { device: 'Ward 1' },
  { device: BYSTANDER, id: 1, data: { success: true } },
  { id: 1, device: 'Ward 1', client: ['serial'], shared: ['uploadIntervalS'] },
  { id: 2, device: 'Ward 1', client: true, key: 'serial' },
  { 'Ward 1': [{ ts: 1_700_000_000_000, values: { temperature: 5 } }] },
  { error: 'no', state: 'success', reason: 1e9 },
  {},
].map((value) => Buffer.from(JSON.stringify(value)));

function topicOf(dice: Dice): string {
  const topic = dice.pick(TOPICS);
  const ending = dice.pick([
    '',
    '1',
    '1',
    '1',
    'one',
    '-1',
    '1/2',
    String(dice.number(2 ** 31)),
    'x'.repeat(200),
  ]);
  return topic.endsWith('/') || dice.number(8) === 0 ? topic + ending : topic;
}

function payloadOf(dice: Dice): Buffer {
  switch (dice.number(8)) {
    case 0:
      return Buffer.alloc(0);
    case 1:
      return dice.bytes(dice.number(64));
    case 2:
      return mutated(dice, dice.pick(PAYLOADS));
    case 3:
      return Buffer.from(`{"k${dice.number(1_000)}":"${'x'.repeat(dice.number(2_000))}"}`);
    case 4:
      return Buffer.from(dice.pick(['[', '{"a":', '"']).repeat(1 + dice.number(20_000)));
    default:
      return dice.pick(PAYLOADS);
  }
}

/** Returns the memory in use after a garbage collection, in bytes. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed + process.memoryUsage().external;
}

test.each([4, 5] as const)(
  'random messages in MQTT protocol level %i are all acknowledged, and no connection is closed',
  async (protocolVersion) => {
    const dice = createDice(ATTACK.seed + protocolVersion);
    const device = await thingsboardDevice(server.mqttPort, `${DEVICE}.${TEST_KEY}`, { protocolVersion });
    const bystander = await thingsboardDevice(server.mqttPort, `${BYSTANDER}.${TEST_KEY}`);
    await bystander.subscribe('v1/#', 'v2/#');
    let before = 0;
    const all = rounds(60, 2_000);
    for (let round = 0; round < all; round++) {
      const filter = dice.pick(FILTERS);
      if (dice.number(2) === 0) await device.subscribe(filter);
      else await device.client.unsubscribeAsync(filter);
      await Promise.all(
        Array.from({ length: AT_ONCE }, () =>
          device.client.publishAsync(topicOf(dice), payloadOf(dice), { qos: dice.pick([0, 1, 1, 2]) }),
        ),
      );
      device.heard.length = 0;
      expect(device.client.connected, `seed ${ATTACK.seed}, round ${round}`).toBe(true);
      // By this round, caches and connection pools are filled, so that later growth would be a leak.
      if (round === all >> 1) before = usedBytes();
    }
    // Memory that is released shortly afterwards is not a leak: some messages are still queued for storage
    // in the message log.
    await expect.poll(() => usedBytes() - before, { timeout: 20_000 }).toBeLessThan(24 * 1024 * 1024);
    const { rows } = await server.pool.query<{ bytes: number }>(
      'select octet_length(attributes::text) as bytes from device_attribute',
    );
    for (const { bytes } of rows) expect(bytes).toBeLessThan(MOST_ATTRIBUTE_BYTES);
    // Another device received none of these messages and is still served.
    expect(bystander.heard).toEqual([]);
    expect(await bystander.attributes({ sharedKeys: 'uploadIntervalS' })).toEqual({
      shared: { uploadIntervalS: 60 },
    });
    await device.close();
    await bystander.close();
  },
  300_000,
);
