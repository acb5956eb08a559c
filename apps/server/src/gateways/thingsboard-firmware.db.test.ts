import { createHash, randomBytes } from 'node:crypto';
import type { CommandBatch, DeviceCommand } from '@isotherm/contracts/commands';
import type { Firmware, FirmwareKey, listUpgrades, Rollout } from '@isotherm/contracts/firmware';
import type { ResponseOf } from '@isotherm/contracts/route';
import { firmwareKey } from '@isotherm/simulator/fleet/firmware-key';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDone, people } from '../testing/people.ts';
import { fridge, type Session, startTestServer, TEST_KEY, type TestServer } from '../testing/test-server.ts';
import { type ThingsboardDevice, thingsboardDevice } from '../testing/thingsboard-device.ts';

/**
 * Tests firmware offered by shared attributes, and devices that use all of the ThingsBoard device API at
 * once.
 */
const KEY = firmwareKey('a secret of the makers');
const API = '/api/device/upgrade';
const PATIENTLY = { timeout: 20_000 };
let server: TestServer;
let manager: Session;
let demo: number;
let last = 24_000_000;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  demo = await people(server, await server.logIn('demo.platform')).organizationId('DEMO');
  expectDone(
    await post<FirmwareKey>('/key', { organizationId: demo, name: 'Makers', publicKey: KEY.publicKey }),
  );
});
afterAll(() => server.stop());

const post = <T>(path: string, json: object) =>
  server.call<T>({ method: 'POST', path: `${API}${path}`, session: manager, json });

async function newDevice(model: string, more: object = {}): Promise<string> {
  const item = fridge(String(++last));
  await server.provision(manager, [{ ...item, device: { ...item.device, model, ...more } }]);
  return item.device.number;
}
const connect = (number: string) => thingsboardDevice(server.mqttPort, `${number}.${TEST_KEY}`);

async function begin(model: string, bytes: Buffer, version = '2.0.0'): Promise<Rollout> {
  const statement = {
    title: model,
    version,
    size: bytes.length,
    checksum: createHash('sha256').update(bytes).digest('hex'),
  };
  const firmware = await server.call<Firmware>({
    method: 'POST',
    path: `${API}/firmware`,
    session: manager,
    fields: {
      file: { name: 'firmware.bin', bytes },
      organizationId: String(demo),
      model,
      version,
      signature: KEY.sign(statement),
    },
  });
  return expectDone(await post<Rollout>('/roll-out', { firmwareId: expectDone(firmware).id }));
}
const stateOf = async ({ id }: Rollout) =>
  expectDone(
    await server.call<ResponseOf<typeof listUpgrades>>({
      path: `${API}/roll-out/${id}/device`,
      session: manager,
    }),
  ).items.map(({ state }) => state);

interface FirmwareAttributes {
  fw_title: string;
  fw_version: string;
  fw_size: number;
  fw_checksum: string;
  fw_checksum_algorithm: string;
  fw_signature: string;
}

/**
 * Downloads an offered firmware in chunks of this size (without a size, in the largest chunks) and reports
 * the progress, as a device does.
 */
async function install(device: ThingsboardDevice, offer: FirmwareAttributes, chunkBytes: number | null) {
  const report = (state: string, version: string) =>
    device.publish('v1/devices/me/telemetry', {
      current_fw_title: offer.fw_title,
      current_fw_version: version,
      fw_state: state,
    });
  await report('DOWNLOADING', '1.0.0');
  const chunks: Buffer[] = [];
  let received = 0;
  while (received < offer.fw_size) {
    const n = chunks.length;
    await device.publish(`v2/fw/request/1/chunk/${n}`, chunkBytes === null ? '' : String(chunkBytes));
    const chunk = Buffer.from(await device.next<Buffer>(`v2/fw/response/1/chunk/${n}`));
    expect(chunk.length).toBeGreaterThan(0);
    chunks.push(chunk);
    received += chunk.length;
  }
  expect(createHash('sha256').update(Buffer.concat(chunks)).digest('hex')).toBe(offer.fw_checksum);
  for (const state of ['DOWNLOADED', 'VERIFIED', 'UPDATING']) await report(state, '1.0.0');
  await report('UPDATED', offer.fw_version);
  return chunks.length;
}

describe('firmware over the ThingsBoard device API', () => {
  it.each([
    ['in chunks, to a device that is subscribed to attributes', 50_000, 6],
    ['whole, to a device that names no size', null, 1],
  ])('a firmware is offered by shared attributes and downloaded %s', async (_name, chunkBytes, count) => {
    const model = `TB-${chunkBytes}`;
    const number = await newDevice(model);
    const device = await connect(number);
    await device.subscribe('v1/devices/me/attributes', 'v1/devices/me/rpc/request/+');
    const rollout = await begin(model, randomBytes(300_000));
    const offer = await device.next<FirmwareAttributes>('v1/devices/me/attributes');
    expect(offer).toMatchObject({ fw_title: model, fw_version: '2.0.0', fw_size: 300_000 });
    expect(
      await device.attributes({
        sharedKeys: 'fw_checksum,fw_checksum_algorithm,fw_size,fw_title,fw_version',
      }),
    ).toMatchObject({ shared: { fw_version: '2.0.0', fw_checksum_algorithm: 'SHA256' } });
    expect(await install(device, offer, chunkBytes)).toBe(count);
    await expect.poll(() => stateOf(rollout), PATIENTLY).toEqual(['done']);
    expect(await device.next('v1/devices/me/attributes')).toEqual({
      deleted: expect.arrayContaining(['fw_title']),
    });
    expect(await device.attributes({ sharedKeys: 'fw_title' })).toEqual({});
    // The firmware is never sent as a command, which such a device would refuse.
    expect(device.heard).toEqual([]);
    await device.close();
  });

  it('a firmware that was offered before the device has connected is pushed when it subscribes', async () => {
    const model = 'TB-late';
    const number = await newDevice(model);
    const rollout = await begin(model, randomBytes(1_000));
    await expect
      .poll(
        async () =>
          (await server.pool.query('select 1 from device_command where state = $1', ['reserved'])).rowCount,
      )
      .toBe(1);
    const device = await connect(number);
    await device.subscribe('v2/a');
    const offer = await device.next<FirmwareAttributes>('v2/a');
    await install(device, offer, 400);
    await expect.poll(() => stateOf(rollout), PATIENTLY).toEqual(['done']);
    await device.close();
  });

  it('a firmware is offered to a device that polls over HTTP, and the offer is removed when the roll-out is cancelled', async () => {
    const model = 'TB-http';
    const number = await newDevice(model);
    const updates = async () =>
      (await fetch(`${server.url}/api/v1/${number}.${TEST_KEY}/attributes/updates?timeout=20000`)).json();
    const offered = updates();
    const commands = fetch(`${server.url}/api/v1/${number}.${TEST_KEY}/rpc?timeout=3000`);
    const rollout = await begin(model, randomBytes(1_000));
    expect(await offered).toMatchObject({ fw_title: model, fw_version: '2.0.0' });
    await expect.poll(() => stateOf(rollout), PATIENTLY).toEqual(['offered']);
    // The firmware is not sent as a command, although the device also polls for commands.
    expect((await commands).status).toBe(408);
    const ended = updates();
    const asked = await fetch(`${server.url}/api/v1/${number}.${TEST_KEY}/attributes?sharedKeys=fw_size`);
    expect(await asked.json()).toEqual({ shared: { fw_size: 1_000 } });
    expectDone(await post(`/roll-out/${rollout.id}/change`, { deed: 'cancel', reason: 'Wrong file' }));
    expect(await ended).toEqual({ deleted: expect.arrayContaining(['fw_title', 'fw_signature']) });
  });

  it('a firmware that a device has requested and downloaded by itself is not offered to it again', async () => {
    const model = 'TB-itself';
    const number = await newDevice(model);
    const rollout = await begin(model, randomBytes(1_000));
    const token = `${number}.${TEST_KEY}`;
    const asked = async () =>
      (await fetch(`${server.url}/api/v1/${token}/attributes?sharedKeys=fw_size`)).json();
    await expect.poll(asked, PATIENTLY).toEqual({ shared: { fw_size: 1_000 } });
    const got = await fetch(`${server.url}/api/v1/${token}/firmware?title=${model}&version=2.0.0`);
    expect((await got.arrayBuffer()).byteLength).toBe(1_000);
    await expect.poll(() => stateOf(rollout), PATIENTLY).toEqual(['downloading']);
    const device = await connect(number);
    await device.subscribe('v1/devices/me/attributes');
    await device.attributes({});
    const { rows } = await server.pool.query<{ state: string; attempts: number }>(
      `select c.state, c.attempts from device_command c join device d on d.id = c.device_id where d.number = $1`,
      [number],
    );
    expect([rows, device.heard]).toEqual([[{ state: 'success', attempts: 0 }], []]);
    await device.close();
  });

  it('a firmware is not sent to a device to which it was not offered', async () => {
    const number = await newDevice('TB-nothing');
    const device = await connect(number);
    await device.subscribe('v2/fw/response/+/chunk/+');
    await device.publish('v2/fw/request/1/chunk/0', '1024');
    expect(await device.attributes({ sharedKeys: 'fw_title' })).toEqual({});
    expect(device.heard).toEqual([]);
    await device.close();
  });
});

describe('devices that use the whole API at once', () => {
  const give = async (number: string, order: object) =>
    expectDone(
      await server.call<{ batch: CommandBatch }>({
        method: 'POST',
        path: '/api/device/command',
        session: manager,
        json: { devices: [number], order },
      }),
    ).batch.id;
  const commandState = async (batchId: number) =>
    expectDone(
      await server.call<{ items: DeviceCommand[] }>({
        path: '/api/device/command',
        query: { batchId: String(batchId) },
        session: manager,
      }),
    ).items.map(({ state }) => state);
  const storedOf = async (number: string) => {
    const { rows } = await server.pool.query<{ count: number }>(
      `select count(*)::int as count from reading r join channel c on c.id = r.channel_id
         join device d on d.id = c.device_id where d.number = $1`,
      [number],
    );
    return rows[0]?.count;
  };
  const start = Date.now() - 3_600_000;

  it.each([
    [
      'a device with the topics of version 1',
      'TB-all-1',
      {
        telemetry: 'v1/devices/me/telemetry',
        attributes: 'v1/devices/me/attributes',
        requests: 'v1/devices/me/rpc/request/',
        answers: 'v1/devices/me/rpc/response/',
      },
    ],
    [
      'a device with the short topics',
      'TB-all-2',
      { telemetry: 'v2/t', attributes: 'v2/a', requests: 'v2/r/req/', answers: 'v2/r/res/' },
    ],
  ])('all features work at the same time for %s', async (_name, model, topic) => {
    const number = await newDevice(model);
    const device = await connect(number);
    await device.subscribe(topic.attributes, `${topic.requests}+`, `${topic.answers}+`);
    const rollout = await begin(model, randomBytes(100_000));
    const offer = await device.next<FirmwareAttributes>(topic.attributes);
    const batch = give(number, { kind: 'offline-standard', minutes: 45 });
    const [asked] = await Promise.all([
      device.attributes({ sharedKeys: 'uploadIntervalS' }),
      device.publish(topic.attributes, { serialNumber: 'SN-1' }),
      device.publish(`${topic.requests}77`, { method: 'getCurrentTime', params: {} }),
      install(device, offer, 10_000),
      ...Array.from({ length: 50 }, (_, at) =>
        device.publish(topic.telemetry, { ts: start + at * 60_000, values: { temperature: 4 + at / 100 } }),
      ),
    ]);
    expect(asked).toEqual({ shared: { uploadIntervalS: 60 } });
    expect(await device.next(`${topic.answers}77`)).toEqual(expect.any(Number));
    const batchId = await batch;
    await expect.poll(() => device.heard.some((each) => each.topic.startsWith(topic.requests))).toBe(true);
    const command = device.heard.find((each) => each.topic.startsWith(topic.requests));
    await device.publish(topic.answers + command?.topic.slice(topic.requests.length), { success: true });
    expect(await commandState(batchId)).toEqual(['success']);
    expect(await storedOf(number)).toBe(50);
    await expect.poll(() => stateOf(rollout), PATIENTLY).toEqual(['done']);
    expect(device.client.connected).toBe(true);
    await device.close();
  });

  it('all features work at the same time for a gateway with two devices', async () => {
    const number = await newDevice('TB-gateway');
    const behind = [
      await newDevice('TB-all-3', { name: 'Ward 1', gatewayNumber: number }),
      await newDevice('TB-all-3', { name: 'Ward 2', gatewayNumber: number }),
    ];
    const gateway = await connect(number);
    await gateway.subscribe('v1/gateway/rpc', 'v1/gateway/attributes', 'v1/gateway/attributes/response');
    const names = ['Ward 1', 'Ward 2'];
    await Promise.all(names.map((device) => gateway.publish('v1/gateway/connect', { device })));
    const batches = await Promise.all(
      behind.map((each) => give(each, { kind: 'offline-standard', minutes: 45 })),
    );
    const rollout = await begin('TB-all-3', randomBytes(1_000));
    await Promise.all([
      ...names.map((name, id) =>
        gateway.publish('v1/gateway/attributes/request', { id, device: name, shared: ['uploadIntervalS'] }),
      ),
      ...Array.from({ length: 50 }, (_, at) =>
        gateway.publish(
          'v1/gateway/telemetry',
          Object.fromEntries(
            names.map((name) => [name, [{ ts: start + at * 60_000, values: { temperature: 5 } }]]),
          ),
        ),
      ),
    ]);
    const heardOn = (topic: string) => gateway.heard.filter((each) => each.topic === topic);
    await expect
      .poll(
        () =>
          ['rpc', 'attributes', 'attributes/response'].map((each) => heardOn(`v1/gateway/${each}`).length),
        PATIENTLY,
      )
      .toEqual([2, 2, 2]);
    for (const { payload } of heardOn('v1/gateway/rpc')) {
      const { device, data } = payload as { device: string; data: { id: number } };
      await gateway.publish('v1/gateway/rpc', { device, id: data.id, data: { success: true } });
    }
    for (const batch of batches) expect(await commandState(batch)).toEqual(['success']);
    for (const { payload } of heardOn('v1/gateway/attributes'))
      expect(payload).toMatchObject({
        device: expect.stringMatching(/^Ward/),
        data: { fw_title: 'TB-all-3' },
      });
    await expect.poll(() => stateOf(rollout), PATIENTLY).toEqual(['offered', 'offered']);
    for (const each of behind) expect(await storedOf(each)).toBe(50);
    await gateway.close();
  });
});
