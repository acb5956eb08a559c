import { randomUUID } from 'node:crypto';
import type net from 'node:net';
import {
  createMqttFrames,
  MALFORMED_PACKET,
  MqttFault,
  type MqttFrame,
  PROTOCOL_ERROR,
} from '@isotherm/protocol/mqtt/frames';
import { matchesFilter, readPublish } from '@isotherm/protocol/mqtt/publish';
import mqttPacket, { type IConnectPacket, type ISubscribePacket, type Packet } from 'mqtt-packet';
import { MOST_CHUNK_BYTES } from './firmware-downloads.ts';
import {
  createMqttAcknowledgements,
  type MqttAcknowledgements,
  type MqttOutcome,
} from './mqtt-acknowledgements.ts';

/** Maximum size of a packet before authentication. */
const MAX_CONNECT_BYTES = 4 * 1024;
/**
 * Maximum number of messages of a connection that wait for their commit; reading resumes when half of them
 * are done.
 */
const RECEIVE_MAXIMUM = 256;
const READ_ON_BELOW = RECEIVE_MAXIMUM / 2;
/**
 * Number of unread outgoing bytes after which the connection is closed: enough for a chunk of a firmware and
 * small messages.
 */
const MAX_UNREAD_BYTES = MOST_CHUNK_BYTES + 256 * 1024;
const MAX_SUBSCRIPTIONS = 32;
const MAX_MESSAGE_ID = 0xffff;
const MQTT_5 = 5;

const CONNECT = 1;
const PUBLISH = 3;
const PUBREL = 6;
const SUBSCRIBE = 8;
const UNSUBSCRIBE = 10;
const PINGREQ = 12;
const DISCONNECT = 14;
/** Packet types of clients that need no response: acknowledgements for QoS levels that are not used. */
const IGNORED: ReadonlySet<number> = new Set([4, 5, 7]);

const PINGRESP = Buffer.from([0xd0, 0]);
const REFUSED_SUBSCRIPTION = 0x80;
const NO_SUBSCRIPTION_EXISTED = 0x11;

/** Reason codes of MQTT 5 (section 2.4). */
export const REASON = {
  unspecified: 0x80,
  notAuthorized: 0x87,
  shuttingDown: 0x8b,
  badAuthenticationMethod: 0x8c,
  keepAliveTimeout: 0x8d,
  sessionTakenOver: 0x8e,
  payloadFormatInvalid: 0x99,
} as const;
const BAD_CREDENTIALS_3 = 4;
const BAD_CREDENTIALS_5 = 0x86;
const UNACCEPTABLE_VERSION = 1;

/** A connected client as its application sees it. */
export interface MqttClient {
  readonly address: string;
  /** Protocol version: 5, or 4 and below for MQTT 3.1.1 and 3.1. */
  readonly version: number;
  /**
   * Sends a message, if the client has subscribed to its topic. With QoS 1, the application repeats it until the client has
   * confirmed it by a message of its own, because a PUBACK is not evaluated.
   */
  send(topic: string, payload: Buffer, qos?: 0 | 1): void;
  /** Sends the response to a message of the client, which it may expect without a subscription. */
  reply(topic: string, payload: Buffer, qos?: 0 | 1): void;
  /** Closes the connection; an MQTT 5 client gets the reason code. */
  close(code: number): void;
}

/** The application that handles the messages. `S` is the type of its session for an authenticated client. */
export interface MqttApplication<S> {
  /**
   * Returns the session; null for wrong credentials. If it rejects, the connection is closed without a
   * response.
   */
  authenticate(
    client: MqttClient,
    username: string | undefined,
    password: Buffer | undefined,
  ): Promise<{ session: S; name: string } | null>;
  /**
   * Handles a message. Resolves when it may be acknowledged; with null if all of it was accepted. If it
   * rejects, the connection is closed without an acknowledgement, so that the client sends the message
   * again.
   */
  publish(client: MqttClient, session: S, topic: string, payload: Buffer): Promise<MqttOutcome | null>;
  /**
   * Returns whether the client may subscribe; if so, it is subscribed when this returns. `qos-1` for a topic whose messages
   * are sent with QoS 1.
   */
  maySubscribe(client: MqttClient, session: S, filter: string): boolean | 'qos-1';
  unsubscribed(session: S, filter: string): void;
  ended(session: S): void;
}

export interface ConnectionParts<S> {
  socket: net.Socket;
  application: MqttApplication<S>;
  maxPacketBytes: number;
  /** Called when the client is authenticated. */
  opened(): void;
  /**
   * Registers the connection under a name that is unique per application: an older connection with the same
   * name is closed.
   */
  takeOver(name: string, connection: MqttConnection): void;
  closed(connection: MqttConnection): void;
  onFault(error: Error): void;
}

export interface MqttConnection extends MqttClient {
  readonly name: string | null;
  /**
   * Returns true if the client has been silent for too long, or has not authenticated in time. Times are
   * monotonic milliseconds.
   */
  isOverdue(now: number, handshakeMs: number): boolean;
}

/**
 * Serves one connection of MQTT 3.1.1 or 5. Messages are acknowledged in order, after the application has
 * accepted them. No session outlives its connection, and QoS 2 needs no stored state: a repeated message
 * contains the same readings, which are stored once.
 */
export function serveMqtt<S>(parts: ConnectionParts<S>): MqttConnection {
  const { socket, application, maxPacketBytes } = parts;
  const frames = createMqttFrames();
  /** Granted QoS by topic filter. */
  const subscriptions = new Map<string, 0 | 1>();
  let state: 'new' | 'connecting' | 'open' | 'closed' = 'new';
  let session: S | undefined;
  let name: string | null = null;
  let version = 4;
  let heardAt = performance.now();
  let silenceMs = 0;
  let acknowledgements: MqttAcknowledgements | null = null;
  let unfinished = 0;
  /** Packet identifier of the last message with QoS 1. */
  let lastMessageId = 0;

  const connection: MqttConnection = {
    get address() {
      return socket.remoteAddress ?? '';
    },
    get version() {
      return version;
    },
    get name() {
      return name;
    },
    send(topic, payload, qos = 0) {
      for (const [filter, granted] of subscriptions)
        if (matchesFilter(filter, topic)) return connection.reply(topic, payload, qos === 1 ? granted : 0);
    },
    reply(topic, payload, qos = 0) {
      const message = { cmd: 'publish', topic, payload, qos, retain: false, dup: false } as const;
      if (qos === 0) return write(message);
      lastMessageId = (lastMessageId % MAX_MESSAGE_ID) + 1;
      write({ ...message, messageId: lastMessageId });
    },
    close(code) {
      if (state === 'closed') return;
      if (version === MQTT_5 && state === 'open') write({ cmd: 'disconnect', reasonCode: code });
      end();
    },
    isOverdue(now, handshakeMs) {
      if (state === 'new' || state === 'connecting') return now - heardAt > handshakeMs;
      return silenceMs > 0 && now - heardAt > silenceMs;
    },
  };

  function write(packet: Packet): void {
    writeBytes(mqttPacket.generate(packet, { protocolVersion: version }));
  }

  function writeBytes(bytes: Buffer): void {
    if (state === 'closed') return;
    if (socket.writableLength > MAX_UNREAD_BYTES) socket.destroy();
    else socket.write(bytes);
  }

  /** Sends pending data, then closes the connection. */
  function end(): void {
    if (state === 'closed') return;
    state = 'closed';
    socket.destroySoon();
  }

  function fail(error: unknown): void {
    parts.onFault(error as Error);
    if (error instanceof MqttFault) connection.close(error.code);
    else end();
  }

  function read(): void {
    try {
      while ((state === 'new' || state === 'open') && unfinished < RECEIVE_MAXIMUM) {
        const frame = frames.next(state === 'open' ? maxPacketBytes : MAX_CONNECT_BYTES);
        if (!frame) return;
        take(frame);
      }
    } catch (error) {
      fail(error);
    }
  }

  function take(frame: MqttFrame): void {
    const type = (frame.bytes[0] as number) >> 4;
    if (state === 'new') {
      if (type !== CONNECT) throw new MqttFault('not a CONNECT', PROTOCOL_ERROR);
      connect(frame);
    } else if (type === PUBLISH) publish(frame);
    else if (type === PINGREQ) writeBytes(PINGRESP);
    else if (type === PUBREL) write({ cmd: 'pubcomp', messageId: frame.bytes.readUInt16BE(frame.bodyAt) });
    else if (type === SUBSCRIBE || type === UNSUBSCRIBE) subscribe(readControl(frame, version));
    else if (type === DISCONNECT) end();
    else if (!IGNORED.has(type)) throw new MqttFault(`packet of type ${type}`, PROTOCOL_ERROR);
  }

  function connect(frame: MqttFrame): void {
    let packet: IConnectPacket;
    try {
      packet = readControl(frame, version) as IConnectPacket;
    } catch (error) {
      // An invalid protocol version is the only error for which MQTT 3.1.1 requires a response before closing
      // (3.1.2.2).
      if ((error as Error).message === 'Invalid protocol version')
        writeBytes(Buffer.from([0x20, 2, 0, UNACCEPTABLE_VERSION]));
      throw error;
    }
    version = packet.protocolVersion ?? version;
    silenceMs = (packet.keepalive ?? 0) * 1500;
    state = 'connecting';
    socket.pause();
    if (packet.properties?.authenticationMethod !== undefined) {
      write({ cmd: 'connack', reasonCode: REASON.badAuthenticationMethod, sessionPresent: false });
      end();
      return;
    }
    // Client libraries treat any refusal as final, even "server unavailable", so after a failure the
    // connection is closed without a response.
    application.authenticate(connection, packet.username, packet.password).then(
      (known) => (known ? open(known, packet) : refuse()),
      (error: unknown) => fail(error),
    );
  }

  function refuse(): void {
    const code = version === MQTT_5 ? BAD_CREDENTIALS_5 : BAD_CREDENTIALS_3;
    write({ cmd: 'connack', returnCode: code, reasonCode: code, sessionPresent: false });
    end();
  }

  function open(known: { session: S; name: string }, { clientId, properties }: IConnectPacket): void {
    if (state === 'closed') {
      application.ended(known.session);
      return;
    }
    session = known.session;
    name = `${known.name}/${clientId}`;
    state = 'open';
    parts.opened();
    acknowledgements = createMqttAcknowledgements({
      version,
      tellsReasons: properties?.requestProblemInformation !== false,
      write: writeBytes,
    });
    // A connection without a client id does not replace another connection.
    if (clientId !== '') parts.takeOver(name, connection);
    write({
      cmd: 'connack',
      returnCode: 0,
      reasonCode: 0,
      sessionPresent: false,
      properties: {
        sessionExpiryInterval: 0,
        receiveMaximum: RECEIVE_MAXIMUM,
        retainAvailable: true,
        maximumPacketSize: maxPacketBytes,
        sharedSubscriptionAvailable: false,
        subscriptionIdentifiersAvailable: false,
        ...(clientId === '' ? { assignedClientIdentifier: randomUUID() } : {}),
      },
    });
    socket.resume();
    read();
  }

  function publish(frame: MqttFrame): void {
    const { topic, messageId, qos, payload } = readPublish(frame, version);
    const queue = acknowledgements as MqttAcknowledgements;
    const entry = qos === 0 ? null : queue.expect(messageId, qos);
    if (++unfinished === RECEIVE_MAXIMUM) socket.pause();
    application.publish(connection, session as S, topic, payload).then((outcome) => {
      if (entry) queue.settle(entry, outcome);
      unfinished--;
      if (unfinished === READ_ON_BELOW && socket.isPaused()) {
        socket.resume();
        read();
      }
    }, fail);
  }

  function subscribe(packet: Packet): void {
    if (packet.cmd === 'unsubscribe') {
      const granted = packet.unsubscriptions.map((filter) => {
        if (!subscriptions.delete(filter)) return NO_SUBSCRIPTION_EXISTED;
        application.unsubscribed(session as S, filter);
        return 0;
      });
      write({ cmd: 'unsuback', messageId: packet.messageId as number, granted });
      return;
    }
    const { messageId, subscriptions: wanted } = packet as ISubscribePacket;
    const granted = wanted.map(({ topic, qos }) => {
      const isFull = subscriptions.size >= MAX_SUBSCRIPTIONS && !subscriptions.has(topic);
      const grant = !isFull && application.maySubscribe(connection, session as S, topic);
      if (grant === false) return refusedSubscription();
      // Most messages to clients have QoS 0.
      const given = grant === 'qos-1' && qos > 0 ? 1 : 0;
      subscriptions.set(topic, given);
      return given;
    });
    write({ cmd: 'suback', messageId: messageId as number, granted });
  }

  const refusedSubscription = () => (version === MQTT_5 ? REASON.notAuthorized : REFUSED_SUBSCRIPTION);

  socket.on('data', (chunk: Buffer) => {
    // Only packets of an authenticated client extend its time; an unauthenticated client must not gain time
    // by sending.
    if (state === 'open') heardAt = performance.now();
    frames.push(chunk);
    read();
  });
  socket.on('close', () => {
    state = 'closed';
    parts.closed(connection);
    if (session !== undefined) application.ended(session);
  });
  socket.on('error', () => socket.destroy());
  return connection;
}

/** Parses one of the less frequent packet types. */
function readControl({ bytes }: MqttFrame, protocolVersion: number): Packet {
  let found: Packet | null = null;
  let fault: Error | null = null;
  const parser = mqttPacket.parser({ protocolVersion });
  parser.on('packet', (packet) => {
    found = packet;
  });
  parser.on('error', (error: Error) => {
    fault = error;
  });
  parser.parse(bytes);
  if (!found) throw new MqttFault((fault as Error | null)?.message ?? 'incomplete packet', MALFORMED_PACKET);
  return found;
}
