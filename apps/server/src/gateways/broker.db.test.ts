import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandAnswersTopic, commandsTopic } from '@isotherm/contracts/commands';
import { CHIRPSTACK_TOPIC, readingsTopic, resultsTopic } from '@isotherm/contracts/ingest';
import { findMosquitto, type Mosquitto, startMosquitto } from '@isotherm/testkit/mosquitto';
import mqtt, { type MqttClient } from 'mqtt';
import codec, { type IConnectPacket, type IPublishPacket, type Packet } from 'mqtt-packet';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fridge, startTestServer, type TestServer } from '../testing/test-server.ts';

/** Reason code "not authorized" of MQTT 5. */
const NOT_AUTHORIZED = 0x87;
const V5 = { protocolVersion: 5 } as const;
const at = Date.now() - 3_600_000;
const message = (minute: number, value = 5) =>
  Buffer.from(JSON.stringify({ readings: [{ channel: 'temperature-1', at: at + minute * 60_000, value }] }));
const storedMinutes = async (server: TestServer, number: string) => {
  const { rows } = await server.pool.query<{ at: number }>(
    `select (extract(epoch from r.measured_at) * 1000)::float8 as at from reading r
       join channel c on c.id = r.channel_id join device d on d.id = c.device_id
      where d.number = $1 order by 1`,
    [number],
  );
  return rows.map((row) => (row.at - at) / 60_000);
};

const EUI = '70b3d57ed0440001';
const eventTopic = (event: string, devEui = EUI) => `application/7/device/${devEui}/event/${event}`;
const lora = (number: string) => {
  const item = fridge(number);
  return { ...item, device: { ...item.device, devEui: EUI } };
};
/** Returns an event as ChirpStack's JSON marshaler writes it. */
const uplink = (minute: number, more: object = {}) =>
  Buffer.from(
    JSON.stringify({
      deduplicationId: '3ac7e3c4-4401-4b8d-9386-a5c902f9202d',
      time: new Date(at + minute * 60_000).toISOString(),
      deviceInfo: { applicationId: '7', deviceName: 'Fridge', devEui: EUI },
      fPort: 2,
      data: 'AQID',
      object: { temperature: 4.5 },
      ...more,
    }),
  );

/** Starts a scripted server side of the protocol, to observe packets that a real broker hides. */
async function scriptedBroker() {
  const connections: { heard: Packet[]; send(packet: Packet): void; end(): void }[] = [];
  const server = net.createServer((socket) => {
    const heard: Packet[] = [];
    const send = (packet: Packet) => socket.write(codec.generate(packet, V5));
    const parser = codec.parser(V5);
    parser.on('packet', (packet) => {
      heard.push(packet);
      if (packet.cmd === 'connect') send({ cmd: 'connack', reasonCode: 0, sessionPresent: false });
      if (packet.cmd === 'subscribe')
        send({ cmd: 'suback', messageId: packet.messageId as number, granted: [1, 1, 1] });
    });
    socket.on('data', (chunk) => parser.parse(chunk)).on('error', () => undefined);
    connections.push({ heard, send, end: () => socket.destroy() });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `mqtt://isotherm:s%3Acret@127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    connections,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

describe('client of an external MQTT broker', () => {
  let broker: Awaited<ReturnType<typeof scriptedBroker>>;
  let server: TestServer;
  const publish = (topic: string, payload: Buffer, more: Partial<IPublishPacket> = {}): IPublishPacket => ({
    cmd: 'publish',
    topic,
    payload,
    qos: 1,
    dup: false,
    retain: false,
    messageId: 7,
    ...more,
  });
  const connection = (index: number) => {
    const found = broker.connections[index];
    if (!found) throw new Error(`no connection ${index}`);
    return found;
  };
  const heard = <T extends Packet>(cmd: T['cmd'], index = 0) =>
    (broker.connections[index]?.heard ?? []).filter((packet) => packet.cmd === cmd) as T[];
  const acknowledged = (index = 0) => heard('puback', index).map(({ messageId }) => messageId);

  beforeAll(async () => {
    broker = await scriptedBroker();
    server = await startTestServer({
      environment: {
        ISOTHERM_MQTT_BROKER_URL: broker.url,
        ISOTHERM_MQTT_CLIENT_ID: 'one',
        ISOTHERM_MQTT_CHIRPSTACK_TOPIC: CHIRPSTACK_TOPIC,
      },
    });
    await server.provision(await server.logIn('demo.manager'), [fridge('44000001'), lora('44000002')]);
  });
  afterAll(async () => {
    await server?.stop();
    await broker?.stop();
  });

  it('the client keeps its session forever, and subscribes to shared topics', async () => {
    await expect.poll(() => heard('subscribe')).toHaveLength(1);
    expect(heard<IConnectPacket>('connect')[0]).toMatchObject({
      protocolVersion: 5,
      clientId: 'one',
      clean: false,
      username: 'isotherm',
      password: Buffer.from('s:cret'),
      properties: { sessionExpiryInterval: 0xffff_ffff, receiveMaximum: 1000 },
    });
    expect(heard('subscribe')[0]).toMatchObject({
      subscriptions: [
        ...['readings', 'packets', 'command-answers'].map((kind) => `isotherm/v1/+/${kind}`),
        CHIRPSTACK_TOPIC,
      ].map((topic) => ({ topic: `$share/isotherm/${topic}`, qos: 1 })),
    });
  });

  it('the client acknowledges in parallel after the commit, and again for messages redelivered after a lost connection', async () => {
    const { rows } = await server.pool.query<{ id: number }>(
      `select id from device where number = '44000001'`,
    );
    const lane = await server.pool.connect();
    await lane.query('begin');
    await lane.query('select pg_advisory_xact_lock(7411, $1)', [(rows[0] as { id: number }).id % 16]);
    connection(0).send(publish(readingsTopic('44000001'), message(0)));
    connection(0).send(publish(readingsTopic('99999999'), message(0), { messageId: 8 }));
    connection(0).send(publish(readingsTopic('44000001'), Buffer.from('{'), { messageId: 9 }));
    await expect.poll(() => acknowledged().toSorted()).toEqual([8, 9]);
    connection(0).end();
    await lane.query('rollback');
    lane.release();
    await expect.poll(() => heard('subscribe', 1)).toHaveLength(1);
    expect(acknowledged(1)).toEqual([]);
    connection(1).send(publish(readingsTopic('44000001'), message(0), { dup: true }));
    await expect.poll(() => acknowledged(1)).toEqual([7]);
    expect(await storedMinutes(server, '44000001')).toEqual([0]);
  });

  it('the client acknowledges readings from ChirpStack after the commit, and events without readings at once', async () => {
    const { rows } = await server.pool.query<{ id: number }>(
      `select id from device where number = '44000002'`,
    );
    const lane = await server.pool.connect();
    await lane.query('begin');
    await lane.query('select pg_advisory_xact_lock(7411, $1)', [(rows[0] as { id: number }).id % 16]);
    const send = (messageId: number, topic: string, payload: Buffer) =>
      connection(1).send(publish(topic, payload, { messageId }));
    send(31, eventTopic('up', EUI.toUpperCase()), uplink(0));
    send(32, eventTopic('up', 'ffffffffffffffff'), uplink(1));
    send(33, eventTopic('join'), Buffer.from('{}'));
    send(34, eventTopic('up'), Buffer.from('{'));
    send(35, eventTopic('up'), uplink(2, { deviceInfo: { devEui: 'ffffffffffffffff' } }));
    const late = () => acknowledged(1).filter((id) => (id as number) > 30);
    await expect.poll(() => late().toSorted()).toEqual([32, 33, 34, 35]);
    await lane.query('rollback');
    lane.release();
    await expect.poll(late).toContain(31);
    expect(await storedMinutes(server, '44000002')).toEqual([0]);
  });

  it("the client publishes results only to the device's own results topic", async () => {
    const correlationData = Buffer.from('n-1');
    const results = resultsTopic('44000001');
    const tell = (messageId: number, responseTopic: string) =>
      connection(1).send(
        publish(readingsTopic('44000001'), message(messageId), {
          messageId,
          properties: { responseTopic, correlationData },
        }),
      );
    tell(21, commandsTopic('44000002'));
    await expect.poll(() => acknowledged(1)).toContain(21);
    tell(22, results);
    await expect.poll(() => heard<IPublishPacket>('publish', 1)).toHaveLength(1);
    const [answer] = heard<IPublishPacket>('publish', 1);
    expect(answer).toMatchObject({ topic: results, properties: { correlationData } });
    expect(JSON.parse(String(answer?.payload))).toEqual({ accepted: 1, rejected: [], rejectedPositions: 0 });
  });
});

/** The access list in the documentation is used for the test. */
const ACL = /```acl\n([^`]+)```/
  .exec(readFileSync(new URL('../../../../docs/operating.md', import.meta.url), 'utf8'))?.[1]
  ?.replaceAll(/^ +/gm, '') as string;
const NUMBERS = ['44000011', '44000012'];
const PASSWORD = 'of the broker';

/** Without Mosquitto, only the scripted broker above is tested. */
if (findMosquitto())
  describe('connection through Mosquitto', () => {
    let folder: string;
    let mosquitto: Mosquitto;
    let servers: TestServer[];
    const clients: MqttClient[] = [];

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'isotherm-mosquitto-'));
      const users = Object.fromEntries(
        ['isotherm', 'chirpstack', ...NUMBERS].map((name) => [name, PASSWORD]),
      );
      mosquitto = await startMosquitto({ folder, users, acl: ACL });
      const url = `mqtt://isotherm:${encodeURIComponent(PASSWORD)}@127.0.0.1:${mosquitto.port}`;
      servers = [];
      for (const name of ['one', 'two'])
        servers.push(
          await startTestServer({
            environment: {
              ISOTHERM_MQTT_BROKER_URL: url,
              ISOTHERM_MQTT_CLIENT_ID: name,
              ISOTHERM_MQTT_CHIRPSTACK_TOPIC: CHIRPSTACK_TOPIC,
            },
          }),
        );
      for (const server of servers)
        await server.provision(await server.logIn('demo.manager'), [
          ...NUMBERS.map((number) => fridge(number)),
          lora('44000013'),
        ]);
    });
    afterEach(async () => {
      for (const client of clients.splice(0)) await client.endAsync(true);
    });
    afterAll(async () => {
      for (const server of servers ?? []) await server.stop();
      await mosquitto?.stop();
      if (folder) rmSync(folder, { recursive: true, force: true });
    });

    async function device(number: string) {
      const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${mosquitto.port}`, {
        username: number,
        password: PASSWORD,
        protocolVersion: 5,
        reconnectPeriod: 100,
      });
      client.on('error', () => undefined);
      clients.push(client);
      return client;
    }
    const all = async (number: string) =>
      (await Promise.all(servers.map((server) => storedMinutes(server, number))))
        .flat()
        .sort((a, b) => a - b);
    const minutes = (count: number) => Array.from({ length: count }, (_, index) => index);

    it('readings arrive through Mosquitto, each at only one of the two processes that share the subscription', async () => {
      const client = await device('44000011');
      await Promise.all(
        minutes(50).map((minute) =>
          client.publishAsync(readingsTopic('44000011'), message(minute), { qos: 1 }),
        ),
      );
      await expect.poll(() => all('44000011')).toEqual(minutes(50));
      for (const server of servers)
        expect((await storedMinutes(server, '44000011')).length).toBeGreaterThan(10);
    });

    it('events of ChirpStack arrive through Mosquitto, each at only one of the two processes that share the subscription', async () => {
      const chirpstack = await device('chirpstack');
      await Promise.all(
        minutes(50).map((minute) => chirpstack.publishAsync(eventTopic('up'), uplink(minute), { qos: 1 })),
      );
      await expect.poll(() => all('44000013')).toEqual(minutes(50));
      for (const server of servers)
        expect((await storedMinutes(server, '44000013')).length).toBeGreaterThan(10);
    });

    it('a device can write to its own topics only', async () => {
      const client = await device('44000011');
      await expect(
        client.publishAsync(readingsTopic('44000012'), message(0), { qos: 1 }),
      ).rejects.toMatchObject({ code: NOT_AUTHORIZED });
      const own = await device('44000012');
      await own.publishAsync(readingsTopic('44000012'), message(1), { qos: 1 });
      await expect.poll(() => all('44000012')).toEqual([1]);
    });

    it('a device receives commands through Mosquitto and reports their results', async () => {
      const client = await device('44000012');
      const [server] = servers as [TestServer];
      const told: { id: number; kind: string }[] = [];
      client.on('message', (_topic, payload) => told.push(JSON.parse(payload.toString())));
      await client.subscribeAsync(commandsTopic('44000012'), { qos: 1 });
      await client.publishAsync(readingsTopic('44000012'), message(2), { qos: 1 });
      await client.publishAsync(readingsTopic('44000012'), message(3), { qos: 1 });
      const session = await server.logIn('demo.manager');
      await server.call({
        method: 'POST',
        path: '/api/device/command',
        session,
        json: { devices: ['44000012'], order: { kind: 'upload-interval', seconds: 120 } },
      });
      await expect.poll(() => told).toMatchObject([{ kind: 'upload-interval' }]);
      const state = async () =>
        (
          await server.call<{ items: { state: string }[] }>({
            path: '/api/device/command',
            query: { search: '44000012' },
            session,
          })
        ).data.items.map((item) => item.state);
      expect(await state()).toEqual(['requesting']);
      // Each of the two servers has its own database, so the reply may reach the one in which the command
      // does not exist.
      await expect
        .poll(async () => {
          await client.publishAsync(
            commandAnswersTopic('44000012'),
            JSON.stringify({ id: told[0]?.id, state: 'success' }),
            { qos: 1 },
          );
          return state();
        })
        .toEqual(['success']);
    });

    it("a killed broker loses messages, but a device that waits for the server's response loses none", async () => {
      const client = await device('44000011');
      const answers: unknown[] = [];
      client.on('message', (_topic, payload) => answers.push(JSON.parse(payload.toString())));
      await client.subscribeAsync(resultsTopic('44000011'));
      mosquitto.program.signal('SIGKILL');
      await mosquitto.program.exited;
      await mosquitto.start();
      // The broker acknowledges while the server is disconnected; after the kill, this message is lost.
      await expect
        .poll(
          async () => {
            await client.publishAsync(readingsTopic('44000011'), message(55), {
              qos: 1,
              properties: { responseTopic: resultsTopic('44000011') },
            });
            return answers.length;
          },
          { timeout: 20_000, interval: 200 },
        )
        .toBeGreaterThan(0);
      expect(answers[0]).toEqual({ accepted: 1, rejected: [], rejectedPositions: 0 });
      expect(await all('44000011')).toContain(55);
    });
  });
