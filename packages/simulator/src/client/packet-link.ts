import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import {
  createPacketKeys,
  type Greeting,
  isSameProof,
  packetSecret,
} from '@isotherm/contracts/packet-cipher';
import { type CipherFor, openPacket, writeMessage } from '@isotherm/protocol/gateway-packet/packet';
import { type Body, readBody } from '@isotherm/protocol/gateway-packet/packet-body';
import { createPacketReader } from '@isotherm/protocol/gateway-packet/packet-reader';
import type { Encryption, PacketType } from '@isotherm/protocol/gateway-packet/packet-words';
import {
  type Ack,
  type Challenge,
  type Command,
  NONCE_BYTES,
  type Welcome,
  writeHello,
} from '@isotherm/protocol/gateway-packet/session-bodies';

const MESSAGE_IDS = 65_535;

/** The server's response to a message: an acknowledgement, or the time. */
export type Answer = Extract<Body, { type: 'ack' | 'time' }>;

/** A gateway's connection after mutual authentication. */
export interface PacketLink {
  /** Sends a message. Resolves with the response to it; rejects if the connection ends before. */
  send(type: PacketType, content: Uint8Array): Promise<Answer>;
  /** Returns the packets of a message without sending them, for tests that modify them. */
  pack(
    type: PacketType,
    content: Uint8Array,
    partBytes?: number,
  ): { packets: Uint8Array[]; messageId: number };
  /** Resolves with the response to a message that was sent by `socket.write`. */
  answerTo(messageId: number): Promise<Answer>;
  readonly socket: Socket;
  /** The server's time in the welcome message. */
  readonly serverTime: number;
  close(): void;
}

export interface PacketLinkOptions {
  host: string;
  port: number;
  number: string;
  key: string;
  encryption: Encryption;
  /**
   * Counter of the first encrypted packet. The device must not have used it before. A device with a clock
   * starts at the milliseconds since 1970 times 1,024.
   */
  counter: number;
  /** Called for each command from the server. */
  onCommand?(command: Command): void;
}

/** Connects and authenticates. Rejects if one of the two sides does not have the key. */
export async function openPacketLink(options: PacketLinkOptions): Promise<PacketLink> {
  const { encryption } = options;
  const keys = createPacketKeys(packetSecret(options.key));
  const gatewayId = Number(options.number);
  const nonce = randomBytes(NONCE_BYTES);
  const socket = connect(options.port, options.host);
  socket.setNoDelay(true);
  const reader = createPacketReader();
  const waiting = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>();
  let counter = options.counter;
  let messageId = 0;
  let cipherFor: CipherFor = () => null;
  let greeting: Greeting | null = null;
  let welcomed: { resolve(): void; reject(error: Error): void } | null = null;
  /** Time of the server; 0 until the server is authenticated. */
  let serverTime = 0;

  const pack: PacketLink['pack'] = (type, content, partBytes) => {
    messageId = messageId === MESSAGE_IDS ? 1 : messageId + 1;
    const message = { type, gatewayId, messageId, content };
    const sealer = () =>
      encryption === 'none' || type === 'hello'
        ? undefined
        : { encryption, cipher: keys.uplink(encryption), counter: counter++ };
    return { packets: writeMessage(message, sealer, partBytes), messageId };
  };

  function greet({ nonce: server }: Challenge): void {
    greeting = { gatewayId, encryption, server, gateway: nonce };
    const proof = keys.helloProof(greeting);
    const { packets } = pack('hello', writeHello({ encryption, nonce, proof, clock: Date.now() }));
    for (const packet of packets) socket.write(packet);
  }

  function welcome(body: Welcome, said: Greeting): void {
    if (!isSameProof(keys.welcomeProof(said, body.time), body.proof))
      throw new Error('the server does not know the key');
    if (encryption !== 'none') {
      const cipher = keys.downlink(encryption, said);
      cipherFor = () => cipher;
    }
    serverTime = body.time;
    welcomed?.resolve();
  }

  function receive(bytes: Uint8Array): void {
    const opened = openPacket(bytes, cipherFor);
    if (!opened.ok) throw new Error(`a packet of the server: ${opened.fault}`);
    const { header, type, content } = opened.value;
    const read = readBody(type, content);
    if (!read.ok) throw new Error(`a packet of the server: ${read.fault}`);
    const said = read.value;
    // Before the welcome message, an attacker on the network can make the client disconnect; after it, this
    // is impossible.
    if (serverTime === 0) {
      if (said.type === 'challenge') greet(said.body);
      else if (said.type === 'welcome' && greeting) welcome(said.body, greeting);
      else throw new Error(said.type === 'ack' ? `refused: ${said.body.code}` : said.type);
      return;
    }
    if (header.encryption !== encryption) throw new Error('the server answers in the clear');
    if (said.type === 'command') options.onCommand?.(said.body);
    if (said.type !== 'ack' && said.type !== 'time') return;
    waiting.get(header.ackId)?.resolve(said);
    waiting.delete(header.ackId);
  }

  function fail(error: Error): void {
    welcomed?.reject(error);
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    socket.destroy();
  }

  socket.on('data', (chunk) => {
    try {
      for (const { kind, bytes } of reader.accept(chunk)) if (kind === 'packet') receive(bytes);
    } catch (error) {
      fail(error as Error);
    }
  });
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the connection ended')));
  await new Promise<void>((resolve, reject) => {
    welcomed = { resolve, reject };
  });

  const answerTo = (id: number) =>
    new Promise<Answer>((resolve, reject) => {
      if (socket.destroyed) reject(new Error('the connection ended'));
      else waiting.set(id, { resolve, reject });
    });
  return {
    socket,
    serverTime,
    pack,
    answerTo,
    send(type, content) {
      const message = pack(type, content);
      const answer = answerTo(message.messageId);
      for (const packet of message.packets) socket.write(packet);
      return answer;
    },
    close: () => socket.destroy(),
  };
}

/** Returns whether a message need not be sent again after this acknowledgement. */
export const isDone = ({ code }: Ack): boolean =>
  code === 'stored' || code === 'stored-in-part' || code === 'refused';
