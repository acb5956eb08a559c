import net from 'node:net';
import { AppError } from '@isotherm/contracts/errors';
import {
  MAX_INGEST_BODY_BYTES,
  readingsTopic,
  resultsTopic,
  splitToken,
  THINGSBOARD_GATEWAY_TOPIC,
  THINGSBOARD_TOPIC,
} from '@isotherm/contracts/ingest';
import type { HardwareMessages } from '@isotherm/protocol/hardware/hardware-message';
import { readAttributes, readGatewayTelemetry, readTelemetry } from '@isotherm/protocol/hardware/thingsboard';
import { createPacketLengths } from '@isotherm/protocol/mqtt-packet-lengths';
import { Aedes, type AuthenticateError, type Client } from 'aedes';
import type { DeviceDirectory, KnownDevice } from '../features/devices/index.ts';
import type { HardwareIngest, Ingest } from '../features/telemetry/index.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';

const BAD_CREDENTIALS = 4;
const SERVER_UNAVAILABLE = 3;
/** Publishes of one connection that may wait for their commit. */
const IN_FLIGHT_PER_CLIENT = 500;
/** Before a device has said who it is, and after. */
const MAX_CONNECT_BYTES = 4 * 1024;
const MAX_PACKET_BYTES = MAX_INGEST_BODY_BYTES;

interface ForeignTopic {
  read(payload: unknown): HardwareMessages;
  /** Whether the message names devices behind the sender. */
  isGateway: boolean;
}

/** Topics of the ThingsBoard device API. */
const FOREIGN_TOPICS: Readonly<Record<string, ForeignTopic>> = {
  [THINGSBOARD_TOPIC]: { read: readTelemetry, isGateway: false },
  'v1/devices/me/attributes': { read: readAttributes, isGateway: false },
  [THINGSBOARD_GATEWAY_TOPIC]: { read: readGatewayTelemetry, isGateway: true },
  'v1/gateway/attributes': { read: readGatewayTelemetry, isGateway: true },
  // Which devices are behind a gateway is said by the registry.
  'v1/gateway/connect': { read: () => ({ messages: [], faults: ['event'] }), isGateway: true },
  'v1/gateway/disconnect': { read: () => ({ messages: [], faults: ['event'] }), isGateway: true },
};

interface Session {
  device: KnownDevice;
  topic: string;
}

export interface MqttGateway {
  listen(host: string, port: number): Promise<number>;
  stop(): Promise<void>;
}

/**
 * MQTT 3.1.1 with QoS 1: a PUBACK is written only after the commit, because the broker waits for
 * `authorizePublish` (and a failed commit closes the connection, so that the device sends again).
 */
export async function createMqttGateway(
  ingest: Ingest,
  hardware: HardwareIngest,
  directory: DeviceDirectory,
  metrics: Metrics,
  log: Logger,
): Promise<MqttGateway> {
  const sessions = new WeakMap<Client, Session>();
  const broker = await Aedes.createBroker({
    concurrency: IN_FLIGHT_PER_CLIENT,
    heartbeatInterval: 60_000,
    connectTimeout: 20_000,

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
        sessions.set(client, { device, topic: readingsTopic(device.number) });
        done(null, true);
      } catch {
        done(refusal(SERVER_UNAVAILABLE), false);
      }
    },

    authorizePublish(client, packet, done) {
      const session = client && sessions.get(client);
      if (!session) return done(client ? new Error('not authenticated') : null);
      const payload = Buffer.isBuffer(packet.payload) ? packet.payload : Buffer.from(packet.payload);
      const foreign = FOREIGN_TOPICS[packet.topic];
      if (foreign) {
        // The name is everybody's: nobody who listens to it hears another device.
        packet.topic = `${session.topic}/foreign`;
        takeForeign(client, session, payload, foreign).then(() => done(null), done);
        return;
      }
      if (packet.topic !== session.topic) {
        ingest.refuse('mqtt', session.device.number, addressOf(client), 'topic', payload);
        return done(new Error(`topic ${packet.topic} is not this device's`));
      }
      packet.retain = false;
      take(client, session, payload).then(() => done(null), done);
    },

    authorizeSubscribe(client, subscription, done) {
      const session = client && sessions.get(client);
      const isOwn =
        session !== undefined &&
        session !== null &&
        subscription.topic === resultsTopic(session.device.number);
      // Nothing is ever sent there, but hardware that is refused gives up.
      if (session && subscription.topic.startsWith('v1/')) subscription.topic = `${session.topic}/unused`;
      else if (!isOwn) return done(null, null);
      done(null, subscription);
    },
  });

  /** The registry may have changed since the device connected. */
  async function present(session: Session): Promise<KnownDevice> {
    const known = ingest.refresh(session.device);
    const device = known instanceof Promise ? await known : known;
    if (!device) throw new Error('credentials withdrawn');
    return device;
  }

  async function take(client: Client, session: Session, payload: Buffer): Promise<void> {
    const device = await present(session);
    const message = { gateway: 'mqtt', address: addressOf(client), device, payload } as const;
    try {
      const result = await whenThereIsRoom(() => ingest.take(message));
      if (result.rejected.length + result.rejectedPositions > 0) answer(client, device.number, result);
    } catch (error) {
      const code = refusalOf(error);
      answer(client, device.number, { accepted: 0, rejected: [], rejectedPositions: 0, error: code });
    }
  }

  async function takeForeign(
    client: Client,
    session: Session,
    payload: Buffer,
    { read, isGateway }: ForeignTopic,
  ): Promise<void> {
    const sender = await present(session);
    const find = (name: string | null) =>
      isGateway && name !== null ? directory.findByName(sender.organizationId, name) : sender;
    try {
      await whenThereIsRoom(() =>
        hardware.take({
          ...{ gateway: 'mqtt', address: addressOf(client), sender: sender.number, payload },
          ...{ read, find },
        }),
      );
    } catch (error) {
      refusalOf(error);
    }
  }

  /** While the queue is full the message is not acknowledged and nothing more is read: the sender slows down. */
  async function whenThereIsRoom<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'ingest.busy') throw error;
        await ingest.room();
      }
    }
  }

  /** Not understood: acknowledged, so that it does not come again for ever. Throws what is not the message's fault. */
  function refusalOf(error: unknown): string {
    if (!(error instanceof AppError) || error.code === 'ingest.unavailable') throw error;
    return error.code;
  }

  function answer(client: Client, number: string, result: object): void {
    client.publish(
      {
        cmd: 'publish',
        topic: resultsTopic(number),
        payload: Buffer.from(JSON.stringify(result)),
        qos: 0,
        retain: false,
        dup: false,
      },
      () => undefined,
    );
  }

  const server = net.createServer({ noDelay: true }, (socket) => {
    const client = broker.handle(socket);
    boundPackets(socket, () => (sessions.has(client) ? MAX_PACKET_BYTES : MAX_CONNECT_BYTES));
  });
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  });
  broker.on('clientError', (client, error) =>
    log.debug({ client: client.id, error: error.message }, 'mqtt client'),
  );
  broker.on('connectionError', (_client, error) => log.debug({ error: error.message }, 'mqtt connection'));

  return {
    listen(host, port) {
      return new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve((server.address() as net.AddressInfo).port);
        });
      });
    },
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await new Promise<void>((resolve) => broker.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

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
