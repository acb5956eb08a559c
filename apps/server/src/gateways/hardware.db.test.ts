import type { PayloadMapping } from '@isotherm/contracts/payload-mappings';
import mqtt from 'mqtt';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { expectDone, type People, people } from '../testing/people.ts';
import { fridge, type Session, startTestServer, TEST_KEY, type TestServer } from '../testing/test-server.ts';

/** Tests messages of third-party devices end to end. */
let server: TestServer;
let manager: Session;
let known: People;
let networkKey: string;
const NUMBER = '20000001';
const TOKEN = `${NUMBER}.${TEST_KEY}`;
const EUI = '70b3d57ed005a1b2';
const MIN = 60_000;
const start = Date.now() - 60 * MIN;

beforeAll(async () => {
  server = await startTestServer();
  const platform = await server.logIn('demo.platform');
  manager = await server.logIn('demo.manager');
  known = people(server, platform);
  await known.organization('ELSEWHERE', 'PLATFORM', 'org');
  const named = (number: string, device: object) => {
    const item = fridge(number);
    return { ...item, device: { ...item.device, ...device } };
  };
  await server.provision(manager, [
    fridge(NUMBER),
    named('20000002', { devEui: EUI.toUpperCase(), model: 'LoRa probe' }),
    named('20000003', { name: 'Ward 3', gatewayNumber: NUMBER }),
    named('20000004', { name: 'Ward 4', gatewayNumber: NUMBER }),
    named('20000005', { name: 'Ward 4', gatewayNumber: NUMBER }),
    named('20000006', { gatewayNumber: NUMBER }),
    named('20000008', { devEui: '70b3d57ed005a1b4', model: 'Second probe' }),
  ]);
  const elsewhere = await known.account('else.where', 'enterprise-administrator', 'ELSEWHERE');
  await server.provision(elsewhere, [
    {
      ...named('20000007', { devEui: '70b3d57ed005a1b3' }),
      asset: { ...fridge('20000007').asset, organizationCode: 'ELSEWHERE' },
    },
  ]);
  networkKey = await makeKey(['device-mappings:receive']);
});
afterAll(() => server.stop());

async function makeKey(permissions: string[]): Promise<string> {
  const answer = await server.call<{ secret: string }>({
    method: 'POST',
    path: '/api/authorization',
    session: manager,
    json: { name: 'Network', organizationId: await known.organizationId('DEMO'), permissions, kind: 'key' },
  });
  return expectDone(answer).secret;
}

async function stored(number: string): Promise<[string, number, number][]> {
  const { rows } = await server.pool.query<{ indicator: string; at: number; value: number }>(
    `select c.indicator, (extract(epoch from r.measured_at) * 1000)::float8 as at, r.value
       from reading r join channel c on c.id = r.channel_id join device d on d.id = c.device_id
      where d.number = $1 order by r.measured_at, c.indicator`,
    [number],
  );
  return rows.map(({ indicator, at, value }) => [indicator, at, value]);
}

async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { httpStatus: response.status, ...((await response.json()) as { status?: string; data?: unknown }) };
}

/** The positions of a device: minutes after the start, latitude, longitude and speed. */
async function positionsOf(number: string): Promise<(number | null)[][]> {
  const { rows } = await server.pool.query(
    `select (extract(epoch from p.measured_at) * 1000)::float8 as at, p.latitude, p.longitude, p.speed_kmh::float8 as speed
       from position p join device d on d.id = p.device_id where d.number = $1 order by p.measured_at`,
    [number],
  );
  return rows.map(({ at, latitude, longitude, speed }) => [(at - start) / MIN, latitude, longitude, speed]);
}

describe('ThingsBoard device API', () => {
  it('over HTTP, the token is in the path and values have the names of channels', async () => {
    const answer = await post(`/api/v1/${TOKEN}/telemetry`, [
      { ts: start, values: { temperature: 4.5, door: false, firmware: '1.2' } },
      { ts: start + MIN, values: { 'temperature-1': '4.6' } },
    ]);
    expect(answer).toEqual({ httpStatus: 200 });
    expect(await stored(NUMBER)).toEqual([
      ['door', start, 0],
      ['temperature', start, 4.5],
      ['temperature', start + MIN, 4.6],
    ]);
    expect((await post(`/api/v1/${TOKEN}/attributes`, { firmware: '1.3' })).httpStatus).toBe(200);
  });

  it.each([
    ['another key', `${NUMBER}.${'x'.repeat(40)}`],
    ['no key', NUMBER],
    ['an unknown device', `99999999.${TEST_KEY}`],
    ['an invalid format', 'A1_TEST_TOKEN'],
  ])('an HTTP request with a token with %s is refused', async (_name, token) => {
    expect(await post(`/api/v1/${token}/telemetry`, { temperature: 4 })).toMatchObject({
      httpStatus: 401,
      status: 'ingest.credentials',
    });
  });

  it('a message that cannot be parsed is kept for inspection and answered with an error', async () => {
    expect(await post(`/api/v1/${TOKEN}/telemetry`, 'temperature=4')).toMatchObject({
      httpStatus: 400,
      status: 'request.malformed',
    });
    await expect
      .poll(async () => {
        const { rows } = await server.pool.query(
          `select convert_from(payload, 'utf8') as text from rejected_message where device_number = $1`,
          [NUMBER],
        );
        return rows.map(({ text }) => text);
      })
      .toContain('temperature=4');
  });

  it('over MQTT, the token is the user name, and messages are acknowledged after the commit and not visible to others', async () => {
    const connect = (token: string) =>
      mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, { username: token, reconnectPeriod: 0 });
    const listener = await connect(`20000006.${TEST_KEY}`);
    const heard: string[] = [];
    listener.on('message', (topic) => heard.push(topic));
    // If the subscription was refused, the device would give up. So it is granted, but delivers no messages
    // of other devices.
    const [granted] = await listener.subscribeAsync('v1/devices/me/telemetry', { qos: 1 });
    expect(granted?.qos).toBeLessThan(128);
    const client = await connect(`20000003.${TEST_KEY}`);
    await client.publishAsync(
      'v1/devices/me/telemetry',
      JSON.stringify({ ts: start, values: { temperature: 5.5 } }),
      { qos: 1 },
    );
    expect(await stored('20000003')).toEqual([['temperature', start, 5.5]]);
    await client.endAsync();
    expect(heard).toEqual([]);
    await listener.endAsync();
  });

  it('over MQTT, a gateway sends for the devices behind it by name, and an ambiguous name matches none', async () => {
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username: TOKEN,
      reconnectPeriod: 0,
    });
    await client.publishAsync('v1/gateway/connect', JSON.stringify({ device: 'Ward 3' }), { qos: 1 });
    await client.publishAsync(
      'v1/gateway/telemetry',
      JSON.stringify({
        'Ward 3': [{ ts: start + MIN, values: { temperature: 6 } }],
        'Ward 4': [{ ts: start, values: { temperature: 7 } }],
        20000006: { ts: start, values: { temperature: 8 } },
        // This device is in the same organisation, but not behind this gateway.
        20000008: { ts: start, values: { temperature: 9 } },
      }),
      { qos: 1 },
    );
    await client.endAsync();
    expect(await stored('20000003')).toContainEqual(['temperature', start + MIN, 6]);
    expect([...(await stored('20000004')), ...(await stored('20000005'))]).toEqual([]);
    expect(await stored('20000006')).toEqual([['temperature', start, 8]]);
    expect(await stored('20000008')).toEqual([]);
  });
});

describe('malicious devices', () => {
  const connect = (token: string, more: object = {}) =>
    mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username: token,
      reconnectPeriod: 0,
      ...more,
    });

  it('from a persistent session, a malicious device receives no messages of other devices, whatever it subscribed to', async () => {
    const kept = { clean: false, clientId: 'spy' };
    const spy = await connect(`20000006.${TEST_KEY}`, kept);
    await spy
      .subscribeAsync({
        'isotherm/v1/20000006/results': { qos: 1 },
        '#': { qos: 1 },
        'v1/+/me/#': { qos: 1 },
      })
      .catch(() => undefined);
    await spy.endAsync();
    const other = await connect(TOKEN);
    const readings = [{ channel: 'temperature-1', at: start + 20 * MIN, value: 5 }];
    await other.publishAsync(`isotherm/v1/${NUMBER}/readings`, JSON.stringify({ readings }), { qos: 1 });
    await other.publishAsync('v1/devices/me/telemetry', JSON.stringify({ temperature: 5 }), { qos: 1 });
    const heard: string[] = [];
    const back = await connect(`20000006.${TEST_KEY}`, kept);
    back.on('message', (topic) => heard.push(topic));
    await back.publishAsync('v1/devices/me/attributes', '{}', { qos: 1 });
    expect(heard).toEqual([]);
    await back.endAsync();
    await other.endAsync();
  });

  it('a reading sent with QoS 2 is stored once', async () => {
    const client = await connect(TOKEN);
    const at = start + 25 * MIN;
    const message = JSON.stringify({ ts: at, values: { temperature: 4.5 } });
    for (let time = 0; time < 2; time++)
      await client.publishAsync('v1/devices/me/telemetry', message, { qos: 2 });
    expect((await stored(NUMBER)).filter(([, measuredAt]) => measuredAt === at)).toHaveLength(1);
    await client.endAsync();
  });

  it('a device with too many readings or an invalid name does not affect others behind the same gateway', async () => {
    const client = await connect(TOKEN);
    const telemetry = (value: object) =>
      client.publishAsync('v1/gateway/telemetry', JSON.stringify(value), { qos: 1 });
    const at = start + 30 * MIN;
    await telemetry({
      ['x'.repeat(10_000)]: { temperature: 1 },
      '\ud800': { temperature: 1 },
      'Ward 3': [{ ts: at, values: { temperature: 900 } }],
      20000006: { ts: at, values: { temperature: 6.5 } },
    });
    expect(await stored('20000006')).toContainEqual(['temperature', at, 6.5]);
    await client.publishAsync(
      'v1/devices/me/telemetry',
      JSON.stringify(Array.from({ length: 10_001 }, () => ({}))),
      {
        qos: 1,
      },
    );
    // After these malformed messages, the message log still works.
    await post(`/api/v1/20000006.${TEST_KEY}/telemetry`, 'after all that');
    await expect
      .poll(async () => {
        const { rows } = await server.pool.query(
          `select code from rejected_message where device_number = any($1) and code <> 'readings-refused'`,
          [[NUMBER, '20000006']],
        );
        return rows.map(({ code }) => code as string);
      })
      .toEqual(expect.arrayContaining(['unknown-device', 'ingest.too_many_readings', 'request.malformed']));
    await client.endAsync();
  });

  it('topics are matched exactly, so a topic named like an inherited object property matches none', async () => {
    const client = await connect(TOKEN);
    const closed = new Promise((resolve) => client.once('close', () => resolve(null)));
    client.publish('constructor', '{}', { qos: 1 }, () => undefined);
    await closed;
    const kept = async () => {
      const { rows } = await server.pool.query(
        `select 1 from rejected_message where device_number = $1 and code = 'topic'`,
        [NUMBER],
      );
      return rows.length;
    };
    await expect.poll(kept).toBe(1);
  });

  it('unknown topics are acknowledged, and the connection continues', async () => {
    const client = await connect(TOKEN);
    for (const topic of ['v1/devices/me/attributes/request/1', 'v2/t', 'v1/gateway/claim'])
      await client.publishAsync(topic, '{}', { qos: 1 });
    expect(client.connected).toBe(true);
    await client.endAsync();
  });

  it('a token may contain a device key of the maximum length', async () => {
    const item = fridge('20000010');
    const key = 'k'.repeat(128);
    await server.provision(manager, [{ ...item, device: { ...item.device, key } }]);
    expect(await post(`/api/v1/20000010.${key}/telemetry`, { temperature: 4 })).toEqual({ httpStatus: 200 });
  });
});

describe('LoRaWAN network servers', () => {
  const up = (at: number, object: object, devEui = EUI) => ({
    deduplicationId: `d-${at}`,
    time: new Date(at).toISOString(),
    deviceInfo: { devEui, deviceName: 'Probe' },
    rxInfo: [{ rssi: -90 }],
    object,
  });
  const chirpstack = (body: unknown, key = networkKey, event = 'up') =>
    post(`/ingest/v1/chirpstack?event=${event}`, body, { authorization: `Bearer ${key}` });

  it('an uplink from ChirpStack is stored once, however often it is delivered', async () => {
    for (let i = 0; i < 2; i++)
      expect(await chirpstack(up(start, { temperature: 3.5 }))).toMatchObject({
        httpStatus: 200,
        data: { accepted: 1, rejected: 0, unknownDevices: 0 },
      });
    expect(await stored('20000002')).toEqual([['temperature', start, 3.5]]);
    expect(await chirpstack(up(start, {}), networkKey, 'join')).toMatchObject({ data: { accepted: 0 } });
  });

  it('an uplink from The Things Stack is stored', async () => {
    const answer = await post(
      '/ingest/v1/things-stack',
      {
        end_device_ids: { dev_eui: EUI.toUpperCase() },
        uplink_message: {
          received_at: new Date(start + MIN).toISOString(),
          decoded_payload: { temperature: 3.6 },
        },
      },
      { authorization: `Bearer ${networkKey}` },
    );
    expect(answer).toMatchObject({ httpStatus: 200, data: { accepted: 1 } });
    expect(await stored('20000002')).toContainEqual(['temperature', start + MIN, 3.6]);
  });

  it('an impossible value is counted as rejected, and the others are stored', async () => {
    expect(await chirpstack(up(start + 9 * MIN, { temperature: 900, door: 1 }))).toMatchObject({
      data: { accepted: 1, rejected: 1 },
    });
  });

  it('a device of another organisation is treated like an unknown one', async () => {
    for (const devEui of ['70b3d57ed005a1b3', '70b3d57ed005ffff'])
      expect(await chirpstack(up(start, { temperature: 1 }, devEui))).toMatchObject({
        httpStatus: 200,
        data: { accepted: 0, unknownDevices: 1 },
      });
    expect(await stored('20000007')).toEqual([]);
  });

  it('a request without a valid key is refused before it is read', async () => {
    expect(await chirpstack(up(start, {}), 'iso_nobody')).toMatchObject({ httpStatus: 401 });
    expect(await chirpstack(up(start, {}), await makeKey(['monitor:view']))).toMatchObject({
      httpStatus: 403,
      status: 'permission.denied',
    });
  });

  it('a device can be placed only behind a gateway in scope', async () => {
    const item = fridge('20000009');
    for (const gatewayNumber of ['20000007', '99999999', '20000009']) {
      const answer = await server.call({
        method: 'POST',
        path: '/api/device/provision',
        session: manager,
        json: { items: [{ ...item, device: { ...item.device, gatewayNumber } }] },
      });
      expect(answer, gatewayNumber).toMatchObject({ httpStatus: 400, status: 'request.invalid' });
    }
  });

  it('a DevEUI in use is refused', async () => {
    const item = fridge('20000009');
    const answer = await server.call({
      method: 'POST',
      path: '/api/device/provision',
      session: manager,
      json: { items: [{ ...item, device: { ...item.device, devEui: EUI } }] },
    });
    expect(answer).toMatchObject({ httpStatus: 409, status: 'device.eui_taken' });
  });

  describe('payload mapping of a model', () => {
    const entry = (path: string, factor: number) => ({ path, channel: 'temperature-1', factor, offset: 0 });
    const save = (method: string, path: string, json: object, session = manager) =>
      server.call<PayloadMapping>({ method, path: `/api/device/mapping${path}`, session, json });
    let id = 0;

    it('values are read from the mapped paths, starting with the next message', async () => {
      const organizationId = await known.organizationId('DEMO');
      const form = { deviceModel: 'Second probe', entries: [entry('probe.t10', 0.1)] };
      const made = expectDone(await save('POST', '', { organizationId, ...form }));
      id = made.id;
      expect(made).toMatchObject({ deviceModel: 'Second probe', devices: 1, changedBy: 'demo.manager' });
      expect(await save('POST', '', { organizationId, ...form })).toMatchObject({ status: 'mapping.taken' });
      const path = `/api/device/mapping/${id}`;
      expect(expectDone(await server.call({ method: 'GET', path, session: manager }))).toEqual(made);
      await chirpstack(up(start, { probe: { t10: 43 }, temperature: 99 }, '70b3d57ed005a1b4'));
      expect(await stored('20000008')).toEqual([['temperature', start, 4.3]]);

      expectDone(await save('PUT', `/${id}`, { ...form, entries: [entry('probe.t100', 0.01)] }));
      await chirpstack(up(start + MIN, { probe: { t100: 444 } }, '70b3d57ed005a1b4'));
      expect(await stored('20000008')).toContainEqual(['temperature', start + MIN, 4.44]);
    });

    it("the nearest organisation's mapping applies, and one for the model has priority over one for all models", async () => {
      const hospital = await known.organizationId('DEMO-HOSPITAL');
      const all = expectDone(
        await save('POST', '', { organizationId: hospital, deviceModel: '', entries: [entry('x', 1)] }),
      );
      await chirpstack(up(start + 2 * MIN, { probe: { t100: 500 }, x: 77 }, '70b3d57ed005a1b4'));
      expect(await stored('20000008')).toContainEqual(['temperature', start + 2 * MIN, 5]);
      const near = expectDone(
        await save('POST', '', {
          organizationId: hospital,
          deviceModel: 'Second probe',
          entries: [entry('near', 1)],
        }),
      );
      await chirpstack(up(start + 3 * MIN, { probe: { t100: 500 }, near: 6 }, '70b3d57ed005a1b4'));
      expect(await stored('20000008')).toContainEqual(['temperature', start + 3 * MIN, 6]);
      for (const each of [all, near])
        expectDone(await save('DELETE', `/${each.id}`, { reason: 'Only tried' }));
    });

    it('a mapping is tested with a payload before it is saved, and nothing is stored', async () => {
      const answer = await server.call({
        method: 'POST',
        path: '/api/device/mapping/try',
        session: manager,
        json: {
          format: 'chirpstack',
          payload: JSON.stringify(
            up(start, { probe: { t10: 43, t11: 99_999, t12: 1 }, humidity: 40, name: 'x' }),
          ),
          entries: [entry('probe.t10', 0.1), { ...entry('probe.t11', 1), channel: 'temperature-2' }],
        },
      });
      expect(answer.data).toEqual({
        faults: [],
        messages: [
          {
            device: EUI,
            at: new Date(start).toISOString(),
            readings: [
              { channel: 'temperature-1', value: 4.3, fault: null },
              { channel: 'temperature-2', value: 99_999, fault: 'outside-physical-range' },
              { channel: 'signal-1', value: -90, fault: null },
              { channel: 'humidity-1', value: 40, fault: null },
            ],
            unread: ['probe.t12'],
          },
        ],
      });
      const broken = { format: 'thingsboard', payload: '{', entries: [] };
      expect(
        await server.call({
          method: 'POST',
          path: '/api/device/mapping/try',
          session: manager,
          json: broken,
        }),
      ).toMatchObject({ httpStatus: 422, status: 'mapping.payload' });
    });

    it('the audit log records who changed a mapping', async () => {
      expectDone(await save('DELETE', `/${id}`, { reason: 'Replaced by a codec' }));
      const { rows } = await server.pool.query(
        `select action, reason, before, after from audit_entry where object_kind = 'payload-mapping' and object_id = $1 order by seq`,
        [String(id)],
      );
      expect(rows.map(({ action }) => action)).toEqual(['create', 'change', 'delete']);
      expect(rows.at(-1)?.reason).toBe('Replaced by a codec');
      expect(rows[1]).toMatchObject({
        before: { 'temperature-1': { path: 'probe.t10', factor: 0.1, offset: 0 } },
        after: { 'temperature-1': { path: 'probe.t100', factor: 0.01, offset: 0 } },
      });
    });

    it('a mapping cannot contain the same channel twice', async () => {
      const answer = await save('POST', '', {
        organizationId: await known.organizationId('DEMO'),
        deviceModel: 'Twice',
        entries: [entry('a', 1), entry('b', 1)],
      });
      expect(answer).toMatchObject({ status: 'request.invalid' });
    });
  });
});

describe('positions of third-party devices', () => {
  const place = (minute: number) => ({ latitude: 31.2 + minute / 1_000, longitude: 121.4 });

  it('telemetry of ThingsBoard devices has positions, with their times or without, and attributes have none', async () => {
    const before = Date.now();
    await post(`/api/v1/${TOKEN}/telemetry`, [
      { ts: start + 30 * MIN, values: { temperature: 4, ...place(30), speed: 61.5 } },
      { ts: start + 31 * MIN, values: place(31) },
      { ts: start + 32 * MIN, values: { latitude: 95, longitude: 121.4 } },
    ]);
    await post(`/api/v1/${TOKEN}/attributes`, place(40));
    expect(await positionsOf(NUMBER)).toEqual([
      [30, 31.23, 121.4, 61.5],
      [31, 31.231, 121.4, null],
    ]);
    await post(`/api/v1/${TOKEN}/telemetry`, place(50));
    const [newest] = (await positionsOf(NUMBER)).slice(-1);
    expect(newest?.slice(1)).toEqual([31.25, 121.4, null]);
    expect(start + ((newest?.[0] as number) ?? 0) * MIN).toBeGreaterThanOrEqual(before);
    expect(await stored(NUMBER)).toContainEqual(['temperature', start + 30 * MIN, 4]);
  });

  it('refused positions are counted as rejected', async () => {
    const sent = (minute: number, object: object) =>
      post(
        '/ingest/v1/chirpstack?event=up',
        {
          time: new Date(start + minute * MIN).toISOString(),
          deviceInfo: { devEui: '70b3d57ed005a1b4' },
          object,
        },
        { authorization: `Bearer ${networkKey}` },
      );
    const in400Days = 400 * 24 * 60;
    expect(await sent(in400Days, place(1))).toMatchObject({ data: { accepted: 0, rejected: 1 } });
    expect(await sent(in400Days, { temperature: 4, gps_1: place(1) })).toMatchObject({
      data: { accepted: 0, rejected: 2 },
    });
    expect(await sent(20, { temperature: 4, gps_1: place(1) })).toMatchObject({
      data: { accepted: 1, rejected: 0 },
    });
    await server.pool.query(
      `delete from position where device_id = (select id from device where number = '20000008')`,
    );
  });

  it('over MQTT, devices behind a gateway have positions', async () => {
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username: TOKEN,
      reconnectPeriod: 0,
    });
    await client.publishAsync(
      'v1/gateway/telemetry',
      JSON.stringify({ 'Ward 3': [{ ts: start + 5 * MIN, values: place(5) }] }),
      { qos: 1 },
    );
    await client.publishAsync('v1/gateway/attributes', JSON.stringify({ 'Ward 3': place(9) }), { qos: 1 });
    await client.endAsync();
    expect(await positionsOf('20000003')).toEqual([[5, 31.205, 121.4, null]]);
  });

  it('uplinks and locations of LoRaWAN networks have positions, and the coordinates are not told as unmapped', async () => {
    const number = '20000008';
    const devEui = '70b3d57ed005a1b4';
    const headers = { authorization: `Bearer ${networkKey}` };
    const time = (minute: number) => new Date(start + minute * MIN).toISOString();
    const send = async (path: string, body: object) =>
      expect(await post(path, body, headers)).toMatchObject({ httpStatus: 200 });
    const deviceInfo = { devEui };
    const gateway = [{ rssi: -80, location: { latitude: 48, longitude: 11 } }];
    await send('/ingest/v1/chirpstack?event=up', {
      time: time(41),
      deviceInfo,
      rxInfo: gateway,
      object: { temperature: 4, gps_1: { ...place(41), altitude: 12 } },
    });
    await send('/ingest/v1/chirpstack?event=up', {
      time: time(42),
      deviceInfo,
      rxInfo: gateway,
      object: { temperature: 5 },
    });
    await send('/ingest/v1/chirpstack?event=location', {
      time: time(43),
      deviceInfo,
      location: { ...place(43), accuracy: 90 },
    });
    const ids = { end_device_ids: { dev_eui: devEui.toUpperCase() } };
    await send('/ingest/v1/things-stack', {
      ...ids,
      uplink_message: {
        received_at: time(44),
        decoded_payload: { temperature: 6, fix: { y: 31.244, x: 121.4 } },
        locations: { 'frm-payload': place(44), user: { latitude: 1, longitude: 2 } },
      },
    });
    await send('/ingest/v1/things-stack', {
      ...ids,
      uplink_message: {
        received_at: time(45),
        decoded_payload: { temperature: 7 },
        locations: { 'frm-payload': place(44) },
      },
    });
    await send('/ingest/v1/things-stack', {
      ...ids,
      received_at: time(46),
      location_solved: { service: 'lora-cloud-geolocation', location: place(46) },
    });
    expect(await positionsOf(number)).toEqual(
      [41, 43, 44, 46].map((minute) => [minute, place(minute).latitude, 121.4, null]),
    );
    const readings = (await stored(number)).filter(
      ([indicator, at]) => indicator === 'temperature' && at > start + 40 * MIN,
    );
    expect(readings.map(([, , value]) => value)).toEqual([4, 5, 6, 7]);
    await vi.waitFor(
      async () => {
        const { rows } = await server.pool.query<{ path: string }>(
          'select path from unmapped_value v join device d on d.id = v.device_id where d.number = $1 order by path',
          [number],
        );
        const paths = rows.map(({ path }) => path);
        expect(paths).toEqual(expect.arrayContaining(['fix.x', 'fix.y', 'gps_1.altitude']));
        expect(paths.filter((path) => /latitude|longitude/.test(path))).toEqual([]);
      },
      { timeout: 15_000 },
    );
  });
});
