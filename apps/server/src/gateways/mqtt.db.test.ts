import { once } from 'node:events';
import net from 'node:net';
import { packetsTopic, readingsTopic, resultsTopic } from '@isotherm/contracts/ingest';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import mqttPacket, { type IConnackPacket, type IDisconnectPacket, type Packet } from 'mqtt-packet';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { fridge, startTestServer, TEST_KEY, type TestServer } from '../testing/test-server.ts';

let server: TestServer;
const NUMBER = '10000001';
const OTHER = '10000002';
const MIN = 60_000;
const now = Date.now();
let minute = 0;

beforeAll(async () => {
  server = await startTestServer();
  await server.provision(await server.logIn('demo.manager'), [fridge(NUMBER), fridge(OTHER)]);
});
afterAll(() => server.stop());

const connect = (options: IClientOptions = {}) =>
  mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
    protocolVersion: 5,
    username: NUMBER,
    password: TEST_KEY,
    reconnectPeriod: 0,
    ...options,
  });

/** Returns a reading with a new time at each call. */
const reading = (channel = 'temperature-1') => ({ channel, at: now - ++minute * MIN, value: 5 });
const messageOf = (...readings: object[]) => JSON.stringify({ readings });

async function isStored({ at }: { at: number }): Promise<boolean> {
  const { rows } = await server.pool.query(
    `select 1 from reading r join channel c on c.id = r.channel_id join device d on d.id = c.device_id
      where d.number = $1 and measured_at = to_timestamp($2::float8 / 1000)`,
    [NUMBER, at],
  );
  return rows.length > 0;
}

/** Returns the PUBACK of MQTT 5. */
async function acknowledgementOf(client: MqttClient, topic: string, message: string) {
  const answered = new Promise<Packet>((resolve) => {
    const look = (packet: Packet) => {
      if (packet.cmd !== 'puback') return;
      client.off('packetreceive', look);
      resolve(packet);
    };
    client.on('packetreceive', look);
  });
  client.publish(topic, message, { qos: 1 }, () => undefined);
  const { reasonCode = 0, properties } = (await answered) as IDisconnectPacket;
  return { code: reasonCode, reason: properties?.reasonString };
}

/** Returns the packets with which the server responds on a raw connection, until it is closed. */
async function answersTo(packets: readonly Buffer[]): Promise<Packet[]> {
  const socket = net.connect(server.mqttPort, '127.0.0.1');
  const answers: Packet[] = [];
  const parser = mqttPacket.parser({ protocolVersion: 5 });
  parser.on('packet', (packet) => answers.push(packet));
  parser.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => parser.parse(chunk)).on('error', () => undefined);
  for (const packet of packets) socket.write(packet);
  await once(socket, 'close');
  return answers;
}

const connectPacket = (protocolVersion: 4 | 5, keepalive = 0) =>
  mqttPacket.generate({
    cmd: 'connect',
    clientId: 'raw',
    protocolVersion,
    keepalive,
    clean: true,
    username: NUMBER,
    password: Buffer.from(TEST_KEY),
  });

describe('protocol MQTT 5', () => {
  it('the server announces its limits and accepts a reading', async () => {
    const connacks: IConnackPacket[] = [];
    const client = mqtt.connect(`mqtt://127.0.0.1:${server.mqttPort}`, {
      protocolVersion: 5,
      clientId: '',
      username: NUMBER,
      password: TEST_KEY,
      reconnectPeriod: 0,
    });
    client.on('connect', (packet) => connacks.push(packet));
    await new Promise<void>((resolve) => client.once('connect', () => resolve()));
    expect(connacks[0]?.properties).toMatchObject({
      receiveMaximum: 256,
      sessionExpiryInterval: 0,
      sharedSubscriptionAvailable: false,
      assignedClientIdentifier: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const sent = reading();
    await client.publishAsync(readingsTopic(NUMBER), messageOf(sent), {
      qos: 1,
      properties: { userProperties: { made: 'here' }, messageExpiryInterval: 60 },
    });
    expect(await isStored(sent)).toBe(true);
    await client.endAsync();
  });

  it('the acknowledgement lists refused readings', async () => {
    const client = await connect();
    const topic = readingsTopic(NUMBER);
    const good = reading();
    expect(await acknowledgementOf(client, topic, 'no JSON')).toEqual({
      code: 0x99,
      reason: 'request.malformed',
    });
    expect(await acknowledgementOf(client, topic, messageOf(reading('door-9')))).toEqual({
      code: 0x99,
      reason: 'refused: 0 unknown-channel',
    });
    const some = Array.from({ length: 7 }, () => reading('door-9'));
    expect(await acknowledgementOf(client, topic, messageOf(good, ...some))).toEqual({
      code: 0,
      reason:
        'refused: 1 unknown-channel, 2 unknown-channel, 3 unknown-channel, 4 unknown-channel, 5 unknown-channel and 2 more',
    });
    expect(await isStored(good)).toBe(true);
    expect(await acknowledgementOf(client, topic, messageOf(reading()))).toEqual({
      code: 0,
      reason: undefined,
    });
    await client.endAsync();
  });

  it('a client that disabled reason strings gets none', async () => {
    const client = await connect({ properties: { requestProblemInformation: false } });
    expect(await acknowledgementOf(client, readingsTopic(NUMBER), 'no JSON')).toEqual({ code: 0x99 });
    await client.endAsync();
  });

  it('the topic of another device is refused, and the connection stays open', async () => {
    const client = await connect();
    const sent = reading();
    expect(await acknowledgementOf(client, readingsTopic(OTHER), messageOf(sent))).toMatchObject({
      code: 0x87,
    });
    const granted = await client.subscribeAsync(resultsTopic(OTHER)).catch((error: Error) => error.message);
    expect(JSON.stringify(granted)).toMatch(/135|not authorized/i);
    await client.publishAsync(readingsTopic(NUMBER), messageOf(sent), { qos: 1 });
    expect(await isStored(sent)).toBe(true);
    await client.endAsync();
  });

  it('a closed connection gets the reason: client id taken over, keep-alive expired, server stopping', async () => {
    const reasons: (number | undefined)[] = [];
    const told = async (client: MqttClient) => {
      client.on('disconnect', ({ reasonCode }) => reasons.push(reasonCode));
      await new Promise<void>((resolve) => client.once('close', () => resolve()));
    };
    const first = await connect({ clientId: 'same' });
    const closed = told(first);
    const second = await connect({ clientId: 'same' });
    await closed;
    expect(reasons).toEqual([0x8e]);
    await second.endAsync();

    const [connack, disconnect] = await answersTo([connectPacket(5, 1)]);
    expect([connack?.cmd, (disconnect as IDisconnectPacket).reasonCode]).toEqual(['connack', 0x8d]);
  });

  it('a wrong key and an unsupported authentication method are refused with their own codes', async () => {
    const wrong = mqttPacket.generate({
      cmd: 'connect',
      clientId: 'raw',
      protocolVersion: 5,
      username: NUMBER,
      password: Buffer.from('x'.repeat(40)),
    });
    const method = mqttPacket.generate({
      cmd: 'connect',
      clientId: 'raw',
      protocolVersion: 5,
      properties: { authenticationMethod: 'SCRAM-SHA-1' },
    });
    expect(await answersTo([wrong])).toMatchObject([{ cmd: 'connack', reasonCode: 0x86 }]);
    expect(await answersTo([method])).toMatchObject([{ cmd: 'connack', reasonCode: 0x8c }]);
  });
});

describe('MQTT protocol violations', () => {
  const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
  test.each([
    [
      'an unsupported version gets a CONNACK with that reason',
      [hex('10 0c 00 04 4d 51 54 54 09 02 00 3c 00 00')],
      ['connack 1'],
    ],
    ['a publish before a login is not answered', [hex('30 03 00 01 61')], []],
    [
      'a second CONNECT ends the connection',
      [connectPacket(5), connectPacket(5)],
      ['connack 0', 'disconnect 130'],
    ],
    ['a packet that only servers send', [connectPacket(5), hex('d0 00')], ['connack 0', 'disconnect 130']],
    ['a malformed publish', [connectPacket(5), hex('32 03 00 05 61')], ['connack 0', 'disconnect 129']],
    [
      'a publish longer than allowed',
      [connectPacket(5), hex('32 ff ff ff 7f')],
      ['connack 0', 'disconnect 149'],
    ],
    ['version 3.1.1 gets no reason', [connectPacket(4), hex('d0 00')], ['connack 0']],
  ])('the connection is closed: %s', async (_name, packets, expected) => {
    const answers = await answersTo(packets);
    expect(
      answers.map((packet) => {
        const { cmd, reasonCode, returnCode } = packet as IConnackPacket;
        return `${cmd} ${reasonCode ?? returnCode ?? 0}`;
      }),
    ).toEqual(expected);
  });
});

test('messages sent together with the CONNECT are processed after it, and those above the limit wait', async () => {
  const all = Array.from({ length: 700 }, () => reading());
  const frames = all.map((one, index) =>
    mqttPacket.generate({
      cmd: 'publish',
      topic: readingsTopic(NUMBER),
      payload: messageOf(one),
      qos: 1,
      messageId: index + 1,
      dup: false,
      retain: false,
    }),
  );
  const socket = net.connect(server.mqttPort, '127.0.0.1');
  const ids: number[] = [];
  const parser = mqttPacket.parser({ protocolVersion: 4 });
  const done = new Promise<void>((resolve) => {
    parser.on('packet', (packet) => {
      if (packet.cmd === 'puback') ids.push(packet.messageId as number);
      if (ids.length === all.length) resolve();
    });
  });
  socket.on('data', (chunk: Buffer) => parser.parse(chunk));
  socket.write(Buffer.concat([connectPacket(4), ...frames]));
  await done;
  expect(ids).toEqual(all.map((_, index) => index + 1));
  socket.destroy();
});

test('results are sent only while the client is subscribed to its results topic', async () => {
  const client = await connect({ protocolVersion: 4 });
  const heard: string[] = [];
  client.on('message', (topic) => heard.push(topic));
  const refused = () => client.publishAsync(packetsTopic(NUMBER), 'no packet', { qos: 1 });
  await refused();
  await client.subscribeAsync(resultsTopic(NUMBER));
  await refused();
  await expect.poll(() => heard).toEqual([resultsTopic(NUMBER)]);
  await client.unsubscribeAsync(resultsTopic(NUMBER));
  await refused();
  await refused();
  expect(heard).toHaveLength(1);
  await client.endAsync();
});
