import net from 'node:net';
import { createDice, type Dice, mutated } from './dice.ts';

/** Time to wait between the last sent byte and the end of the connection. */
const LINGER_MS = 30;
const AT_ONCE = 8;
const PER_CONNECTION = 20;

/** A protocol: the start of a connection, and valid messages. */
export interface FuzzTarget {
  name: string;
  port: number;
  /**
   * Bytes that are sent unchanged when a connection starts, and the part of the response that shows that
   * they were accepted.
   */
  opening?: (dice: Dice) => { bytes: Buffer; until?: Buffer };
  /** Valid messages, which are changed at random before they are sent. */
  valid: readonly Buffer[];
}

/** Connects from the given loopback address. */
export function connectFrom(address: string, port: number): Promise<net.Socket | null> {
  return new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port, localAddress: address, noDelay: true });
    // It is expected that the server ends connections while messages are sent.
    socket.on('error', () => resolve(null));
    socket.once('connect', () => resolve(socket));
  });
}

/** Returns one of 60,000 loopback addresses, none of them 127.0.0.1. */
export function loopbackAddress(dice: Dice): string {
  return `127.0.${1 + dice.number(240)}.${2 + dice.number(250)}`;
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Resolves when `wanted` was received, or after a timeout. */
function received(socket: net.Socket, wanted: Buffer): Promise<void> {
  return new Promise((resolve) => {
    let seen = Buffer.alloc(0);
    const timer = setTimeout(resolve, 1_000);
    const done = () => {
      clearTimeout(timer);
      socket.off('data', look);
      resolve();
    };
    const look = (chunk: Buffer) => {
      seen = Buffer.concat([seen, chunk]);
      if (seen.includes(wanted)) done();
    };
    socket.on('data', look).once('close', done);
  });
}

/**
 * Sends this many randomly changed messages, reproducible by seed, over connections from many loopback
 * addresses. Returns the number of sent messages.
 */
export async function fuzz(
  target: FuzzTarget,
  seed: number,
  packets: number,
  atOnce = AT_ONCE,
): Promise<number> {
  const dice = createDice(seed);
  let left = packets;
  let written = 0;

  async function connection(): Promise<void> {
    const count = Math.min(left, 1 + dice.number(PER_CONNECTION));
    left -= count;
    const messages = Array.from({ length: count }, () => mutated(dice, dice.pick(target.valid)));
    const opening = target.opening?.(dice);
    const socket = await connectFrom(loopbackAddress(dice), target.port);
    if (!socket) return;
    socket.resume();
    if (opening) {
      const ready = opening.until && received(socket, opening.until);
      socket.write(opening.bytes);
      await ready;
    }
    for (const message of messages) {
      if (socket.destroyed) break;
      socket.write(message);
      written++;
      // The message is sent in several pieces or in one.
      if (dice.number(4) === 0) await wait(0);
    }
    await wait(LINGER_MS);
    socket.destroy();
  }
  const sender = async () => {
    while (left > 0) await connection();
  };
  await Promise.all(Array.from({ length: atOnce }, sender));
  return written;
}

const text = (value: string) => {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]);
};

function mqttPacket(head: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length: number[] = [];
  for (let rest = body.length; ; rest >>= 7) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) break;
  }
  return Buffer.concat([Buffer.from([head, ...length]), body]);
}

/**
 * Fuzz target for MQTT 3.1.1 and 5. With `device`, the connections are authenticated as this device;
 * otherwise they are unauthenticated.
 */
export function mqttTarget(port: number, device?: { number: string; key: string }): FuzzTarget {
  const { number = '10000001', key = 'k'.repeat(40) } = device ?? {};
  const connect = (level: 4 | 5) =>
    mqttPacket(
      0x10,
      text('MQTT'),
      Buffer.from([level, 0xc2, 0, 60, ...(level === 5 ? [0] : [])]),
      text(`fuzz-${level}`),
      text(number),
      text(key),
    );
  const topic = `isotherm/v1/${number}/readings`;
  const payload = JSON.stringify({
    readings: [{ channel: 'temperature-1', at: 1_700_000_000_000, value: 5 }],
  });
  const rest = [
    mqttPacket(0x32, text(topic), Buffer.from([0, 7]), Buffer.from(payload)),
    mqttPacket(0x34, text(topic), Buffer.from([0, 8]), Buffer.from(payload)),
    mqttPacket(0x30, text('v1/devices/me/telemetry'), Buffer.from('{"temperature":5}')),
    mqttPacket(0x62, Buffer.from([0, 8])),
    mqttPacket(0x82, Buffer.from([0, 9]), text(`isotherm/v1/${number}/commands`), Buffer.from([1])),
    mqttPacket(0xa2, Buffer.from([0, 10]), text(`isotherm/v1/${number}/commands`)),
    Buffer.from([0xc0, 0]),
    Buffer.from([0xe0, 0]),
  ];
  return device
    ? {
        name: 'MQTT of a device',
        port,
        opening: () => ({ bytes: connect(4), until: Buffer.from([0x20, 2, 0, 0]) }),
        valid: rest,
      }
    : { name: 'MQTT of strangers', port, valid: [connect(4), connect(5), ...rest] };
}

/** Fuzz target for gateway packets, made from the test vectors including handshakes. */
export const packetTarget = (port: number, valid: readonly Buffer[]): FuzzTarget => ({
  name: 'gateway packets',
  port,
  valid,
});

/** Fuzz target for HTTP 1.1: API requests, forms and upgrades. */
export function httpTarget(port: number, salt = 'x'): FuzzTarget {
  const call = (line: string, headers: Record<string, string>, body = '') =>
    Buffer.from(
      `${line} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}${body ? `content-length: ${Buffer.byteLength(body)}\r\n` : ''}\r\n${body}`,
    );
  const signed = { 'x-timestamp': String(Date.now()), 'x-signature': salt.repeat(64), 'x-language': 'en' };
  const form =
    '--b\r\ncontent-disposition: form-data; name="username"\r\n\r\nanna\r\n--b\r\ncontent-disposition: form-data; name="file"; filename="a.xlsx"\r\ncontent-type: application/octet-stream\r\n\r\nPK\r\n--b--\r\n';
  return {
    name: 'HTTP',
    port,
    valid: [
      call('GET /api/site', {}),
      call('GET /api/auth/info?x=1', {
        ...signed,
        'x-username': 'demo.manager',
        'x-session': 'f'.repeat(64),
      }),
      call(
        'POST /api/authorization/redeem',
        { ...signed, 'content-type': 'application/json' },
        '{"code":"ABCD-EFGH-JKMN"}',
      ),
      call('POST /api/auth/login', { ...signed, 'content-type': 'multipart/form-data; boundary=b' }, form),
      call(
        'POST /ingest/v1/readings',
        { authorization: 'Basic MTAwMDAwMDE6a2V5', 'content-type': 'application/json' },
        '{"readings":[]}',
      ),
      call('POST /api/v1/10000001.key/telemetry', {}, '{"temperature":5}'),
      call('GET /ws?username=demo.manager&ticket=abc', {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      }),
      call('POST /api/user', { 'transfer-encoding': 'chunked' }),
      Buffer.from('5\r\nhello\r\n0\r\n\r\n'),
    ],
  };
}

/**
 * Fuzz target for the frames of an open WebSocket: text, binary, pings, fragments. They are masked as
 * required for clients.
 */
export function socketTarget(port: number, ticket: () => string | null): FuzzTarget {
  const frame = (head: number, body: string) => {
    const mask = Buffer.from([1, 2, 3, 4]);
    const bytes = Buffer.from(body).map((byte, i) => byte ^ (mask[i % 4] as number));
    return Buffer.concat([Buffer.from([head, 0x80 | bytes.length]), mask, bytes]);
  };
  return {
    name: 'WebSocket',
    port,
    opening: () => {
      const path = ticket();
      return {
        bytes: Buffer.from(
          `GET ${path ?? '/ws'} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
        ),
        ...(path === null ? {} : { until: Buffer.from('pulse') }),
      };
    },
    valid: [
      frame(0x81, '{"type":"watch","assetIds":[1,2,3]}'),
      frame(0x81, '{"type":"language","language":"en"}'),
      frame(0x82, 'binary'),
      frame(0x89, 'ping'),
      frame(0x01, '{"type":"wat'),
      frame(0x80, 'ch","assetIds":[1]}'),
      frame(0x88, '\u0003\u00e8'),
    ],
  };
}
