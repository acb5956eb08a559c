import net from 'node:net';
import { commandAnswersTopic, commandsTopic } from '@isotherm/contracts/commands';
import {
  MAX_INGEST_BODY_BYTES,
  packetsTopic,
  readingsTopic,
  resultsTopic,
  splitToken,
} from '@isotherm/contracts/ingest';
import { createPacketLengths } from '@isotherm/protocol/mqtt-packet-lengths';
import { Aedes, type AuthenticateError, type Client } from 'aedes';
import type {
  DeviceDirectory,
  DeviceFirmware,
  Downlink,
  KnownDevice,
  PacketCounters,
} from '../features/devices/index.ts';
import type { HardwareIngest, Ingest } from '../features/telemetry/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { CHUNK_ANSWERS_PREFIX, type ChunkRequest, chunkRequestOf, readChunk } from './firmware-downloads.ts';
import { FOREIGN_TOPICS, type ForeignTopic } from './foreign-topics.ts';
import { listen } from './listen.ts';
import { createMqttIntake, isPartial, type MqttAnswer, type PacketSender, refusalOf } from './mqtt-intake.ts';

const BAD_CREDENTIALS = 4;
/** Publishes of one connection that may wait for their commit. */
const IN_FLIGHT_PER_CLIENT = 500;
/** Before a device has said who it is, and after. */
const MAX_CONNECT_BYTES = 4 * 1024;
const MAX_PACKET_BYTES = MAX_INGEST_BODY_BYTES;
/** Answers that the other end does not take off our hands. */
const MAX_UNREAD_BYTES = 256 * 1024;
const MAX_CONNECTIONS = 50_000;
const TWICE_CONFIRMED = 2;
const NOTHING = Buffer.alloc(0);
/** Of topics of the ThingsBoard device API. */
const FOREIGN_PREFIXES = ['v1/', CHUNK_ANSWERS_PREFIX];

interface Session {
  device: KnownDevice;
  /** The device's own topics, and what is done with what comes there. */
  topics: ReadonlyMap<string, (client: Client, session: Session, payload: Buffer) => Promise<void>>;
  /** Made when the first packet comes: most devices send JSON. */
  source: PacketSender | null;
  /** Ends the way of commands to it, once it listens to them. */
  hangUp: (() => void) | null;
}

export interface MqttParts {
  ingest: Ingest;
  hardware: HardwareIngest;
  directory: Pick<DeviceDirectory, 'findByName'>;
  counters: PacketCounters;
  downlink: Downlink;
  firmware: DeviceFirmware;
  metrics: Metrics;
  log: Logger;
  clock: Clock;
}

export interface MqttGateway {
  listen(host: string, port: number): Promise<number>;
  stop(): Promise<void>;
}

/**
 * MQTT 3.1.1 with QoS 1: a PUBACK is written only after the commit, because the broker waits for
 * `authorizePublish` (and a failed commit closes the connection, so that the device sends again).
 * Payloads are JSON, or gateway packets on a topic of their own.
 */
export async function createMqttGateway(parts: MqttParts): Promise<MqttGateway> {
  const { ingest, hardware, directory, counters, downlink, firmware, metrics, log, clock } = parts;
  const sessions = new WeakMap<Client, Session>();
  const intake = createMqttIntake({ ingest, counters, downlink, clock });
  const broker = await Aedes.createBroker({
    concurrency: IN_FLIGHT_PER_CLIENT,
    heartbeatInterval: 60_000,
    connectTimeout: 20_000,

    preConnect(_client, packet, done) {
      // Nothing is kept for who is away: a kept session would hold subscriptions before they are judged, and
      // what others publish with them.
      packet.clean = true;
      done(null, true);
    },

    async authenticate(client, username, password, done) {
      try {
        // Hardware that speaks the ThingsBoard API brings both in its user name.
        const { number, key } = password
          ? { number: username ?? '', key: password.toString('utf8') }
          : splitToken(username ?? '');
        const device = await ingest.authenticate(number, key);
        if (!device) {
          metrics.refusedLogins.inc({ gateway: 'mqtt' });
          return done(refusal(BAD_CREDENTIALS), false);
        }
        // Names are each device's own: nobody takes over a connection by calling itself like another.
        Object.assign(client, { id: `${device.number}/${client.id}` });
        const topics: Session['topics'] = new Map([
          [readingsTopic(device.number), takeReadings],
          [packetsTopic(device.number), takePackets],
          [commandAnswersTopic(device.number), takeAnswer],
        ]);
        sessions.set(client, { device, topics, source: null, hangUp: null });
        done(null, true);
      } catch (error) {
        // Without an answer: a refusal, even "server unavailable", is final to many client libraries.
        log.debug({ error: (error as Error).message }, 'mqtt login not checked');
        client.close();
      }
    },

    authorizePublish(client, packet, done) {
      const session = client && sessions.get(client);
      if (!session) return done(client ? new Error('not authenticated') : null);
      const payload = Buffer.isBuffer(packet.payload) ? packet.payload : Buffer.from(packet.payload);
      if (packet.qos === TWICE_CONFIRMED) return done(new Error('QoS 2 is not spoken here'));
      const foreign = FOREIGN_TOPICS.get(packet.topic);
      const chunk = chunkRequestOf(packet.topic);
      const taker = session.topics.get(packet.topic);
      if (!foreign && !taker && !chunk) {
        ingest.refuse(
          { gateway: 'mqtt', address: addressOf(client), device: session.device, payload },
          'topic',
        );
        return done(new Error(`topic ${packet.topic} is not this device's`));
      }
      packet.retain = false;
      // What was published is taken, and delivered to nobody.
      packet.topic = nowhere(session.device);
      packet.payload = NOTHING;
      const taken = foreign
        ? takeForeign(client, session, payload, foreign)
        : chunk
          ? sendChunk(client, session, payload, chunk)
          : taker?.(client, session, payload);
      void taken?.then(() => done(null), done);
    },

    authorizeSubscribe(client, subscription, done) {
      const session = client && sessions.get(client);
      if (!session) return done(null, null);
      const { device } = session;
      if (subscription.topic === commandsTopic(device.number)) {
        session.hangUp ??= downlink.open(device.id, ({ id, order }) =>
          publish(client, commandsTopic(device.number), { id, ...order }),
        );
        return done(null, subscription);
      }
      if (subscription.topic === resultsTopic(device.number)) return done(null, subscription);
      if (!FOREIGN_PREFIXES.some((prefix) => subscription.topic.startsWith(prefix))) return done(null, null);
      // What goes there goes to its own connection alone, but hardware that is refused gives up.
      subscription.topic = `${nowhere(device)}/unused`;
      done(null, subscription);
    },
  });
  broker.on('clientDisconnect', (client) => {
    const session = sessions.get(client);
    session?.hangUp?.();
    if (session) session.hangUp = null;
  });

  /** The registry may have changed since the device connected. */
  async function present(session: Session): Promise<KnownDevice> {
    const known = ingest.refresh(session.device);
    const device = known instanceof Promise ? await known : known;
    if (!device) throw new Error('credentials withdrawn');
    return device;
  }

  const takeReadings = (client: Client, session: Session, payload: Buffer) =>
    take(client, session, (device) => intake.readings({ device, address: addressOf(client), payload }));

  const takePackets = (client: Client, session: Session, payload: Buffer) =>
    take(client, session, async (device) => {
      const address = addressOf(client);
      session.source ??= await intake.packetSender(device, address);
      return intake.packets({ device, address, payload }, session.source);
    });

  async function takeAnswer(client: Client, session: Session, payload: Buffer): Promise<void> {
    return intake.commandAnswer({ device: await present(session), address: addressOf(client), payload });
  }

  async function take(
    client: Client,
    session: Session,
    store: (device: KnownDevice) => Promise<MqttAnswer>,
  ): Promise<void> {
    const device = await present(session);
    const answer = await store(device);
    if (isPartial(answer)) publish(client, resultsTopic(device.number), answer);
  }

  async function takeForeign(
    client: Client,
    session: Session,
    payload: Buffer,
    { read, isGateway }: ForeignTopic,
  ): Promise<void> {
    const sender = await present(session);
    const find = (name: string | null) =>
      isGateway && name !== null ? directory.findByName(sender.id, name) : sender;
    const receivedAt = clock.now();
    try {
      await intake.whenThereIsRoom(() =>
        hardware.take({
          gateway: 'mqtt',
          address: addressOf(client),
          sender,
          payload,
          receivedAt,
          read,
          find,
        }),
      );
    } catch (error) {
      refusalOf(error);
    }
  }

  /** What was asked for and is not to be had is answered by nothing, as by who does not know it. */
  async function sendChunk(
    client: Client,
    session: Session,
    payload: Buffer,
    asked: ChunkRequest,
  ): Promise<void> {
    const device = await present(session);
    const part = await readChunk(firmware, device.id, asked, payload);
    if (part) publishBytes(client, asked.answerTopic, part);
  }

  function publish(client: Client, topic: string, message: object): void {
    publishBytes(client, topic, Buffer.from(JSON.stringify(message)));
  }

  function publishBytes(client: Client, topic: string, payload: Buffer): void {
    const socket = client.conn as net.Socket;
    if (socket.writableLength > MAX_UNREAD_BYTES) return void socket.destroy();
    client.publish({ cmd: 'publish', topic, payload, qos: 0, retain: false, dup: false }, () => undefined);
  }

  const server = net.createServer({ noDelay: true }, (socket) => {
    if (sockets.size >= MAX_CONNECTIONS) return socket.destroy();
    const client = broker.handle(socket);
    boundPackets(socket, () => (sessions.has(client) ? MAX_PACKET_BYTES : MAX_CONNECT_BYTES));
  });
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  });
  // Of its own failures, which nobody else would hear, and which would end the process.
  (broker as NodeJS.EventEmitter).on('error', (error: Error) =>
    log.error({ error: error.message }, 'mqtt broker'),
  );
  broker.on('clientError', (client, error) =>
    log.debug({ client: client.id, error: error.message }, 'mqtt client'),
  );
  broker.on('connectionError', (_client, error) => log.debug({ error: error.message }, 'mqtt connection'));

  return {
    listen: (host, port) => listen(server, host, port),
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await new Promise<void>((resolve) => broker.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Where nobody listens. */
const nowhere = (device: KnownDevice) => `${readingsTopic(device.number)}/taken`;

function refusal(returnCode: number): AuthenticateError {
  return Object.assign(new Error('refused'), { returnCode }) as AuthenticateError;
}

function addressOf(client: Client): string {
  return (client.conn as net.Socket).remoteAddress ?? '';
}

/** Cuts off who announces a packet above the limit, before the broker gathers it. The broker pulls by `read`. */
function boundPackets(socket: net.Socket, maxBytes: () => number): void {
  const lengths = createPacketLengths();
  const read = socket.read.bind(socket);
  socket.read = (size) => {
    const chunk: Buffer | null = read(size);
    if (chunk === null || lengths.accept(chunk, maxBytes())) return chunk;
    socket.destroy();
    return null;
  };
}
