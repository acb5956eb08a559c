import { connect, type Socket } from 'node:net';
import { INGEST_PATH } from '@isotherm/contracts/ingest';
import type { BenchDevice } from './bench-fleet.ts';

const MOMENTS = 10;
const MOMENT_MS = 20;
const PLACEHOLDER = '1700000000000';
const RETRY_MS = 200;

export interface HttpLoad {
  readonly acknowledgedReadings: number;
  /** Waits for pending responses, then closes. */
  finish(): Promise<void>;
}

/** The messages of one device, one after the other. */
export interface Requests {
  /** Number of readings or positions in each message. */
  readings: number;
  /** Returns the next message with its head. */
  advance(): Buffer;
}

/** Head of a message with a body of this length in bytes. */
export const headOf = ({ number, key }: BenchDevice, length: number): string =>
  [
    `POST ${INGEST_PATH} HTTP/1.1`,
    'host: 127.0.0.1',
    `authorization: Basic ${Buffer.from(`${number}:${key}`).toString('base64')}`,
    'content-type: application/json',
    `content-length: ${length}`,
    '\r\n',
  ].join('\r\n');

/** Returns a request with 500 readings, built once; only the digits of its times are replaced. */
function createRequest(device: BenchDevice, startMs: number): Requests {
  const rows: string[] = [];
  for (let moment = 0; moment < MOMENTS; moment++) {
    device.channels.forEach((channel, i) => {
      rows.push(
        `{"channel":"${channel}","at":${PLACEHOLDER},"value":${(4 + ((i + moment) % 20) / 10).toFixed(1)}}`,
      );
    });
  }
  const body = `{"readings":[${rows.join(',')}]}`;
  const head = headOf(device, Buffer.byteLength(body));
  const bytes = Buffer.from(head + body, 'latin1');
  const places: number[] = [];
  for (let at = bytes.indexOf(PLACEHOLDER); at !== -1; at = bytes.indexOf(PLACEHOLDER, at + 1))
    places.push(at);
  let next = startMs;
  return {
    readings: places.length,
    advance(): Buffer {
      for (let moment = 0; moment < MOMENTS; moment++) {
        const digits = Buffer.from(String(next), 'latin1');
        next += MOMENT_MS;
        for (let i = 0; i < device.channels.length; i++) {
          digits.copy(bytes, places[moment * device.channels.length + i]!);
        }
      }
      return bytes;
    },
  };
}

/**
 * Sends requests at the highest rate that the server can process: each connection waits for a response before
 * it sends the next request, and uses its own devices in turn, so that the readings of a device stay in
 * order. Refused requests are repeated, as a device would do.
 */
export function startHttpLoad(
  port: number,
  devices: readonly BenchDevice[],
  connections: number,
  /** Time of the first readings that are sent. */
  startMs = Date.now() - 30 * 60_000,
  requestsOf: (device: BenchDevice, startMs: number) => Requests = createRequest,
): HttpLoad {
  let acknowledged = 0;
  let stopping = false;

  async function connection(index: number): Promise<void> {
    const requests = devices
      .filter((_, i) => i % connections === index)
      .map((device) => requestsOf(device, startMs));
    const socket = await open(port);
    const ask = asker(socket);
    try {
      for (let turn = 0; !stopping; turn++) {
        const request = requests[turn % requests.length]!;
        const bytes = request.advance();
        for (;;) {
          const status = await ask(bytes);
          if (status === 200) break;
          if (status !== 429 && status !== 503) throw new Error(`the server answered ${status}`);
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        }
        acknowledged += request.readings;
      }
    } finally {
      socket.destroy();
    }
  }

  const running = Promise.all(Array.from({ length: connections }, (_, i) => connection(i)));
  // The error is thrown again in `finish`; without this handler an early failure would be an unhandled
  // rejection.
  running.catch(() => {});
  return {
    get acknowledgedReadings() {
      return acknowledged;
    },
    async finish() {
      stopping = true;
      await running;
    },
  };
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.once('error', reject);
    socket.once('connect', () => resolve(socket));
  });
}

/**
 * Returns a function that sends one request at a time on a socket, and resolves with the status after the
 * whole response.
 */
function asker(socket: Socket): (bytes: Buffer) => Promise<number> {
  let text = '';
  let settle: { resolve(status: number): void; reject(error: Error): void } | null = null;
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    text += chunk;
    const headEnd = text.indexOf('\r\n\r\n');
    if (headEnd === -1) return;
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
    if (text.length < headEnd + 4 + length) return;
    const status = Number(text.slice(9, 12));
    text = '';
    settle?.resolve(status);
  });
  const fail = () => settle?.reject(new Error('the server closed the connection'));
  socket.on('close', fail);
  socket.on('error', fail);
  return (bytes) =>
    new Promise((resolve, reject) => {
      settle = { resolve, reject };
      socket.write(bytes);
    });
}
