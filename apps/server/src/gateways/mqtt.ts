import net from 'node:net';
import { AppError } from '@isotherm/contracts/errors';
import {
  type IngestResult,
  MAX_INGEST_BODY_BYTES,
  packetsTopic,
  readingsTopic,
  resultsTopic,
} from '@isotherm/contracts/ingest';
import { createPacketLengths } from '@isotherm/protocol/mqtt-packet-lengths';
import { Aedes, type AuthenticateError, type Client } from 'aedes';
import type { KnownDevice, PacketCounters } from '../features/devices/index.ts';
import type { Ingest } from '../features/telemetry/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { listen } from './listen.ts';
import { keysOf, type PacketSource, takePayload } from './packet-intake.ts';

const BAD_CREDENTIALS = 4;
const SERVER_UNAVAILABLE = 3;
/** Publishes of one connection that may wait for their commit. */
const IN_FLIGHT_PER_CLIENT = 500;
/** Before a device has said who it is, and after. */
const MAX_CONNECT_BYTES = 4 * 1024;
const MAX_PACKET_BYTES = MAX_INGEST_BODY_BYTES;

interface Session {
  device: KnownDevice;
  readings: string;
  packets: string;
  /** Made when the first packet comes: most devices send JSON. */
  source: Omit<PacketSource, 'reassembly'> | null;
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
export async function createMqttGateway(
  ingest: Ingest,
  counters: PacketCounters,
  metrics: Metrics,
  log: Logger,
  clock: Clock,
): Promise<MqttGateway> {
  const sessions = new WeakMap<Client, Session>();
  const broker = await Aedes.createBroker({
    concurrency: IN_FLIGHT_PER_CLIENT,
    heartbeatInterval: 60_000,
    connectTimeout: 20_000,

    async authenticate(client, username, password, done) {
      try {
        const device = await ingest.authenticate(username ?? '', password?.toString('utf8') ?? '');
        if (!device) {
          metrics.refusedLogins.inc({ gateway: 'mqtt' });
          return done(refusal(BAD_CREDENTIALS), false);
        }
        // Names are each device's own: nobody takes over a connection by calling itself like another.
        Object.assign(client, { id: `${device.number}/${client.id}` });
        sessions.set(client, {
          device,
          readings: readingsTopic(device.number),
          packets: packetsTopic(device.number),
          source: null,
        });
        done(null, true);
      } catch {
        done(refusal(SERVER_UNAVAILABLE), false);
      }
    },

    authorizePublish(client, packet, done) {
      const session = client && sessions.get(client);
      if (!session) return done(client ? new Error('not authenticated') : null);
      const payload = Buffer.isBuffer(packet.payload) ? packet.payload : Buffer.from(packet.payload);
      if (packet.topic !== session.readings && packet.topic !== session.packets) {
        ingest.refuse(
          { gateway: 'mqtt', address: addressOf(client), device: session.device, payload },
          'topic',
        );
        return done(new Error(`topic ${packet.topic} is not this device's`));
      }
      packet.retain = false;
      take(client, session, packet.topic === session.packets, payload).then(() => done(null), done);
    },

    authorizeSubscribe(client, subscription, done) {
      const session = client && sessions.get(client);
      const isOwn =
        session !== undefined &&
        session !== null &&
        subscription.topic === resultsTopic(session.device.number);
      done(null, isOwn ? subscription : null);
    },
  });

  async function take(client: Client, session: Session, isPackets: boolean, payload: Buffer): Promise<void> {
    // The registry may have changed since the device connected.
    const known = ingest.refresh(session.device);
    const device = known instanceof Promise ? await known : known;
    if (!device) throw new Error('credentials withdrawn');
    for (;;) {
      try {
        const result: IngestResult & { error?: string } = isPackets
          ? await takePayload(ingest, await sourceOf(client, session, device), device, payload, clock.now())
          : await ingest.take({ gateway: 'mqtt', address: addressOf(client), device, payload });
        if (result.error || result.rejected.length + result.rejectedPositions > 0)
          answer(client, device.number, result);
        return;
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        if (error.code === 'ingest.busy') {
          // Not acknowledged and not read on: the sender slows down.
          await ingest.room();
          continue;
        }
        if (error.code === 'ingest.unavailable') throw error;
        // Not understood: acknowledged, so that it does not come again for ever, and told why.
        answer(client, device.number, { accepted: 0, rejected: [], rejectedPositions: 0, error: error.code });
        return;
      }
    }
  }

  async function sourceOf(
    client: Client,
    session: Session,
    device: KnownDevice,
  ): Promise<Omit<PacketSource, 'reassembly'>> {
    session.source ??= {
      ...{ gateway: 'mqtt', address: addressOf(client), keys: keysOf(device) },
      window: await counters.window(device.id),
    };
    return session.source;
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
    listen: (host, port) => listen(server, host, port),
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
