import net from 'node:net';
import tls from 'node:tls';
import { MAX_INGEST_BODY_BYTES } from '@isotherm/contracts/ingest';
import mqtt, { type IConnackPacket, type IPublishPacket, type Packet } from 'mqtt-packet';
import type { Logger } from '../platform/log.ts';

const PROTOCOL = { protocolVersion: 5 } as const;
const KEEP_ALIVE_S = 30;
/** Receive maximum: number of unacknowledged messages that the broker may send. */
const RECEIVE_MAXIMUM = 1_000;
/** Number of unacknowledged bytes after which reading pauses. */
const MAX_UNACKNOWLEDGED_BYTES = 64 * 1024 * 1024;
/** Maximum packet size: payload, topic and properties. */
const MAX_PACKET_BYTES = MAX_INGEST_BODY_BYTES + 64 * 1024;
/** Number of bytes that the broker may leave unread before the connection is closed. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;
/** Session expiry interval "never", because a session that ends loses its queue. */
const NEVER = 0xffff_ffff;
const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 5_000;
const CONNECT_WITHIN_MS = 10_000;
const REFUSED = 0x80;
const PORTS = { 'mqtt:': 1883, 'mqtts:': 8883 } as const;

export interface BrokerMessage {
  topic: string;
  payload: Buffer;
  /** Response topic of the sender (MQTT 5, 4.10), with its correlation data. */
  responseTopic: string | null;
  correlationData: Buffer | null;
}

export interface BrokerConnectionOptions {
  /** URL with `mqtt:` or `mqtts:`, with user name and password. */
  url: string;
  /** Client id, the same after a restart: unacknowledged messages are delivered again to this client id. */
  clientId: string;
  filters: readonly string[];
  /**
   * Handles a message. It is acknowledged when this resolves; unacknowledged messages are delivered again
   * after a reconnect. `signal` is aborted when the connection over which the message came has ended.
   */
  onMessage(message: BrokerMessage, signal: AbortSignal): Promise<void>;
  /** Called before each attempt to connect, because another process may have taken over this client id. */
  mayConnect(): Promise<boolean>;
  /** Called when the subscriptions of the connection are active, and when it has ended. */
  onConnected(isConnected: boolean): void;
  log: Logger;
}

export interface BrokerConnection {
  /** Publishes with QoS 0 (at most once); the message is dropped without a connection. */
  publish(topic: string, payload: Buffer, properties?: { correlationData?: Buffer }): void;
  stop(): Promise<void>;
}

/**
 * Creates a client of an MQTT 5 broker that acknowledges each message when it is processed, and continues to
 * receive further ones. Group commit needs many messages in flight, but common client libraries deliver one
 * after the other.
 */
export function createBrokerConnection(options: BrokerConnectionOptions): BrokerConnection {
  const { filters, clientId, log } = options;
  const url = new URL(options.url);
  const target = { host: url.hostname, port: Number(url.port) || PORTS[url.protocol as keyof typeof PORTS] };
  let socket: net.Socket | null = null;
  let retry: NodeJS.Timeout | undefined;
  let retryMs = FIRST_RETRY_MS;
  let stopping = false;
  let isUp = false;

  function send(to: net.Socket, packet: Packet): void {
    if (to.writableLength > MAX_UNREAD_BYTES) to.destroy(new Error('the broker does not read'));
    else if (to.writable) to.write(mqtt.generate(packet, PROTOCOL));
  }

  async function connect(): Promise<void> {
    const mayConnect = await options.mayConnect();
    if (stopping) return;
    if (mayConnect) open();
    else retryLater();
  }

  function retryLater(): void {
    retry = setTimeout(() => void connect(), retryMs);
    retryMs = Math.min(MAX_RETRY_MS, retryMs * 2);
  }

  function open(): void {
    const own =
      url.protocol === 'mqtts:' ? tls.connect({ ...target, servername: target.host }) : net.connect(target);
    socket = own;
    own.setNoDelay(true).setTimeout(CONNECT_WITHIN_MS, () => own.destroy(new Error('no answer')));
    const ended = new AbortController();
    let unacknowledged = 0;
    let isHeard = true;

    const alive = setInterval(() => {
      // While reading is paused, missing messages do not mean a dead connection.
      if (!isHeard && !own.isPaused()) return own.destroy(new Error('the broker has fallen silent'));
      isHeard = false;
      send(own, { cmd: 'pingreq' });
    }, KEEP_ALIVE_S * 1000);

    own.once(url.protocol === 'mqtts:' ? 'secureConnect' : 'connect', () =>
      send(own, {
        cmd: 'connect',
        protocolId: 'MQTT',
        ...PROTOCOL,
        clientId,
        clean: false,
        keepalive: KEEP_ALIVE_S,
        ...(url.username ? { username: decodeURIComponent(url.username) } : {}),
        ...(url.password ? { password: Buffer.from(decodeURIComponent(url.password)) } : {}),
        properties: {
          sessionExpiryInterval: NEVER,
          receiveMaximum: RECEIVE_MAXIMUM,
          maximumPacketSize: MAX_PACKET_BYTES,
        },
      }),
    );

    async function take(packet: IPublishPacket): Promise<void> {
      const payload = Buffer.isBuffer(packet.payload) ? packet.payload : Buffer.from(packet.payload);
      unacknowledged += payload.length;
      if (unacknowledged > MAX_UNACKNOWLEDGED_BYTES) own.pause();
      const { responseTopic = null, correlationData = null } = packet.properties ?? {};
      try {
        await options.onMessage(
          { topic: packet.topic, payload, responseTopic, correlationData },
          ended.signal,
        );
        if (packet.qos > 0 && !ended.signal.aborted)
          send(own, { cmd: 'puback', messageId: packet.messageId as number, reasonCode: 0 });
      } catch (error) {
        // The broker delivers the message again on the next connection.
        own.destroy(error as Error);
      }
      unacknowledged -= payload.length;
      if (unacknowledged <= MAX_UNACKNOWLEDGED_BYTES && own.isPaused()) own.resume();
    }

    function accepted(packet: IConnackPacket): void {
      if ((packet.reasonCode ?? 0) >= REFUSED)
        return void own.destroy(new Error(`refused with reason ${packet.reasonCode}`));
      own.setTimeout(0);
      send(own, {
        cmd: 'subscribe',
        messageId: 1,
        // Retained messages are not requested, because they may be outdated.
        subscriptions: filters.map((topic) => ({ topic, qos: 1, nl: false, rap: false, rh: 2 })),
      });
    }

    function subscribed(granted: readonly unknown[]): void {
      if (granted.some((code) => Number(code) >= REFUSED))
        return void own.destroy(new Error('subscription refused: see the access list in docs/operating.md'));
      retryMs = FIRST_RETRY_MS;
      isUp = true;
      log.info({ broker: url.host, clientId }, 'connected to the broker');
      options.onConnected(true);
    }

    const parser = mqtt.parser(PROTOCOL);
    parser.on('packet', (packet) => {
      isHeard = true;
      if (packet.cmd === 'connack') accepted(packet);
      else if (packet.cmd === 'suback') subscribed(packet.granted);
      else if (packet.cmd === 'publish') void take(packet);
      else if (packet.cmd === 'disconnect')
        own.destroy(new Error(`sent away with reason ${packet.reasonCode ?? 0}`));
    });
    parser.on('error', (error) => own.destroy(error));
    own.on('data', (chunk) => parser.parse(chunk));
    own.on('end', () => own.destroy());
    own.on('error', (error) => log.warn({ broker: url.host, error: error.message }, 'broker connection'));
    own.once('close', () => {
      clearInterval(alive);
      ended.abort();
      socket = null;
      if (isUp) options.onConnected(false);
      isUp = false;
      if (!stopping) retryLater();
    });
  }
  void connect();

  return {
    publish(topic, payload, properties) {
      if (socket && isUp)
        send(socket, {
          cmd: 'publish',
          topic,
          payload,
          qos: 0,
          dup: false,
          retain: false,
          ...(properties ? { properties } : {}),
        });
    },
    async stop() {
      stopping = true;
      clearTimeout(retry);
      const own = socket;
      if (!own) return;
      const closed = new Promise<void>((resolve) => own.once('close', () => resolve()));
      send(own, { cmd: 'disconnect', reasonCode: 0 });
      own.destroySoon();
      await closed;
    },
  };
}
