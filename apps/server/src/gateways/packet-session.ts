import { randomBytes } from 'node:crypto';
import type net from 'node:net';
import { isGiven } from '@isotherm/contracts/commands';
import { AppError } from '@isotherm/contracts/errors';
import type { IngestResult, ReadingFault } from '@isotherm/contracts/ingest';
import {
  createPacketKeys,
  type GcmCipher,
  type Greeting,
  isSameProof,
} from '@isotherm/contracts/packet-cipher';
import { MAX_LENGTH, openPacket, writePacket } from '@isotherm/protocol/gateway-packet/packet';
import { readBody } from '@isotherm/protocol/gateway-packet/packet-body';
import { createPacketReader, type Found } from '@isotherm/protocol/gateway-packet/packet-reader';
import {
  ACK_FAULTS,
  type AckCode,
  type AckFault,
  type Encryption,
  type PacketType,
} from '@isotherm/protocol/gateway-packet/packet-words';
import { createReassembly, type WholeMessage } from '@isotherm/protocol/gateway-packet/reassembly';
import {
  type Ack,
  type Hello,
  MAX_LISTED_FAULTS,
  NONCE_BYTES,
  writeAck,
  writeChallenge,
  writeCommand,
  writeTime,
  writeWelcome,
} from '@isotherm/protocol/gateway-packet/session-bodies';
import type { Contacts, Downlink, KnownDevice, PacketCounters } from '../features/devices/index.ts';
import type { Ingest } from '../features/telemetry/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Metrics } from '../platform/metrics.ts';
import { packetCommandOf } from './command-packets.ts';
import { admitPacket, keysOf, type PacketSource, packetCode, storeMessage } from './packet-intake.ts';
import type { KeyWatch } from './withdrawn-keys.ts';

/** Time limit from the challenge to a valid hello (the first message of a gateway). */
const GREET_WITHIN_MS = 10_000;
/** Maximum idle time; an idle gateway is expected to request the time now and then. */
const IDLE_MS = 30 * 60_000;
/** Time limit for the rest of a packet, and for the remaining parts of a message. */
const PACKET_WITHIN_MS = 10_000;
const MESSAGE_WITHIN_MS = 60_000;
/** Maximum length before the handshake, when a packet contains a hello only. */
const MAX_GREETING_LENGTH = 64;
/** Number of messages that may wait for their commit before reading pauses. */
const IN_FLIGHT = 32;
const MAX_SPLIT_MESSAGES = 4;
const MAX_SPLIT_BYTES = 512 * 1024;
/** Number of consecutive bytes outside packets after which the connection is closed. */
const MAX_GARBAGE_BYTES = 256 * 1024;
/**
 * Time limit of the shutdown while the database is unreachable; messages without a response are sent again.
 */
const DRAIN_WITHIN_MS = 2_000;
/** Number of bytes of unread acknowledgements after which the connection is closed. */
const MAX_UNREAD_BYTES = 256 * 1024;

const NOBODY = createPacketKeys(randomBytes(32));

export interface PacketSession {
  /** Closes the connection if a timeout has expired. */
  sweep(now: number): void;
  /** Waits until messages in progress have got their responses, then closes the connection. */
  drain(): Promise<void>;
}

export interface SessionParts {
  ingest: Ingest;
  counters: PacketCounters;
  downlink: Downlink;
  contacts: Pick<Contacts, 'connected' | 'refused'>;
  keys: KeyWatch;
  metrics: Metrics;
  clock: Clock;
  /** Called when a hello contains wrong credentials. */
  onRefused(): void;
  /** Called when the gateway is authenticated. */
  onKnown(): void;
}

/** The authenticated device, with the keys of this connection. */
interface Peer {
  device: KnownDevice;
  encryption: Encryption;
  seal: { encryption: Exclude<Encryption, 'none'>; cipher: GcmCipher } | null;
}

/** Handles one connection: challenge, hello, welcome; then messages and acknowledgements. */
export function createPacketSession(
  socket: net.Socket,
  address: string,
  { ingest, counters, downlink, contacts, keys: keyWatch, metrics, clock, onRefused, onKnown }: SessionParts,
): PacketSession {
  const reader = createPacketReader(MAX_GREETING_LENGTH);
  const challenge = randomBytes(NONCE_BYTES);
  const source: PacketSource = {
    gateway: 'tcp' as const,
    address,
    keys: null,
    window: null,
    reassembly: createReassembly(MAX_SPLIT_MESSAGES, MAX_SPLIT_BYTES, MESSAGE_WITHIN_MS),
  };
  const begunAt = clock.now();
  let heardAt = begunAt;
  let peer: Peer | null = null;
  let sent = 0;
  let garbage = 0;
  const queue: Found[] = [];
  let pumping = false;
  let inFlight = 0;
  let wake: (() => void) | null = null;
  let stopping = false;
  let hangUp = () => {};

  function send(type: PacketType, content: Uint8Array, ackId: number): void {
    if (socket.destroyed) return;
    const seal = peer?.seal && type !== 'welcome' ? { ...peer.seal, counter: ++sent } : null;
    const gatewayId = peer ? Number(peer.device.number) : 0;
    // Responses of one turn of the event loop are written together, because one commit settles many
    // messages.
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    socket.write(
      writePacket({
        type,
        fromServer: true,
        gatewayId,
        messageId: 0,
        ackId,
        content,
        ...(seal && { seal }),
      }),
    );
    if (socket.writableLength > MAX_UNREAD_BYTES) socket.destroy();
  }

  function acknowledge(
    ackId: number,
    code: AckCode,
    more: Omit<Ack, 'code'> = { refused: 0, faults: [] },
  ): void {
    if (ackId !== 0) send('ack', writeAck({ code, ...more }), ackId);
  }

  /** Sends the reason and closes the connection, even if the peer keeps sending. */
  function deny(ackId: number): void {
    acknowledge(ackId, 'denied');
    stopping = true;
    queue.length = 0;
    socket.destroySoon();
  }

  async function greet(bytes: Uint8Array): Promise<void> {
    const opened = openPacket(bytes, () => null);
    if (!opened.ok) return refuseGreeting(0);
    const { header, type, content } = opened.value;
    const read = readBody(type, content);
    if (!read.ok || read.value.type !== 'hello') return refuseGreeting(header.messageId);
    const hello: Hello = read.value.body;
    const device = await ingest.find(String(header.gatewayId).padStart(8, '0'));
    // For an unknown number, the check takes as long as for a wrong key, so that numbers cannot be probed.
    const keys = (device && keysOf(device)) ?? NOBODY;
    const greeting: Greeting = {
      gatewayId: header.gatewayId,
      encryption: hello.encryption,
      server: challenge,
      gateway: hello.nonce,
    };
    if (!isSameProof(keys.helloProof(greeting), hello.proof) || !device) {
      if (device) contacts.refused(device.id, source);
      return refuseGreeting(header.messageId);
    }
    contacts.connected(device.id, source);
    source.keys = keys;
    source.window = hello.encryption === 'none' ? null : await counters.window(device);
    // The connection may have been closed while this function waited for the database. What is opened after
    // this check would never be released.
    if (socket.destroyed) return;
    const time = clock.now();
    peer = {
      device,
      encryption: hello.encryption,
      seal:
        hello.encryption === 'none'
          ? null
          : { encryption: hello.encryption, cipher: keys.downlink(hello.encryption, greeting) },
    };
    onKnown();
    reader.allow(MAX_LENGTH);
    send('welcome', writeWelcome({ proof: keys.welcomeProof(greeting, time), time }), header.messageId);
    const hangUpDownlink = downlink.open(
      device,
      ({ id, order }) => {
        if (isGiven(order)) send('command', writeCommand(packetCommandOf(id, order)), 0);
      },
      isGiven,
    );
    const unwatch = keyWatch.watch(device, () => deny(0));
    hangUp = () => {
      hangUpDownlink();
      unwatch();
    };
  }

  function refuseGreeting(messageId: number): void {
    onRefused();
    deny(messageId);
  }

  async function receive(bytes: Uint8Array, known: Peer): Promise<void> {
    const refreshed = ingest.refresh(known.device);
    const device = refreshed instanceof Promise ? await refreshed : refreshed;
    const arrival = device && admitPacket(source, device, bytes, known.encryption, clock.now());
    // The device was deleted, or its key was changed, after the handshake.
    if (!arrival) return deny(bytes[9]! * 256 + bytes[10]!);
    known.device = device;
    switch (arrival.kind) {
      case 'part':
        return;
      case 'repeated':
        return acknowledge(arrival.messageId, 'stored');
      case 'replayed':
        metrics.replayedPackets.inc({ gateway: 'tcp' });
        return acknowledge(arrival.messageId, 'replayed');
      case 'refused':
        keep(device, packetCode(arrival.code), bytes);
        return acknowledge(arrival.messageId, 'refused');
      default:
        return take(device, arrival.message, bytes);
    }
  }

  function keep(device: KnownDevice, code: string, bytes: Uint8Array): void {
    const payload = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    ingest.refuse({ gateway: 'tcp', format: 'packet', address, device, payload }, code);
  }

  async function take(device: KnownDevice, message: WholeMessage, bytes: Uint8Array): Promise<void> {
    if (message.type === 'time-request') {
      const read = readBody(message.type, message.content);
      if (read.ok && read.value.type === 'time-request') {
        const { sentAt } = read.value.body;
        return send('time', writeTime({ sentAt, time: clock.now() }), message.messageId);
      }
    }
    if (message.type === 'command-result') return answer(device, message, bytes);
    while (inFlight >= IN_FLIGHT) await new Promise<void>((resume) => (wake = resume));
    inFlight++;
    void store(device, message, bytes).finally(() => {
      inFlight--;
      wake?.();
      wake = null;
    });
  }

  /** Stores the result of a command, then acknowledges it, so that the device may discard it. */
  async function answer(device: KnownDevice, message: WholeMessage, bytes: Uint8Array): Promise<void> {
    const read = readBody(message.type, message.content);
    if (!read.ok || read.value.type !== 'command-result') {
      keep(device, packetCode(read.ok ? 'unexpected' : read.fault), bytes);
      return acknowledge(message.messageId, 'refused');
    }
    await downlink.answered(device.id, read.value.body);
    for (const counter of message.counters) source.window?.mark(counter);
    acknowledge(message.messageId, 'stored');
  }

  async function store(device: KnownDevice, message: WholeMessage, bytes: Uint8Array): Promise<void> {
    for (;;) {
      try {
        const result = await storeMessage(ingest, source, device, message, bytes);
        return acknowledge(message.messageId, ...ackOf(result));
      } catch (error) {
        const code = error instanceof AppError ? error.code : null;
        // Reading is paused until the queue has room, because the number of waiting messages is limited. This
        // slows the sender down.
        if (code === 'ingest.busy' && !socket.destroyed) {
          await ingest.room();
          continue;
        }
        if (code === 'ingest.unavailable' || code === 'ingest.busy' || code === null)
          return acknowledge(message.messageId, 'later');
        return acknowledge(message.messageId, 'refused');
      }
    }
  }

  async function handle(found: Found): Promise<void> {
    if (found.kind === 'thrown-away') {
      metrics.packetBytesThrownAway.inc({ gateway: 'tcp' }, found.bytes.length);
      garbage += found.bytes.length;
      if (peer) keep(peer.device, packetCode('no-sync'), found.bytes);
      if (garbage > (peer ? MAX_GARBAGE_BYTES : MAX_GREETING_LENGTH)) {
        if (!peer) onRefused();
        socket.destroy();
      }
      return;
    }
    garbage = 0;
    return peer ? receive(found.bytes, peer) : greet(found.bytes);
  }

  /**
   * Packets are processed in sequence, and nothing is read meanwhile, because a packet may have to wait for
   * room in the queue.
   */
  async function pump(): Promise<void> {
    if (pumping) return;
    pumping = true;
    socket.pause();
    try {
      for (let next = queue.shift(); next && !socket.destroyed; next = queue.shift()) await handle(next);
    } catch {
      // The registry is unavailable, so the packet is not acknowledged and will be sent again.
      socket.destroy();
    }
    pumping = false;
    heardAt = clock.now();
    if (!socket.destroyed && !stopping) socket.resume();
  }

  socket.on('data', (chunk: Buffer) => {
    if (stopping) return;
    heardAt = clock.now();
    queue.push(...reader.accept(chunk));
    if (queue.length > 0) void pump();
  });
  socket.on('close', () => hangUp());
  send('challenge', writeChallenge({ nonce: challenge }), 0);

  return {
    sweep(now) {
      if (peer === null && now - begunAt > GREET_WITHIN_MS) {
        onRefused();
        socket.destroy();
        return;
      }
      if (now - heardAt > IDLE_MS && inFlight === 0) socket.destroy();
      source.reassembly.expire(now);
      // While reading is paused, the rest of the packet may already have arrived, so the timeout does not
      // apply.
      if (reader.waiting > 0 && !pumping && now - heardAt > PACKET_WITHIN_MS) {
        queue.push(...reader.giveUp());
        void pump();
      }
    },
    async drain() {
      stopping = true;
      socket.pause();
      const deadline = performance.now() + DRAIN_WITHIN_MS;
      while ((inFlight > 0 || pumping) && performance.now() < deadline)
        await new Promise((next) => setTimeout(next, 5));
      socket.end();
      // Closes the connection after the written data was sent, without waiting for a peer that keeps the
      // connection open.
      socket.destroySoon();
    },
  };
}

/** Returns the protocol code of a fault; the codec excludes faults that have no code. */
function ackFaultOf(fault: ReadingFault): AckFault {
  // The protocol has no separate code for a clock that was reset.
  if (fault === 'clock-reset') return 'before-2000';
  return fault in ACK_FAULTS ? (fault as AckFault) : 'outside-physical-range';
}

/** Returns the acknowledgement of a stored message. */
function ackOf({ rejected, rejectedPositions }: IngestResult): [AckCode, Omit<Ack, 'code'>] {
  const faults: Ack['faults'] = rejected.slice(0, MAX_LISTED_FAULTS).map(({ index, fault }) => ({
    index,
    fault: ackFaultOf(fault),
  }));
  const refused = rejected.length + rejectedPositions;
  return [refused === 0 ? 'stored' : 'stored-in-part', { refused, faults }];
}
