import type { CommandBatch, DeviceCommand } from '@isotherm/contracts/commands';
import type { DeviceDetail } from '@isotherm/contracts/device-registry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDone } from '../testing/people.ts';
import { fridge, type Session, startTestServer, TEST_KEY, type TestServer } from '../testing/test-server.ts';
import { thingsboardDevice } from '../testing/thingsboard-device.ts';

/** Tests attributes and remote procedure calls of the ThingsBoard device API. */
let server: TestServer;
let manager: Session;
let last = 21_000_000;
const clock = { offset: 0, now: () => Date.now() + clock.offset };

beforeAll(async () => {
  server = await startTestServer({ clock });
  manager = await server.logIn('demo.manager');
});
afterAll(() => server.stop());

async function newDevice(more: object = {}): Promise<string> {
  const item = fridge(String(++last));
  await server.provision(manager, [{ ...item, device: { ...item.device, ...more } }]);
  return item.device.number;
}
const tokenOf = (number: string) => `${number}.${TEST_KEY}`;
const connect = (number: string, options = {}) =>
  thingsboardDevice(server.mqttPort, tokenOf(number), options);
const http = async (path: string, options: RequestInit = {}) => {
  const response = await fetch(`${server.url}/api/v1/${path}`, options);
  return { status: response.status, body: (await response.json()) as unknown };
};

async function editIntervals(number: string, acquisitionIntervalS: number): Promise<void> {
  const stored = expectDone(
    await server.call<DeviceDetail>({ path: `/api/device/list/${number}`, session: manager }),
  );
  expectDone(
    await server.call({
      method: 'PUT',
      path: `/api/device/list/${number}`,
      session: manager,
      json: {
        version: stored.version,
        device: {
          name: stored.name,
          type: stored.type,
          gatewayNumber: stored.gatewayNumber ?? '',
          offlineAfterMinutes: 60,
          acquisitionIntervalS,
          uploadIntervalS: 900,
        },
      },
    }),
  );
}
const give = async (number: string, order: object) =>
  expectDone(
    await server.call<{ batch: CommandBatch }>({
      method: 'POST',
      path: '/api/device/command',
      session: manager,
      json: { devices: [number], order },
    }),
  ).batch.id;
const stateOf = async (batchId: number) =>
  expectDone(
    await server.call<{ items: DeviceCommand[] }>({
      path: '/api/device/command',
      query: { batchId: String(batchId) },
      session: manager,
    }),
  ).items.map(({ state, attempts, failureReason }) => ({ state, attempts, failureReason }))[0];
const rejectedOf = async (number: string) => {
  const { rows } = await server.pool.query<{ code: string }>(
    'select code from rejected_message where device_number = $1',
    [number],
  );
  return rows.map(({ code }) => code);
};

describe('attributes of the ThingsBoard device API', () => {
  it('requested attributes are returned by scope, over MQTT and HTTP: those that the device published and those of the server', async () => {
    const number = await newDevice();
    const device = await connect(number);
    await device.subscribe('v1/devices/me/attributes/response/+');
    await device.publish('v1/devices/me/attributes', {
      serialNumber: 'SN-4A21F',
      nested: { a: [1] },
      door: false,
    });
    await device.publish('v1/devices/me/attributes', { firmware: '2.1.0', door: null });
    const client = { serialNumber: 'SN-4A21F', nested: { a: [1] }, firmware: '2.1.0' };
    const shared = { acquisitionIntervalS: 60, uploadIntervalS: 60 };
    expect(
      await device.attributes({ clientKeys: 'serialNumber,none', sharedKeys: 'uploadIntervalS' }),
    ).toEqual({
      client: { serialNumber: 'SN-4A21F' },
      shared: { uploadIntervalS: 60 },
    });
    expect(await device.attributes({})).toEqual({ client, shared });
    expect(await device.attributes('')).toEqual({ client, shared });
    expect(await device.attributes({ sharedKeys: 'targetTemperature' })).toEqual({});
    await device.close();

    expect(await http(`${tokenOf(number)}/attributes`)).toEqual({ status: 200, body: { client, shared } });
    expect(await http(`${tokenOf(number)}/attributes?clientKeys=firmware&sharedKeys=none`)).toEqual({
      status: 200,
      body: { client: { firmware: '2.1.0' } },
    });
    await http(`${tokenOf(number)}/attributes`, { method: 'POST', body: JSON.stringify({ firmware: '3' }) });
    expect((await http(`${tokenOf(number)}/attributes?clientKeys=firmware`)).body).toEqual({
      client: { firmware: '3' },
    });
  });

  it('attributes can be requested with short topics', async () => {
    const device = await connect(await newDevice());
    await device.publish('v2/a', { serial: 1 });
    await device.publish('v2/a/req/5', { clientKeys: 'serial' });
    expect(await device.next('v2/a/res/5')).toEqual({ client: { serial: 1 } });
    await device.publish('v2/a/req/j/6', { clientKeys: 'serial' });
    expect(await device.next('v2/a/res/j/6')).toEqual({ client: { serial: 1 } });
    await device.close();
  });

  it('changed attributes are pushed to subscribers, and to nobody else', async () => {
    const number = await newDevice();
    const device = await connect(number);
    await device.subscribe('v1/devices/me/attributes');
    const other = await connect(await newDevice());
    await other.subscribe('v1/devices/me/attributes', 'v2/a');
    // The response comes after the current values were read for the subscription.
    await device.attributes({});
    await editIntervals(number, 300);
    expect(await device.next('v1/devices/me/attributes')).toEqual({
      acquisitionIntervalS: 300,
      uploadIntervalS: 900,
    });
    await device.client.unsubscribeAsync('v1/devices/me/attributes');
    await editIntervals(number, 600);
    expect(await device.attributes({ sharedKeys: 'acquisitionIntervalS' })).toEqual({
      shared: { acquisitionIntervalS: 600 },
    });
    expect(device.heard).toEqual([]);
    expect(other.heard).toEqual([]);
    await device.close();
    await other.close();
  });

  it('changed attributes are returned to a device that polls over HTTP, and a newer poll ends the previous one', async () => {
    const path = `${tokenOf(await newDevice())}/attributes/updates`;
    const number = path.slice(0, 8);
    const answers: { status: number; body: unknown }[] = [];
    const polls = [1, 2].map(async () => answers.push(await http(`${path}?timeout=30000`)));
    let seconds = 100;
    // The poll returns only changes that are made after it has read the current values.
    await expect
      .poll(
        async () => {
          await editIntervals(number, ++seconds);
          return answers.map(({ status }) => status);
        },
        { timeout: 20_000 },
      )
      .toEqual([408, 200]);
    await Promise.all(polls);
    expect(answers[1]?.body).toMatchObject({ acquisitionIntervalS: expect.any(Number) });
    expect((await http(`${path}?timeout=50`)).status).toBe(408);
    expect((await http(`${path}?timeout=soon`)).status).toBe(400);
  });

  it('attributes that are too long, too many or unreadable are acknowledged, not stored as attributes, and kept for inspection', async () => {
    const number = await newDevice();
    const device = await connect(number);
    await device.publish('v1/devices/me/attributes', { good: 1, long: 'x'.repeat(900_000) });
    await device.publish('v1/devices/me/attributes', { huge: 'x'.repeat(1_100_000) });
    await device.publish(
      'v1/devices/me/attributes',
      Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`key${at}`, at])),
    );
    await device.publish('v1/devices/me/attributes', '{"nul\\u0000":"\\ud800","__proto__":{"x":1}}');
    await device.publish('v1/devices/me/attributes', 'not json');
    const { client } = (await device.attributes({})) as { client: Record<string, unknown> };
    expect(Object.keys(client)).toHaveLength(100);
    expect(client).toMatchObject({ good: 1, key0: 0 });
    await expect
      .poll(() => rejectedOf(number))
      .toEqual(expect.arrayContaining(['attributes-dropped', 'request.too_large', 'request.malformed']));
    const { rows } = await server.pool.query<{ bytes: number }>(
      `select octet_length(attributes::text) as bytes from device_attribute a join device d on d.id = a.device_id
        where d.number = $1`,
      [number],
    );
    expect(rows[0]?.bytes).toBeLessThan(10_000);
    await device.close();
  });

  it('attributes with characters that text columns do not accept are stored', async () => {
    const device = await connect(await newDevice());
    await device.publish('v1/devices/me/attributes', '{"nul\\u0000":"\\ud800","__proto__":{"x":1}}');
    const answer = JSON.stringify(await device.attributes({ clientKeys: 'nul\u0000,__proto__' }));
    expect(answer).toBe('{"client":{"nul\\u0000":"\\ud800","__proto__":{"x":1}}}');
    await device.close();
  });

  it('attributes of another device are not returned, and invalid request numbers get no response', async () => {
    const [number, victim] = [await newDevice(), await newDevice()];
    const other = await connect(victim);
    await other.publish('v1/devices/me/attributes', { secret: 1 });
    const device = await connect(number);
    await device.subscribe('v1/#', 'v2/#');
    for (const topic of [
      `v1/devices/${victim}/attributes/request/1`,
      'v1/devices/me/attributes/request/one',
      'v1/devices/me/attributes/request/-1',
      'v1/devices/me/attributes/request/99999999999',
    ])
      await device.publish(topic, { clientKeys: 'secret' });
    await device.publish('v1/gateway/attributes/request', { id: 1, device: victim, client: ['secret'] });
    expect(await device.next('v1/gateway/attributes/response')).toEqual({
      id: 1,
      device: victim,
      values: {},
    });
    expect(await device.attributes({ clientKeys: 'secret' })).toEqual({});
    expect(device.heard).toEqual([]);
    await expect.poll(() => rejectedOf(number)).toEqual(expect.arrayContaining(['topic', 'unknown-device']));
    await device.close();
    await other.close();
  });
});

it('a server that stops does not wait for devices that poll', async () => {
  const stopping = await startTestServer({ databaseUrl: server.databaseUrl });
  const token = tokenOf(await newDevice());
  const poll = (name: string) =>
    fetch(`${stopping.url}/api/v1/${token}/${name}?timeout=60000`).then(({ status }) => status);
  const polls: Promise<number>[] = [];
  for (const name of ['attributes/updates', 'rpc']) {
    const both = [poll(name), poll(name)];
    // The second poll ends the first one; the second one is then in progress.
    expect(await Promise.race(both)).toBe(408);
    polls.push(...both);
  }
  const began = performance.now();
  await stopping.stop();
  expect(await Promise.all(polls)).toEqual([408, 408, 408, 408]);
  expect(performance.now() - began).toBeLessThan(20_000);
});

describe('commands over the ThingsBoard device API', () => {
  it.each([
    ['v1/devices/me/rpc/request/', 'v1/devices/me/rpc/response/', 'v1/devices/me/rpc/request/+'],
    ['v2/r/req/', 'v2/r/res/', 'v2/r/req/+'],
  ])('commands are delivered on %s and answered', async (requests, answers, filter) => {
    const number = await newDevice();
    const device = await connect(number);
    await device.subscribe(filter);
    const batch = await give(number, { kind: 'acquisition-interval', seconds: 30 });
    await expect.poll(() => device.heard).toHaveLength(1);
    const [{ topic, payload }] = device.heard as [{ topic: string; payload: unknown }];
    expect(payload).toEqual({ method: 'acquisition-interval', params: { seconds: 30 } });
    const id = topic.slice(requests.length);
    expect(Number(id)).toBeGreaterThan(0);
    await device.publish(answers + id, { state: 'configuring' });
    expect(await stateOf(batch)).toMatchObject({ state: 'configuring' });
    await device.publish(answers + id, { success: true });
    expect(await stateOf(batch)).toMatchObject({ state: 'success', attempts: 1 });
    await device.close();
  });

  it('a command that changes an interval also changes the attribute that is pushed to the device', async () => {
    const number = await newDevice();
    const device = await connect(number);
    await device.subscribe('v1/devices/me/rpc/request/+');
    await give(number, { kind: 'upload-interval', seconds: 120 });
    await expect.poll(() => device.heard).toHaveLength(1);
    await device.publish(`v1/devices/me/rpc/response/${device.heard[0]?.topic.split('/').at(-1)}`, {});
    expect(await device.attributes({ sharedKeys: 'uploadIntervalS' })).toEqual({
      shared: { uploadIntervalS: 120 },
    });
    await device.close();
  });

  it('a command that a device refuses has failed, and replies to commands of other devices are ignored', async () => {
    const [number, victim] = [await newDevice(), await newDevice()];
    const [device, other] = [await connect(number), await connect(victim)];
    await device.subscribe('v1/devices/me/rpc/request/+');
    await other.subscribe('v1/devices/me/rpc/request/+');
    const [batch, theirs] = [
      await give(number, { kind: 'offline-standard', minutes: 20 }),
      await give(victim, { kind: 'offline-standard', minutes: 20 }),
    ];
    await expect.poll(() => [...device.heard, ...other.heard]).toHaveLength(2);
    const idOf = (heard: { topic: string }[]) => heard[0]?.topic.split('/').at(-1);
    await device.publish(`v1/devices/me/rpc/response/${idOf(other.heard)}`, {});
    await device.publish(`v1/devices/me/rpc/response/${idOf(device.heard)}`, { error: 'no' });
    expect(await stateOf(batch)).toMatchObject({ state: 'failed' });
    expect(await stateOf(theirs)).toMatchObject({ state: 'requesting' });
    await device.publish(`v1/devices/me/rpc/response/${idOf(device.heard)}`, 'x'.repeat(5_000));
    await expect.poll(() => rejectedOf(number)).toContain('request.malformed');
    await device.close();
    await other.close();
  });

  it('commands are not sent to a device that has unsubscribed, and a reboot is sent only once', async () => {
    const number = await newDevice();
    const device = await connect(number);
    await device.subscribe('v1/devices/me/rpc/request/+');
    await device.client.unsubscribeAsync('v1/devices/me/rpc/request/+');
    const batch = await give(number, { kind: 'reboot' });
    await device.attributes({});
    expect(await stateOf(batch)).toMatchObject({ state: 'reserved', attempts: 0 });
    await device.subscribe('v1/devices/me/rpc/request/+');
    await expect
      .poll(() => device.heard.map(({ payload }) => payload))
      .toEqual([{ method: 'reboot', params: {} }]);
    await device.close();
    await expect.poll(() => stateOf(batch)).toMatchObject({ state: 'timeout', attempts: 1 });
  });

  it('a command without a reply is sent at most three times, with the same number', async () => {
    const number = await newDevice();
    const device = await connect(number);
    await device.subscribe('v1/devices/me/rpc/request/+');
    const batch = await give(number, { kind: 'acquisition-interval', seconds: 30 });
    for (let attempts = 1; attempts <= 3; attempts++) {
      await expect.poll(() => device.heard.length, { timeout: 10_000 }).toBe(attempts);
      expect(await stateOf(batch)).toMatchObject({ attempts });
      clock.offset += 31_000;
    }
    await expect
      .poll(() => stateOf(batch), { timeout: 10_000 })
      .toMatchObject({ state: 'timeout', attempts: 3 });
    expect(new Set(device.heard.map(({ topic }) => topic)).size).toBe(1);
    await device.close();
  });

  it('a call of the device to the server is answered with the time, or an error', async () => {
    const number = await newDevice();
    const device = await connect(number);
    const before = clock.now();
    await device.publish('v1/devices/me/rpc/request/1', { method: 'getCurrentTime', params: {} });
    const now = await device.next<number>('v1/devices/me/rpc/response/1');
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(clock.now());
    await device.publish('v2/r/req/2', { method: 'getSessionLimits', params: { timeout: 5000 } });
    expect(await device.next('v2/r/res/2')).toEqual({ error: expect.stringContaining('getCurrentTime') });
    await device.close();
    const asked = (body: string) => http(`${tokenOf(number)}/rpc`, { method: 'POST', body });
    expect(await asked('{"method":"getTime","params":{}}')).toEqual({
      status: 200,
      body: expect.any(Number),
    });
    expect(await asked('nonsense')).toEqual({ status: 200, body: { error: expect.any(String) } });
  });
});

describe('claim requests of devices', () => {
  it('a claim is acknowledged without an effect, because devices are registered in an organisation', async () => {
    const number = await newDevice();
    const device = await connect(number);
    for (const topic of ['v1/devices/me/claim', 'v2/c', 'v1/gateway/claim'])
      await device.publish(topic, { secretKey: 's', durationMs: 60_000 });
    expect(device.client.connected).toBe(true);
    await device.close();
    expect(await http(`${tokenOf(number)}/claim`, { method: 'POST', body: '{"secretKey":"s"}' })).toEqual({
      status: 200,
      body: {},
    });
  });
});

describe('gateways of the ThingsBoard gateway API', () => {
  it('a gateway requests attributes of the devices behind it, and gets their commands and changes while they are connected', async () => {
    const number = await newDevice();
    const [one, two] = [
      await newDevice({ name: 'Ward 1', gatewayNumber: number }),
      await newDevice({ name: 'Ward 2', gatewayNumber: number }),
    ];
    const gateway = await connect(number);
    await gateway.publish('v1/gateway/connect', { device: 'Ward 1', type: 'default' });
    await gateway.subscribe('v1/gateway/rpc', 'v1/gateway/attributes', 'v1/gateway/attributes/response');
    await gateway.publish('v1/gateway/connect', { device: 'Ward 2' });
    await gateway.publish('v1/gateway/attributes', { 'Ward 1': { fw_version: '1.0' }, 'Ward 2': { a: 2 } });
    await gateway.publish('v1/gateway/attributes/request', {
      id: 1,
      device: 'Ward 1',
      client: ['fw_version'],
      shared: ['uploadIntervalS'],
    });
    expect(await gateway.next('v1/gateway/attributes/response')).toEqual({
      id: 1,
      device: 'Ward 1',
      values: { fw_version: '1.0', uploadIntervalS: 60 },
    });
    await gateway.publish('v1/gateway/attributes/request', {
      id: 2,
      device: 'Ward 2',
      client: true,
      key: 'a',
    });
    expect(await gateway.next('v1/gateway/attributes/response')).toEqual({
      id: 2,
      device: 'Ward 2',
      value: 2,
    });

    const batch = await give(one, { kind: 'offline-standard', minutes: 30 });
    const told = await gateway.next<{ device: string; data: { id: number } }>('v1/gateway/rpc');
    expect(told).toEqual({
      device: 'Ward 1',
      data: { id: expect.any(Number), method: 'offline-standard', params: { minutes: 30 } },
    });
    await gateway.publish('v1/gateway/rpc', { device: 'Ward 1', id: told.data.id, data: { success: true } });
    expect(await stateOf(batch)).toMatchObject({ state: 'success' });

    await editIntervals(two, 120);
    expect(await gateway.next('v1/gateway/attributes')).toEqual({
      device: 'Ward 2',
      data: { acquisitionIntervalS: 120, uploadIntervalS: 900 },
    });

    await gateway.publish('v1/gateway/disconnect', { device: 'Ward 1' });
    const waiting = await give(one, { kind: 'offline-standard', minutes: 40 });
    await gateway.publish('v1/gateway/attributes/request', {
      id: 3,
      device: 'Ward 2',
      client: true,
      key: 'a',
    });
    await gateway.next('v1/gateway/attributes/response');
    expect(await stateOf(waiting)).toMatchObject({ state: 'reserved' });
    expect(gateway.heard).toEqual([]);
    await gateway.close();
  });

  it('a gateway gets no commands of devices that are not behind it, or no longer', async () => {
    const [number, stranger] = [await newDevice(), await newDevice({ name: 'Ward 9' })];
    const own = await newDevice({ name: 'Ward 3', gatewayNumber: number });
    const gateway = await connect(number);
    await gateway.subscribe('v1/gateway/rpc');
    await gateway.publish('v1/gateway/connect', { device: 'Ward 9' });
    await gateway.publish('v1/gateway/connect', { device: stranger });
    await gateway.publish('v1/gateway/connect', { device: 'Ward 3' });
    await gateway.publish('v1/gateway/rpc', { device: 'Ward 9', id: 1, data: {} });
    await gateway.publish('v1/gateway/rpc', 'nonsense');
    await gateway.publish('v1/gateway/connect', '[]');
    await server.pool.query('update device set gateway_id = null where number = $1', [own]);
    const batches = [
      await give(stranger, { kind: 'offline-standard', minutes: 30 }),
      await give(own, { kind: 'offline-standard', minutes: 30 }),
    ];
    await gateway.attributes({});
    for (const batch of batches) expect(await stateOf(batch)).toMatchObject({ state: 'reserved' });
    await expect
      .poll(() => rejectedOf(number))
      .toEqual(expect.arrayContaining(['unknown-device', 'request.malformed']));
    await gateway.close();
  });
});
