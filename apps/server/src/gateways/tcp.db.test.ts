import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { packetsTopic, resultsTopic } from '@isotherm/contracts/ingest';
import { createPacketKeys, packetSecret } from '@isotherm/contracts/packet-cipher';
import type { Encryption } from '@isotherm/protocol/gateway-packet/packet-words';
import { blocksOf, writeReadings } from '@isotherm/protocol/gateway-packet/readings-body';
import { writeEvents, writePositions } from '@isotherm/protocol/gateway-packet/record-bodies';
import {
  writeCommand,
  writeCommandResult,
  writeHello,
  writeTimeRequest,
} from '@isotherm/protocol/gateway-packet/session-bodies';
import { openPacketLink, type PacketLink } from '@isotherm/simulator/client/packet-link';
import { packetUplink } from '@isotherm/simulator/client/packet-uplink';
import { TryAgain } from '@isotherm/simulator/client/uplink';
import mqtt from 'mqtt';
import { afterAll, afterEach, beforeAll, describe, expect, it, test } from 'vitest';
import { fridge, type Session, startTestServer, TEST_KEY, type TestServer } from '../testing/test-server.ts';

const MIN = 60_000;
const now = Date.now();
/** Time added to the server's clock; increased where a timeout has to expire. */
let ahead = 0;
const clock = { now: () => Date.now() + ahead };

let server: TestServer;
let manager: Session;
let links: PacketLink[] = [];
let counter = now * 1_024;
let devices = 41_000_000;

beforeAll(async () => {
  server = await startTestServer({ clock });
  manager = await server.logIn('demo.manager');
});
afterEach(() => {
  for (const link of links) link.close();
  links = [];
  ahead = 0;
});
afterAll(() => server.stop());

/** Creates a device that no other test uses. */
async function newDevice(): Promise<string> {
  const number = String(++devices);
  await server.provision(manager, [fridge(number)]);
  return number;
}

async function open(
  number: string,
  encryption: Encryption = 'none',
  over: { key?: string; counter?: number } = {},
): Promise<PacketLink> {
  counter += 1_000_000;
  const link = await openPacketLink({
    host: '127.0.0.1',
    port: server.tcpPort,
    number,
    key: TEST_KEY,
    encryption,
    counter,
    ...over,
  });
  links.push(link);
  return link;
}

const readings = (values: readonly number[], at = now - 20 * MIN, sensor = 1) =>
  writeReadings(
    blocksOf(
      values.map((value, i) => ({ sensor, indicator: 'temperature' as const, at: at + i * 1_000, value })),
    ),
  );

async function stored(number: string, indicator = 'temperature'): Promise<number[]> {
  const { rows } = await server.pool.query<{ value: number }>(
    `select r.value from reading r join channel c on c.id = r.channel_id join device d on d.id = c.device_id
      where d.number = $1 and c.indicator = $2 order by r.measured_at`,
    [number, indicator],
  );
  return rows.map(({ value }) => value);
}

async function kept(number: string): Promise<string[]> {
  const { rows } = await server.pool.query<{ code: string }>(
    `select code from rejected_message where device_number = $1 and format = 'packet'
        and organization_id is not null order by id`,
    [number],
  );
  return rows.map(({ code }) => code);
}

const closed = (link: PacketLink) =>
  link.socket.destroyed ? Promise.resolve() : once(link.socket, 'close').then(() => undefined);

/** Expects no response, because the connection ends. */
const lost = (answer: Promise<unknown>) => expect(answer).rejects.toThrow(/connection ended|denied/);

describe.each<Encryption>(['none', 'aes-128-gcm', 'sm4-gcm'])('gateway with encryption %s', (encryption) => {
  it('a gateway completes the handshake, gets the time, and is acknowledged after the commit', async () => {
    const number = await newDevice();
    const link = await open(number, encryption);
    expect(Math.abs(link.serverTime - Date.now())).toBeLessThan(5_000);
    const time = await link.send('time-request', writeTimeRequest({ sentAt: 12_345 }));
    expect(time).toMatchObject({ type: 'time', body: { sentAt: 12_345 } });
    for (let i = 1; i <= 5; i++) {
      const answer = await link.send('readings', readings([4 + i / 10], now - (10 - i) * MIN));
      expect(answer).toEqual({ type: 'ack', body: { code: 'stored', refused: 0, faults: [] } });
      // When a message is acknowledged, another connection to the database can already read its readings.
      expect(await stored(number)).toHaveLength(i);
    }
  });

  it('parts of a message are accepted in any order and more than once', async () => {
    const number = await newDevice();
    const link = await open(number, encryption);
    const values = Array.from({ length: 300 }, (_, i) => (i % 50) / 10);
    const { packets, messageId } = link.pack('backlog', readings(values), 60);
    expect(packets.length).toBeGreaterThan(5);
    const answer = link.answerTo(messageId);
    link.socket.write(Buffer.concat([...packets.slice(1).reverse(), packets[2]!, packets[0]!]));
    expect(await answer).toMatchObject({ body: { code: 'stored' } });
    expect(await stored(number)).toEqual(values);
  });

  it('a gateway with a wrong key is refused', async () => {
    await expect(open(await newDevice(), encryption, { key: 'x'.repeat(40) })).rejects.toThrow(/denied/);
  });
});

it('data of every type are stored and evaluated', async () => {
  const number = await newDevice();
  const link = await open(number, 'sm4-gcm');
  const at = now - 15 * MIN;
  await link.send(
    'readings',
    readings(
      [5, 9, 9.5, 12.7].flatMap((v) => Array(60).fill(v)),
      at,
    ),
  );
  await link.send(
    'events',
    writeEvents([
      { kind: 'door', sensor: 1, at, value: 1 },
      { kind: 'door', sensor: 1, at: at + 900, value: 0 },
    ]),
  );
  const position = { at, latitude: 31.11, longitude: 121.38, speedKmh: 62.5 };
  await link.send('positions', writePositions([position, { ...position, at: at + 1, speedKmh: null }]));
  expect(await stored(number, 'door')).toEqual([1, 0]);
  const { rows } = await server.pool.query(
    `select latitude, speed_kmh from position p join device d on d.id = p.device_id where d.number = $1 order by measured_at`,
    [number],
  );
  expect(rows).toEqual([
    { latitude: 31.11, speed_kmh: 62.5 },
    { latitude: 31.11, speed_kmh: null },
  ]);
  const { data } = await server.call<{ items: { kind: string; value: number }[] }>({
    path: '/api/alarm/current',
    query: { show: 'unacknowledged', search: number },
    session: manager,
  });
  expect(data.items).toEqual([
    expect.objectContaining({ kind: 'high', since: new Date(at + 60_000).toISOString() }),
  ]);
});

it('refused readings are listed, and the message is kept for inspection', async () => {
  const number = await newDevice();
  const link = await open(number);
  const mixed = writeReadings(
    blocksOf([
      { sensor: 1, indicator: 'temperature', at: now - MIN, value: 5 },
      { sensor: 1, indicator: 'temperature', at: now - MIN + 1, value: 850 },
      { sensor: 9, indicator: 'temperature', at: now - MIN + 5, value: 5 },
      { sensor: 1, indicator: 'door', at: now + 60 * MIN, value: 1 },
    ]),
  );
  expect(await link.send('readings', mixed)).toMatchObject({
    body: {
      code: 'stored-in-part',
      refused: 3,
      faults: [
        { index: 1, fault: 'outside-physical-range' },
        { index: 2, fault: 'unknown-channel' },
        { index: 3, fault: 'in-the-future' },
      ],
    },
  });
  expect(await stored(number)).toEqual([5]);
  await expect.poll(() => kept(number)).toEqual(['readings-refused']);
});

test('a packet that cannot be decoded is refused and kept, so that it is not sent again', async () => {
  const number = await newDevice();
  const link = await open(number);
  expect(await link.send('readings', Uint8Array.of(1, 2, 3))).toMatchObject({ body: { code: 'refused' } });
  const command = writeCommand({ id: 1, command: 'reboot', parameters: [] });
  expect(await link.send('command', command)).toMatchObject({ body: { code: 'refused' } });
  // A reply to an unknown command is acknowledged and ignored.
  const result = writeCommandResult({ id: 1, state: 'success', reason: 0 });
  expect(await link.send('command-result', result)).toMatchObject({ body: { code: 'stored' } });
  expect(await link.send('readings', readings([5]))).toMatchObject({ body: { code: 'stored' } });
  await expect.poll(() => kept(number)).toEqual(['packet.truncated', 'packet.unexpected']);
});

describe('connections with transmission errors', () => {
  it('packets are found between invalid bytes, also if they arrive in fragments or byte by byte', async () => {
    const number = await newDevice();
    const link = await open(number, 'aes-128-gcm');
    const first = link.pack('readings', readings([4], now - 9 * MIN));
    const second = link.pack('readings', readings([5], now - 8 * MIN));
    const answers = [first, second].map(({ messageId }) => link.answerTo(messageId));
    const stream = Buffer.concat([
      randomBytes(3_000),
      first.packets[0]!.subarray(0, 30),
      first.packets[0]!,
      Buffer.from('c01d01', 'hex'),
      randomBytes(500),
      second.packets[0]!,
    ]);
    link.socket.write(stream.subarray(0, 3_010));
    for (const byte of stream.subarray(3_010, 3_100)) link.socket.write(Uint8Array.of(byte));
    link.socket.write(stream.subarray(3_100));
    for (const answer of await Promise.all(answers))
      expect(answer).toMatchObject({ body: { code: 'stored' } });
    expect(await stored(number)).toEqual([4, 5]);
    await expect.poll(() => kept(number)).toContain('packet.no-sync');
  });

  it('with one packet in a hundred corrupted, all readings arrive by resending', async () => {
    const number = await newDevice();
    const link = await open(number, 'sm4-gcm');
    const at = now - 20 * MIN;
    const open400 = new Map(Array.from({ length: 400 }, (_, i) => [i, readings([i / 10], at + i * 1_000)]));
    let spoilt = 0;
    for (let round = 0; open400.size > 0; round++) {
      expect(round).toBeLessThan(5);
      await Promise.all(
        [...open400].map(async ([i, content]) => {
          const { packets, messageId } = link.pack('readings', content);
          const packet = Buffer.from(packets[0]!);
          const isSpoilt = round === 0 && i % 100 === 7;
          if (isSpoilt) packet[(i * 7) % packet.length]! ^= 0x55;
          if (isSpoilt) spoilt++;
          const answer = isSpoilt ? null : link.answerTo(messageId);
          link.socket.write(packet);
          if (!answer) return;
          expect(await answer).toMatchObject({ body: { code: 'stored' } });
          open400.delete(i);
        }),
      );
    }
    expect(spoilt).toBe(4);
    expect(await stored(number)).toHaveLength(400);
  });

  it('nothing of a truncated packet is stored, and the next connection delivers it', async () => {
    const number = await newDevice();
    const link = await open(number, 'aes-128-gcm');
    const content = readings([4, 5, 6]);
    const { packets, messageId } = link.pack('readings', content);
    const answer = link.answerTo(messageId);
    link.socket.write(packets[0]!.subarray(0, 25));
    link.close();
    await lost(answer);
    expect(await stored(number)).toEqual([]);
    const again = await open(number, 'aes-128-gcm');
    expect(await again.send('readings', content)).toMatchObject({ body: { code: 'stored' } });
    expect(await stored(number)).toEqual([4, 5, 6]);
  });

  it('an incomplete packet blocks the connection only until its timeout', async () => {
    const number = await newDevice();
    const link = await open(number);
    link.socket.write(link.pack('readings', readings(Array(99).fill(5))).packets[0]!.subarray(0, 40));
    const whole = link.pack('readings', readings([7]));
    const answer = link.answerTo(whole.messageId);
    link.socket.write(whole.packets[0]!);
    await expect.poll(() => stored(number)).toEqual([]);
    ahead = 11_000;
    expect(await answer).toMatchObject({ body: { code: 'stored' } });
  });
});

describe('attacks on the TCP gateway', () => {
  const plain = async (bytes: Uint8Array) => {
    const socket = connect(server.tcpPort, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.resume();
    const end = once(socket, 'close');
    await once(socket, 'connect');
    socket.write(bytes);
    return { end };
  };

  it('a connection that sends anything but a hello is closed', async () => {
    await (await plain(randomBytes(500))).end;
    await (
      await plain(
        Buffer.from('GET / HTTP/1.1\r\nhost: isotherm\r\naccept: */*\r\nuser-agent: x\r\nx: y\r\n\r\n'),
      )
    ).end;
  });

  it('after a wrong hello packet, no other hello is accepted on the same connection, even if the client keeps it open', async () => {
    const number = await newDevice();
    const link = await open(number);
    const hello = link.pack(
      'hello',
      writeHello({ encryption: 'none', nonce: randomBytes(16), proof: randomBytes(16), clock: 0 }),
    ).packets[0]!;
    const socket = connect({ port: server.tcpPort, host: '127.0.0.1', allowHalfOpen: true });
    let ended: unknown = null;
    socket.on('error', (error) => (ended = error));
    socket.resume();
    await once(socket, 'connect');
    // A closed connection rejects writes.
    await expect
      .poll(() => {
        if (!ended) socket.write(hello);
        return ended;
      })
      .toMatchObject({ code: expect.stringMatching(/ECONNRESET|EPIPE/) });
    socket.destroy();
  });

  it('a silent connection is closed after the timeout', async () => {
    const { end } = await plain(new Uint8Array(0));
    ahead = 11_000;
    await end;
  });

  it('a recorded hello does not open another connection', async () => {
    const number = await newDevice();
    const link = await open(number);
    const nonce = randomBytes(16);
    const proof = createPacketKeys(packetSecret(TEST_KEY)).helloProof({
      gatewayId: Number(number),
      encryption: 'none',
      server: randomBytes(16),
      gateway: nonce,
    });
    const hello = link.pack('hello', writeHello({ encryption: 'none', nonce, proof, clock: 0 })).packets[0]!;
    // The proof in the recorded hello packet was valid only for the challenge of another connection.
    await (await plain(Buffer.concat([hello, link.pack('readings', readings([5])).packets[0]!]))).end;
    expect(await stored(number)).toEqual([]);
  });

  it('unencrypted readings are not accepted on an encrypted connection', async () => {
    const number = await newDevice();
    const [sealed, clear] = [await open(number, 'sm4-gcm'), await open(number)];
    const { packets, messageId } = clear.pack('readings', readings([7]));
    sealed.socket.write(packets[0]!);
    await expect.poll(() => kept(number)).toEqual(['packet.encryption']);
    expect(messageId).toBeGreaterThan(0);
    expect(await stored(number)).toEqual([]);
  });

  it('a device cannot send for another device', async () => {
    const [mine, other] = [await newDevice(), await newDevice()];
    const [link, forged] = [await open(mine), await open(other)];
    const { packets } = forged.pack('readings', readings([7]));
    link.socket.write(packets[0]!);
    await expect.poll(() => kept(mine)).toEqual(['packet.gateway']);
    expect([await stored(mine), await stored(other)]).toEqual([[], []]);
  });

  it('a replayed packet changes nothing, and a very old one is refused', async () => {
    const number = await newDevice();
    const link = await open(number, 'aes-128-gcm', { counter: 5_000 });
    const { packets, messageId } = link.pack('readings', readings([5]));
    const send = () => {
      const answer = link.answerTo(messageId);
      link.socket.write(packets[0]!);
      return answer;
    };
    expect(await send()).toMatchObject({ body: { code: 'stored' } });
    expect(await send()).toMatchObject({ body: { code: 'stored' } });
    expect(await stored(number)).toEqual([5]);
    const later = await open(number, 'aes-128-gcm', { counter: 50_000 });
    await later.send('readings', readings([6], now - MIN));
    // The recorded readings are deleted here, as after retention, to check that a replay does not restore
    // them.
    await server.pool.query(
      `delete from reading where channel_id in
         (select c.id from channel c join device d on d.id = c.device_id where d.number = $1)`,
      [number],
    );
    expect(await send()).toMatchObject({ body: { code: 'replayed' } });
    expect(await stored(number)).toEqual([]);
  });

  it('the highest packet counter is saved within seconds', async () => {
    const number = await newDevice();
    const link = await open(number, 'sm4-gcm', { counter: 70_000 });
    await link.send('readings', readings([5]));
    await expect
      .poll(
        async () =>
          (
            await server.pool.query(
              'select highest::int from packet_counter c join device d on d.id = c.device_id where number = $1',
              [number],
            )
          ).rows,
        { timeout: 10_000 },
      )
      .toEqual([{ highest: 70_000 }]);
  });
});

it('deleting a device closes its connection, and the server keeps running', async () => {
  const number = await newDevice();
  const link = await open(number);
  await link.send('readings', readings([5]));
  await server.pool.query(
    `delete from alarm_rule where channel_id in
       (select c.id from channel c join device d on d.id = c.device_id where d.number = $1)`,
    [number],
  );
  for (const table of ['channel', 'sensor'])
    await server.pool.query(
      `delete from ${table} where device_id = (select id from device where number = $1)`,
      [number],
    );
  await server.pool.query('delete from device where number = $1', [number]);
  await closed(link);
  await expect(open(number)).rejects.toThrow(/denied/);
});

it('a device that was registered before the server supported packets gets a packet key when it is registered again', async () => {
  const number = await newDevice();
  await server.pool.query('update device set packet_secret = null where number = $1', [number]);
  await expect(open(number)).rejects.toThrow(/denied/);
  const other = fridge(number);
  await server.provision(manager, [{ ...other, device: { ...other.device, key: 'x'.repeat(40) } }]);
  await expect(open(number)).rejects.toThrow(/denied/);
  await server.provision(manager, [other]);
  expect(await (await open(number)).send('readings', readings([5]))).toMatchObject({
    body: { code: 'stored' },
  });
});

it('an address with many wrong hellos is blocked until the end of the minute', async () => {
  const number = await newDevice();
  ahead = 10 * MIN;
  for (let i = 0; i < 100; i++)
    await expect(open(number, 'none', { key: 'x'.repeat(40) })).rejects.toThrow(/denied/);
  await expect(open(number)).rejects.toThrow(/ended/);
  ahead = 11 * MIN;
  expect((await open(number)).serverTime).toBeGreaterThan(0);
});

it('the simulator’s uplink sends what a logger has stored, and reconnects after a connection loss', async () => {
  const number = await newDevice();
  const uplink = packetUplink(`tcp://127.0.0.1:${server.tcpPort}`, number, TEST_KEY, 'sm4-gcm');
  const message = (value: number) => ({
    readings: [{ channel: 'temperature-1', at: now - MIN + value, value }],
    positions: [{ at: now - MIN + value, latitude: 31.11, longitude: 121.38 }],
  });
  const delivered = async (value: number) => {
    try {
      await uplink.send(message(value));
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(TryAgain);
      return false;
    }
  };
  await expect.poll(() => delivered(4)).toBe(true);
  // Sends garbage until the server closes the connection.
  uplink.sendBlind(Buffer.alloc(300_000));
  await expect.poll(() => uplink.online()).toBe(false);
  await expect.poll(() => delivered(5), { timeout: 10_000 }).toBe(true);
  expect(await stored(number)).toEqual([4, 5]);
  await uplink.close();
});

it('a device that sends at a hundred times its usual rate is slowed down and delays no other device', async () => {
  const [mad, calm] = [await newDevice(), await newDevice()];
  const [flood, link] = [await open(mad), await open(calm, 'aes-128-gcm')];
  const answers = Array.from({ length: 3_000 }, (_, i) =>
    flood.send('readings', readings([5], now - 60 * MIN + i * 1_000)),
  );
  const begun = performance.now();
  for (let i = 0; i < 10; i++)
    expect(await link.send('readings', readings([4], now - MIN + i))).toMatchObject({
      body: { code: 'stored' },
    });
  expect((performance.now() - begun) / 10).toBeLessThan(1_000);
  for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ body: { code: 'stored' } });
  expect(await stored(mad)).toHaveLength(3_000);
});

describe('gateway packets as MQTT payload', () => {
  const publish = async (number: string, payloads: readonly Uint8Array[]) => {
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username: number,
      password: TEST_KEY,
      protocolVersion: 4,
      reconnectPeriod: 0,
    });
    const results: unknown[] = [];
    client.on('message', (_topic, payload) => results.push(JSON.parse(payload.toString())));
    await client.subscribeAsync(resultsTopic(number));
    for (const payload of payloads)
      await client.publishAsync(packetsTopic(number), Buffer.from(payload), { qos: 1 });
    return { client, results };
  };

  it('an MQTT payload of packets is acknowledged after the commit: one packet, several, or all parts of a message', async () => {
    const number = await newDevice();
    const link = await open(number, 'sm4-gcm');
    const pack = (value: number, minutesAgo: number, partBytes?: number) =>
      Buffer.concat(
        link.pack('readings', readings(Array(30).fill(value), now - minutesAgo * MIN), partBytes).packets,
      );
    const { client, results } = await publish(number, [
      pack(4, 9),
      Buffer.concat([pack(5, 8), pack(6, 7)]),
      pack(7, 6, 25),
    ]);
    expect(await stored(number)).toHaveLength(120);
    expect(results).toEqual([]);
    await client.endAsync();
  });

  it('refused packets are reported, and the connection continues', async () => {
    const number = await newDevice();
    const link = await open(number, 'aes-128-gcm', { counter: 90_000 });
    const [good, split] = [
      link.pack('readings', readings([5])),
      link.pack('readings', readings(Array(90).fill(4)), 30),
    ];
    const { client, results } = await publish(number, [
      Buffer.from('no packet'),
      split.packets[0]!,
      good.packets[0]!,
    ]);
    await expect
      .poll(() => results)
      .toEqual([
        { accepted: 0, rejected: [], rejectedPositions: 0, error: 'packet.no-sync' },
        { accepted: 0, rejected: [], rejectedPositions: 0, error: 'packet.bad-split' },
      ]);
    expect(await stored(number)).toEqual([5]);
    await client.endAsync();
  });
});

/**
 * Opens a connection whose hello waits for its packet counter until the server gives it up. The counters of earlier
 * connections, which wait for the table as well, are written, not read.
 */
async function openWhileCountersAreLocked(number: string): Promise<'welcomed' | 'ended'> {
  const blocker = await server.pool.connect();
  const readers = async () =>
    (
      await blocker.query(
        `select pid from pg_locks where not granted and mode = 'AccessShareLock' and relation = 'packet_counter'::regclass
            and database = (select oid from pg_database where datname = current_database())`,
      )
    ).rows;
  try {
    await blocker.query('begin');
    await blocker.query('lock table packet_counter in access exclusive mode');
    const outcome = open(number, 'aes-128-gcm').then(
      () => 'welcomed' as const,
      () => 'ended' as const,
    );
    await expect.poll(readers).toHaveLength(1);
    ahead = 11_000;
    return await outcome;
  } finally {
    await blocker.query('rollback');
    blocker.release();
  }
}

test('no command is sent to a connection that ended while its hello waited for the database', async () => {
  const number = await newDevice();
  expect(await openWhileCountersAreLocked(number)).toBe('ended');
  // The packet counters of the second connection are read after those of the first.
  const link = await open(number, 'aes-128-gcm');
  link.close();
  await once(link.socket, 'close');
  const given = await server.call<{ id: number }>({
    method: 'POST',
    path: '/api/device/command',
    session: manager,
    json: { devices: [number], order: { kind: 'acquisition-interval', seconds: 30 } },
  });
  expect(given.status).toBe('1');
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  const { rows } = await server.pool.query(
    `select c.state from device_command c join device d on d.id = c.device_id where d.number = $1`,
    [number],
  );
  expect(rows).toEqual([{ state: 'reserved' }]);
});
