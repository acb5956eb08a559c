import { once } from 'node:events';
import net from 'node:net';
import { readingsTopic, resultsTopic } from '@isotherm/contracts/ingest';
import mqtt from 'mqtt';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../testing/test-server.ts';

let server: TestServer;
let manager: Session;
const NUMBER = '10000001';
const MIN = 60_000;
const now = Date.now();

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  await server.provision(manager, [
    fridge(NUMBER),
    fridge('10000002'),
    fridge('10000003'),
    fridge('10000004'),
    fridge('10000005'),
  ]);
});
afterAll(() => server.stop());

async function stored(number: string): Promise<{ at: number; value: number }[]> {
  const { rows } = await server.pool.query<{ at: number; value: number }>(
    `select (extract(epoch from r.measured_at) * 1000)::float8 as at, r.value
       from reading r join channel c on c.id = r.channel_id join device d on d.id = c.device_id
      where d.number = $1 order by r.measured_at`,
    [number],
  );
  return rows;
}

describe('isolation of bad readings', () => {
  const good = { channel: 'temperature-1', at: now - MIN, value: 5.1 };
  const cases: [string, unknown, string][] = [
    ['unknown channel', { ...good, channel: 'temperature-9' }, 'unknown-channel'],
    ['no channel', { at: now, value: 5 }, 'unknown-channel'],
    ['NaN as a word', { ...good, value: 'NaN' }, 'not-finite'],
    ['Infinity as JSON writes it', { ...good, value: null }, 'not-finite'],
    ['a number too large for a double', '{"channel":"temperature-1","at":1,"value":1e999}', 'not-finite'],
    ['text for a number', { ...good, value: 'warm' }, 'not-a-number'],
    ['a number in quotes', { ...good, value: '5.1' }, 'not-a-number'],
    ['warmer than any sensor can say', { ...good, value: 900 }, 'outside-physical-range'],
    ['colder than absolute zero', { ...good, value: -300 }, 'outside-physical-range'],
    ['a year ahead', { ...good, at: now + 365 * 24 * 60 * MIN }, 'in-the-future'],
    ['before 2000', { ...good, at: 0 }, 'before-2000'],
    ['a time without an offset', { ...good, at: '2026-11-20T10:00:00' }, 'bad-time'],
    ['a time that is none', { ...good, at: 'yesterday' }, 'bad-time'],
    ['a day that no month has', { ...good, at: '2026-02-31T10:00:00Z' }, 'bad-time'],
    ['no object', 7, 'not-an-object'],
  ];
  test.each(cases)('a bad reading does not affect the others: %s', async (_name, bad, fault) => {
    const items = [JSON.stringify(good), typeof bad === 'string' ? bad : JSON.stringify(bad)];
    const answer = await server.ingest(NUMBER, TEST_KEY, `{"readings":[${items.join(',')}]}`);
    expect(answer).toMatchObject({
      httpStatus: 200,
      status: '1',
      data: { accepted: 1, rejected: [{ index: 1, fault }] },
    });
    expect(await stored(NUMBER)).toEqual([{ at: good.at, value: good.value }]);
  });

  it('a refused reading is kept for inspection', async () => {
    await expect
      .poll(async () => {
        const { rows } = await server.pool.query<{ code: string; detail: unknown }>(
          `select code, detail from rejected_message where device_number = $1`,
          [NUMBER],
        );
        return rows.filter((row) => row.code === 'readings-refused').length;
      })
      .toBe(cases.length);
  });
});

describe('error codes of bad messages', () => {
  const reading = { channel: 'temperature-1', at: now, value: 5 };
  const cases: [string, string, string, unknown, number, string][] = [
    ['wrong key', NUMBER, 'x'.repeat(40), { readings: [reading] }, 401, 'ingest.credentials'],
    ['unknown device', '99999999', TEST_KEY, { readings: [reading] }, 401, 'ingest.credentials'],
    ['a number that is none', "1' or '1'='1", TEST_KEY, { readings: [reading] }, 401, 'ingest.credentials'],
    ['half a JSON', NUMBER, TEST_KEY, '{"readings":[{"chan', 400, 'request.malformed'],
    ['no readings', NUMBER, TEST_KEY, { temperature: 5 }, 400, 'request.malformed'],
    ['null', NUMBER, TEST_KEY, 'null', 400, 'request.malformed'],
    [
      '100,000 readings',
      NUMBER,
      TEST_KEY,
      { readings: Array(100_000).fill(reading) },
      422,
      'ingest.too_many_readings',
    ],
    ['10 MB', NUMBER, TEST_KEY, 'x'.repeat(10 * 1024 * 1024), 413, 'request.too_large'],
  ];
  test.each(cases)(
    'a bad message gets its own error code: %s',
    async (_name, number, key, body, httpStatus, status) => {
      const before = (await stored(NUMBER)).length;
      expect(await server.ingest(number, key, body)).toMatchObject({ httpStatus, status });
      expect(await stored(NUMBER)).toHaveLength(before);
    },
  );
  it("the error is in the caller's language", async () => {
    const response = await fetch(`${server.url}/ingest/v1/readings`, {
      method: 'POST',
      headers: { 'x-language': 'zh-CN' },
      body: '{}',
    });
    expect(((await response.json()) as { message: string }).message).toMatch(/设备/);
  });
});

it('a resend, and a repetition within a message, is treated as the same reading', async () => {
  const readings = [4, 5, 6].map((value, index) => ({
    channel: 'temperature-1',
    at: now - (9 - index) * MIN,
    value,
  }));
  for (let i = 0; i < 3; i++)
    expect(
      (await server.ingest('10000002', TEST_KEY, { readings: [...readings, ...readings] })).data.accepted,
    ).toBe(6);
  expect(await stored('10000002')).toHaveLength(3);
  const other = { ...readings[0], value: 99 };
  await server.ingest('10000002', TEST_KEY, { readings: [other] });
  expect((await stored('10000002'))[0]?.value).toBe(4);
});

it('a reading outside the limits raises an alarm with its time, limits and asset', async () => {
  const at = now - 20 * MIN;
  const values = [5, 9, 9.5, 12.7, 7.4];
  await server.ingest('10000003', TEST_KEY, {
    readings: values.map((value, index) => ({ channel: 'temperature-1', at: at + index * MIN, value })),
  });
  const list = await server.call<{ items: Record<string, unknown>[] }>({
    path: '/api/alarm/current',
    query: { show: 'unacknowledged', search: '10000003' },
    session: manager,
  });
  expect(list.data.items).toEqual([
    expect.objectContaining({
      kind: 'high',
      level: 3,
      state: 'ended',
      endReason: 'recovered',
      since: new Date(at + MIN).toISOString(),
      raisedAt: new Date(at + 2 * MIN).toISOString(),
      endedAt: new Date(at + 4 * MIN).toISOString(),
      value: 9.5,
      peakValue: 12.7,
      limitValue: 8,
      assetName: 'Fridge 10000003',
      place: 'Pharmacy',
      acknowledgement: null,
      required: ['reason'],
      fixed: null,
      assignee: null,
    }),
  ]);
});

test('positions are accepted alone or with readings, and bad ones are ignored', async () => {
  const position = { at: now - 3 * MIN, latitude: 31.11, longitude: 121.38 };
  const send = (body: object) => server.ingest('10000002', TEST_KEY, body);
  const readings = [{ channel: 'door-1', at: now - 3 * MIN, value: 1 }];
  expect(await send({ readings, positions: [{ ...position, speedKmh: 1e-50 }] })).toMatchObject({
    httpStatus: 200,
    data: { accepted: 1, rejectedPositions: 0 },
  });
  const others = [
    { ...position, latitude: 99 },
    null,
    { ...position, at: 0 },
    { ...position, at: now - MIN },
  ];
  expect((await send({ positions: others })).data).toMatchObject({ accepted: 0, rejectedPositions: 3 });
  expect((await send({ positions: Array(10_001).fill(position) })).status).toBe('ingest.too_many_readings');
  const { rows } = await server.pool.query('select speed_kmh from position order by measured_at');
  expect(rows).toEqual([{ speed_kmh: 0 }, { speed_kmh: null }]);
});

describe('ingest over MQTT', () => {
  function connect(number: string, key: string) {
    return mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username: number,
      password: key,
      protocolVersion: 4,
      reconnectPeriod: 0,
    });
  }

  it('a message is acknowledged after the commit', async () => {
    const client = await connect('10000004', TEST_KEY);
    for (let i = 0; i < 5; i++) {
      const at = now - (10 - i) * MIN;
      await client.publishAsync(
        readingsTopic('10000004'),
        JSON.stringify({ readings: [{ channel: 'temperature-1', at, value: 5 }] }),
        { qos: 1 },
      );
      // PUBACK guarantees storage: as soon as it is received, another connection must see the reading.
      expect((await stored('10000004')).map((reading) => reading.at)).toContain(at);
    }
    await client.endAsync();
  });

  it('refused readings are reported, and the connection continues', async () => {
    const client = await connect('10000004', TEST_KEY);
    const answers: unknown[] = [];
    client.on('message', (_topic, payload) => answers.push(JSON.parse(payload.toString())));
    await client.subscribeAsync(resultsTopic('10000004'));
    await client.publishAsync(readingsTopic('10000004'), 'not json', { qos: 1 });
    await client.publishAsync(
      readingsTopic('10000004'),
      '{"readings":[{"channel":"door-1","at":1,"value":1}]}',
      {
        qos: 1,
      },
    );
    await expect
      .poll(() => answers)
      .toEqual([
        { accepted: 0, rejected: [], rejectedPositions: 0, error: 'request.malformed' },
        { accepted: 0, rejected: [{ index: 0, fault: 'before-2000' }], rejectedPositions: 0 },
      ]);
    await client.endAsync();
  });

  it('a wrong key is refused', async () => {
    await expect(connect('10000004', 'y'.repeat(40))).rejects.toThrow(/bad username or password/i);
  });

  it('a device that fails to connect during a database outage can connect afterwards', async () => {
    await server.pool.query('alter table device rename to device_away');
    const client = mqtt.connect(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username: '10000005',
      password: TEST_KEY,
      protocolVersion: 4,
      reconnectPeriod: 50,
    });
    const errors: Error[] = [];
    client.on('error', (error) => errors.push(error));
    const told = (event: 'close' | 'connect') =>
      new Promise<void>((resolve) => client.once(event, () => resolve()));
    await told('close');
    await told('close');
    await server.pool.query('alter table device_away rename to device');
    await told('connect');
    // Many client libraries treat a refusing CONNACK as final and never reconnect.
    expect(errors).toEqual([]);
    await client.endAsync();
  });

  it('a device cannot take over the connection of another device by using its client id', async () => {
    const named = (number: string) =>
      mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
        username: number,
        password: TEST_KEY,
        clientId: 'the-same-name',
        protocolVersion: 4,
        reconnectPeriod: 0,
      });
    const first = await named('10000003');
    const second = await named('10000004');
    const at = now - 2 * MIN;
    for (const [client, number] of [
      [first, '10000003'],
      [second, '10000004'],
    ] as const)
      await client.publishAsync(
        readingsTopic(number),
        JSON.stringify({ readings: [{ channel: 'door-1', at, value: 0 }] }),
        { qos: 1 },
      );
    expect([first.connected, second.connected]).toEqual([true, true]);
    await Promise.all([first.endAsync(), second.endAsync()]);
  });

  it('no memory is reserved for the length that an unauthenticated client announces, or for oversized packets', async () => {
    const cutOff = async (announced: string, client?: Awaited<ReturnType<typeof connect>>) => {
      const socket = client ? (client.stream as net.Socket) : net.connect(server.mqttPort, '127.0.0.1');
      socket.on('error', () => undefined);
      const closed = once(socket, 'close');
      socket.write(Buffer.from(announced, 'hex'));
      await closed;
    };
    // The test sends a CONNECT of 16 MB, then a PUBLISH of 16 MB from an authenticated device.
    await cutOff('1080808008');
    const client = await connect('10000004', TEST_KEY);
    await cutOff('3280808008', client);
    client.end(true);
  });

  it('a device can neither publish nor subscribe for another device', async () => {
    const client = await connect('10000004', TEST_KEY);
    const closed = new Promise((resolve) => client.once('close', () => resolve(true)));
    const granted = await client.subscribeAsync(resultsTopic(NUMBER)).catch((error: Error) => error);
    expect(granted instanceof Error || (granted[0] as { qos: number }).qos === 128).toBe(true);
    client.publish(
      readingsTopic(NUMBER),
      JSON.stringify({ readings: [{ channel: 'door-1', at: now, value: 1 }] }),
      {
        qos: 1,
      },
    );
    expect(await closed).toBe(true);
    expect((await stored(NUMBER)).some((reading) => reading.at === now)).toBe(false);
    await client.endAsync(true);
  });
});
