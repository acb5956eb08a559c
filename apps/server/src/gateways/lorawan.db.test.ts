import type { PayloadMapping, UnmappedValues } from '@isotherm/contracts/payload-mappings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDone, people } from '../testing/people.ts';
import { fridge, type Session, startTestServer, type TestServer } from '../testing/test-server.ts';

/** Tests messages of LoRaWAN networks end to end, except messages with a single decoded measurement. */
let server: TestServer;
let manager: Session;
let organizationId: number;
/** Id of the organisation of the devices. */
let hospitalId: number;
let networkKey: string;
const MIN = 60_000;
const start = Math.floor(Date.now() / 1000) * 1000 - 600 * MIN;
const euiOf = (number: string) => (number === EFENTO ? '282c02fffe4fffb3' : `70b3d57e${number}`);
const NUMBERS = ['20100001', '20100002', '20100003', '20100004', '20100005'] as const;
const [NORMALIZED, LIST, UNMAPPED, MANY, EFENTO] = NUMBERS;

beforeAll(async () => {
  server = await startTestServer();
  const platform = await server.logIn('demo.platform');
  manager = await server.logIn('demo.manager');
  const known = people(server, platform);
  organizationId = await known.organizationId('DEMO');
  hospitalId = await known.organizationId('DEMO-HOSPITAL');
  await server.provision(
    manager,
    NUMBERS.map((number) => {
      const item = fridge(number);
      return { ...item, device: { ...item.device, devEui: euiOf(number), model: `Model ${number}` } };
    }),
  );
  const key = await server.call<{ secret: string }>({
    method: 'POST',
    path: '/api/authorization',
    session: manager,
    json: { name: 'Network', organizationId, permissions: ['device-mappings:receive'], kind: 'key' },
  });
  networkKey = expectDone(key).secret;
});
afterAll(() => server.stop());

async function send(path: string, body: object) {
  const response = await fetch(`${server.url}/ingest/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${networkKey}` },
    body: JSON.stringify(body),
  });
  return ((await response.json()) as { data: unknown }).data;
}
const thingsStack = (number: string, uplink: object, more: object = {}) =>
  send('things-stack', {
    end_device_ids: { dev_eui: euiOf(number).toUpperCase() },
    uplink_message: { received_at: new Date(start).toISOString(), f_port: 2, ...uplink },
    ...more,
  });
const chirpstack = (number: string, uplink: object) =>
  send('chirpstack?event=up', {
    time: new Date(start).toISOString(),
    deviceInfo: { devEui: euiOf(number) },
    rxInfo: [{ rssi: -90 }],
    ...uplink,
  });

async function stored(number: string): Promise<[string, number, number][]> {
  const { rows } = await server.pool.query<{ indicator: string; at: number; value: number }>(
    `select c.indicator, (extract(epoch from r.measured_at) * 1000)::float8 as at, r.value
       from reading r join channel c on c.id = r.channel_id join device d on d.id = c.device_id
      where d.number = $1 order by r.measured_at, c.indicator`,
    [number],
  );
  return rows.map(({ indicator, at, value }) => [indicator, at, value]);
}
const map = async (deviceModel: string, more: object) =>
  expectDone(
    await server.call<PayloadMapping>({
      method: 'POST',
      path: '/api/device/mapping',
      session: manager,
      json: { organizationId, deviceModel, ...more },
    }),
  );
const unmapped = async (number: string) =>
  expectDone(
    await server.call<UnmappedValues>({ path: `/api/device/list/${number}/unmapped`, session: manager }),
  );

describe('The Things Stack', () => {
  it('normalised measurements are stored where the device has no name of its own for them', async () => {
    const answer = await thingsStack(NORMALIZED, {
      decoded_payload: { t: 9 },
      normalized_payload: [
        { air: { temperature: 4.5, pressure: 990 }, action: { contactState: 'open' } },
        { time: new Date(start - MIN).toISOString(), air: { temperature: 4.25 } },
      ],
    });
    expect(answer).toMatchObject({ accepted: 3, rejected: 0 });
    expect(await stored(NORMALIZED)).toEqual([
      ['temperature', start - MIN, 4.25],
      ['door', start, 1],
      ['temperature', start, 4.5],
    ]);
  });

  it('a simulated uplink is counted and nothing of it is stored', async () => {
    const uplink = { received_at: new Date(start + MIN).toISOString(), decoded_payload: { temperature: 7 } };
    expect(await thingsStack(NORMALIZED, uplink, { simulated: true })).toEqual({
      accepted: 0,
      rejected: 0,
      unknownDevices: 0,
      simulated: 1,
    });
    expect(await stored(NORMALIZED)).toHaveLength(3);
    await expect
      .poll(async () => {
        const { rows } = await server.pool.query(
          `select code from rejected_message where code = 'simulated'`,
        );
        return rows.length;
      })
      .toBe(1);
  });
});

describe('lists of earlier measurements', () => {
  it('elements of a list become readings at their own times, and an element without a valid time is refused', async () => {
    const list = { path: 'history', timePath: 'timestamp', timeFormat: 'seconds' };
    const entries = [{ path: 'temp', channel: 'temperature-1' }];
    const made = await map(`Model ${LIST}`, { entries, list });
    expect(made.list).toEqual(list);
    const answer = await chirpstack(LIST, {
      object: {
        temp: 4,
        history: [
          { timestamp: (start - 20 * MIN) / 1000, temp: 4.25 },
          { timestamp: (start - 10 * MIN) / 1000, temp: 4.5 },
          { temp: 4.75 },
        ],
      },
    });
    expect(answer).toMatchObject({ accepted: 3, rejected: 1 });
    expect(await stored(LIST)).toEqual([
      ['temperature', start - 20 * MIN, 4.25],
      ['temperature', start - 10 * MIN, 4.5],
      ['temperature', start, 4],
    ]);
  });

  it('a mapping with a list is tested before it is saved', async () => {
    const payload = { t: 4, log: [{ at: '2026-11-20T10:00:00Z', t: 5, x: 1 }, { t: 6 }] };
    const answer = await server.call({
      method: 'POST',
      path: '/api/device/mapping/try',
      session: manager,
      json: {
        format: 'thingsboard',
        payload: JSON.stringify(payload),
        entries: [{ path: 't', channel: 'temperature-1' }],
        list: { path: 'log', timePath: 'at', timeFormat: 'iso' },
      },
    });
    const reading = (value: number) => ({ channel: 'temperature-1', value, fault: null });
    expect(answer.data).toEqual({
      faults: ['time'],
      messages: [
        { device: null, at: null, readings: [reading(4)], unread: ['x'] },
        { device: null, at: '2026-11-20T10:00:00.000Z', readings: [reading(5)], unread: [] },
      ],
    });
  });
});

describe('values that become no reading', () => {
  it('unmapped values are kept for inspection: the latest value of each name, and the latest undecoded uplink', async () => {
    await chirpstack(UNMAPPED, { object: { TempC: 4.5, humidity: 50, temperature: 5, note: 'x' } });
    await chirpstack(UNMAPPED, { object: { TempC: 4.75 } });
    await chirpstack(UNMAPPED, { fPort: 3, data: Buffer.from([1, 0xab]).toString('base64') });
    await expect
      .poll(async () => (await unmapped(UNMAPPED)).undecoded, { timeout: 10_000 })
      .toMatchObject({ port: 3, payload: '01ab' });
    const kept = await unmapped(UNMAPPED);
    expect(kept).toMatchObject({
      organizationId: hospitalId,
      model: `Model ${UNMAPPED}`,
      mapping: { id: null, entries: [], list: null },
    });
    expect(kept.values.map(({ path, value }) => [path, value])).toEqual([
      ['TempC', 4.75],
      ['humidity', 50],
    ]);
    expect(await stored(UNMAPPED)).toEqual([['temperature', start, 5]]);
  });

  it('an unmapped value is no longer shown when a mapping reads it', async () => {
    const entries = [{ path: 'TempC', channel: 'temperature-1' }];
    const { id } = await map(`Model ${UNMAPPED}`, { entries });
    const { values, mapping } = await unmapped(UNMAPPED);
    expect(values.map(({ path }) => path)).toEqual(['humidity']);
    expect(mapping).toMatchObject({ id, entries });
  });

  it('unmapped values are limited to the latest 50 names per device', async () => {
    const names = (from: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${from + index}`, index]));
    await chirpstack(MANY, { object: { ...names(0, 40), 'nul\u0000': 1 } });
    await expect.poll(async () => (await unmapped(MANY)).values.length, { timeout: 10_000 }).toBe(40);
    await chirpstack(MANY, { object: names(100, 200) });
    await expect.poll(async () => (await unmapped(MANY)).values.length, { timeout: 10_000 }).toBe(50);
    expect((await unmapped(MANY)).values.every(({ path }) => /^n1\d\d$/.test(path))).toBe(true);
  });

  it('unmapped values of one device do not prevent those of other devices from being kept', async () => {
    await chirpstack(MANY, { object: { huge: '9'.repeat(400) } });
    await chirpstack(LIST, { fPort: 10_000_000_000, data: 'AQID' });
    await chirpstack(NORMALIZED, { fPort: 2, data: 'AQI' });
    await chirpstack(UNMAPPED, { object: { beside: 1 } });
    await expect
      .poll(async () => (await unmapped(UNMAPPED)).values.map(({ path }) => path), { timeout: 10_000 })
      .toContain('beside');
    expect((await unmapped(LIST)).undecoded).toMatchObject({ port: null, payload: '010203' });
  });

  it('unmapped values are visible in the scope of the device only', async () => {
    const answer = await server.call({ path: '/api/device/list/99999999/unmapped', session: manager });
    expect(answer).toMatchObject({ httpStatus: 404, status: 'device.not_found' });
  });
});

describe('Efento', () => {
  const SERIAL = '282C024FFFB3';
  const measurement = (serial: string, handle: number, params: object[]) => ({
    serial,
    response_handle: handle,
    battery: 'ok',
    signal: -70,
    measured_at: new Date(start).toISOString().slice(0, 19).replace('T', ' '),
    params,
  });
  const post = (body: object, token = networkKey) =>
    fetch(`${server.url}/ingest/v1/efento`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-token': token },
      body: JSON.stringify(body),
    });

  it('a gateway gets 201 with the handles of registered sensors, and their values are stored', async () => {
    const device = expectDone(
      await server.call<{ devEui: string }>({
        path: `/api/device/list/${EFENTO}`,
        session: manager,
      }),
    );
    expect(device.devEui).toBe('282c02fffe4fffb3');
    const params = [
      { channel: 1, type: 'temperature', value: 4.5 },
      { channel: 2, type: 'humidity', value: 40 },
    ];
    await map(`Model ${EFENTO}`, { entries: [{ path: 'temperature_1', channel: 'temperature-1' }] });
    const measurements = [measurement(SERIAL, 7, params), measurement('282C024FFFFF', 8, params)];
    const answer = await post({ measurements });
    expect(answer.status).toBe(201);
    expect(await answer.json()).toEqual({ Y: [7], N: [8] });
    expect(await stored(EFENTO)).toEqual([['temperature', start, 4.5]]);
  });

  it('a reading that the CoAP loader sends again changes nothing, and a heartbeat is acknowledged', async () => {
    const params = [{ channel: 1, type: 'temperature', value: 4.5 }];
    expect((await post([measurement(SERIAL, 7, params)])).status).toBe(201);
    expect(await stored(EFENTO)).toEqual([['temperature', start, 4.5]]);
    expect((await post({ gateway: '282C024FFF00', uptime: 3 })).status).toBe(201);
  });

  it('a message with a wrong token or an unknown structure is refused', async () => {
    expect((await post([], 'wrong')).status).toBe(401);
    expect((await post({ measurements: 7 })).status).toBe(400);
  });
});
