import {
  type CommandAnswer,
  commandAnswersTopic,
  commandOrder,
  commandsTopic,
  type FirmwareOffer,
} from '@isotherm/contracts/commands';
import {
  INGEST_PATH,
  type IngestMessage,
  readingsTopic,
  THINGSBOARD_PATH,
  THINGSBOARD_TOPIC,
} from '@isotherm/contracts/ingest';
import type { CommandKind } from '@isotherm/domain/devices/command';
import mqtt from 'mqtt';
import { Pool } from 'undici';
import { z } from 'zod';

/**
 * Thrown if the server temporarily refuses a message. The device should keep the message and try again after
 * `afterMs`.
 */
export class TryAgain extends Error {
  readonly afterMs: number;
  constructor(message: string, afterMs: number) {
    super(message);
    this.name = 'TryAgain';
    this.afterMs = afterMs;
  }
}

/** A command from the server, with the parameters that the simulation uses. */
export interface ReceivedCommand {
  id: number;
  kind: CommandKind;
  /** Value of an interval command in seconds; null for other commands. */
  seconds: number | null;
  /** Offered firmware; null for other commands. */
  offer: FirmwareOffer | null;
}

/** A device's connection to the server. */
export interface Uplink {
  /** Resolves when the server has stored the message, or refused it permanently. */
  send(message: IngestMessage): Promise<void>;
  /** Sends without waiting for a response. */
  sendBlind(message: Buffer): void;
  /** Receives commands from the server. Over HTTP the device polls for them. */
  listen(take: (command: ReceivedCommand) => void): void;
  /** Reports the progress of a command. Rejects with TryAgain while the server is unreachable. */
  answer(said: CommandAnswer): Promise<void>;
  /** Reports values over the ThingsBoard device API. */
  report(values: object): Promise<void>;
  /** Downloads the file of a firmware offer. */
  fetch(offer: FirmwareOffer): Promise<Buffer>;
  /** Disconnects, and reconnects after the time. */
  leave(forMs: number): void;
  online(): boolean;
  close(): Promise<void>;
}

/** Topic of firmware chunks in the ThingsBoard device API. */
const CHUNKS = 'v2/fw/response/+/chunk/+';
const RETRY_MS = 2_000;
/** Interval at which a device polls for commands over HTTP. */
const ASK_EVERY_MS = 5_000;
const ASK_FOR_MS = 500;
/** HTTP status of the device API if there is no command. */
const NOTHING_TO_DO = 408;
const CHUNK_BYTES = 16 * 1024;
const CHUNK_WITHIN_MS = 10_000;
const ACK_TIMEOUT_MS = 30_000;

/** Creates an HTTP connection pool that many devices share, like a simulated gateway. */
export function ingestPool(server: string, connections: number): Pool {
  return new Pool(new URL(server).origin, { connections, pipelining: 1, headersTimeout: 60_000 });
}

export function basicAuthorization(deviceNumber: string, key: string): string {
  return `Basic ${Buffer.from(`${deviceNumber}:${key}`).toString('base64')}`;
}

/** Posts a message. Returns true if it was accepted, false if it was refused permanently. */
export async function postReadings(
  pool: Pool,
  authorization: string,
  message: string | Buffer,
): Promise<boolean> {
  let status: number;
  let retryAfter: string | undefined;
  try {
    const response = await pool.request({
      method: 'POST',
      path: INGEST_PATH,
      headers: { authorization, 'content-type': 'application/json' },
      body: message,
    });
    status = response.statusCode;
    retryAfter = response.headers['retry-after']?.toString();
    await response.body.dump();
  } catch (error) {
    throw new TryAgain(error instanceof Error ? error.message : 'no answer', RETRY_MS);
  }
  if (status === 200) return true;
  // The server is busy or unavailable, or the device is not registered yet, so the request is repeated
  // later.
  if (status === 429 || status >= 500 || status === 401) {
    throw new TryAgain(`HTTP ${status}`, Number(retryAfter ?? 0) * 1000 || RETRY_MS);
  }
  return false;
}

export function httpUplink(pool: Pool, deviceNumber: string, key: string, askEveryMs = ASK_EVERY_MS): Uplink {
  const authorization = basicAuthorization(deviceNumber, key);
  const api = `${THINGSBOARD_PATH}/${deviceNumber}.${key}`;
  let reached = true;
  let asking: NodeJS.Timeout | undefined;
  let isAway = false;

  /** Sends a request to the device API; null if the response has no content. */
  async function ask(method: 'GET' | 'POST', path: string, body?: object): Promise<Buffer | null> {
    const response = await pool
      .request({
        method,
        path: `${api}/${path}`,
        headers: { 'content-type': 'application/json' },
        body: body ? JSON.stringify(body) : null,
      })
      .catch((error: Error) => {
        throw new TryAgain(error.message, RETRY_MS);
      });
    const answer = Buffer.from(await response.body.arrayBuffer());
    if (response.statusCode === NOTHING_TO_DO) return null;
    if (response.statusCode >= 300) throw new TryAgain(`HTTP ${response.statusCode}`, RETRY_MS);
    return answer;
  }

  return {
    async send(message) {
      try {
        await postReadings(pool, authorization, JSON.stringify(message));
        reached = true;
      } catch (error) {
        reached = false;
        throw error;
      }
    },
    sendBlind(message) {
      postReadings(pool, authorization, message).catch(() => {});
    },
    listen(take) {
      const next = () => {
        asking = setTimeout(async () => {
          const answer = isAway ? null : await ask('GET', `rpc?timeout=${ASK_FOR_MS}`).catch(() => null);
          const command = answer && receivedCall(answer);
          if (command) take(command);
          if (asking) next();
        }, askEveryMs);
      };
      next();
    },
    async answer({ id, ...said }) {
      await ask('POST', `rpc/${id}`, said);
    },
    async report(values) {
      await ask('POST', 'telemetry', values);
    },
    async fetch({ title, version }) {
      const file = await ask('GET', `firmware?${new URLSearchParams({ title, version })}`);
      return file ?? Buffer.alloc(0);
    },
    leave(forMs) {
      isAway = true;
      setTimeout(() => {
        isAway = false;
      }, forMs).unref();
    },
    online: () => reached && !isAway,
    async close() {
      clearTimeout(asking);
      asking = undefined;
    },
  };
}

export function mqttUplink(url: string, deviceNumber: string, key: string): Uplink {
  const topic = readingsTopic(deviceNumber);
  const client = mqtt.connect(url, {
    protocolVersion: 4,
    clientId: deviceNumber,
    username: deviceNumber,
    password: key,
    clean: true,
    keepalive: 60,
    reconnectPeriod: RETRY_MS,
    connectTimeout: 10_000,
    queueQoSZero: false,
    resubscribe: false,
  });
  // The client reconnects automatically. Without a listener, an error would end the process.
  client.on('error', () => {});
  let back: NodeJS.Timeout | undefined;

  /** Publishes a message. Resolves when the server has acknowledged it. */
  function publish(topic: string, message: object): Promise<void> {
    if (!client.connected) return Promise.reject(new TryAgain('not connected', RETRY_MS));
    return new Promise((resolve, reject) => {
      const giveUp = () => settle(new TryAgain('connection lost', RETRY_MS));
      const timer = setTimeout(() => settle(new TryAgain('no acknowledgement', 0)), ACK_TIMEOUT_MS);
      const settle = (error?: Error | null) => {
        clearTimeout(timer);
        client.off('close', giveUp);
        if (error) reject(error);
        else resolve();
      };
      client.once('close', giveUp);
      client.publish(topic, JSON.stringify(message), { qos: 1 }, (error) =>
        settle(error ? new TryAgain(error.message, RETRY_MS) : null),
      );
    });
  }

  /** Downloads a part of the file. Rejects with TryAgain after a timeout; the download then starts again. */
  function fetchChunk(chunk: number): Promise<Buffer> {
    if (!client.connected) return Promise.reject(new TryAgain('not connected', RETRY_MS));
    return new Promise((resolve, reject) => {
      const settle = (error: Error | null, part?: Buffer) => {
        clearTimeout(timer);
        client.off('message', take);
        if (part) resolve(part);
        else reject(error);
      };
      const take = (from: string, part: Buffer) => {
        if (from === `v2/fw/response/1/chunk/${chunk}`) settle(null, part);
      };
      const timer = setTimeout(() => settle(new TryAgain('no chunk', 0)), CHUNK_WITHIN_MS);
      client.on('message', take);
      client.publish(`v2/fw/request/1/chunk/${chunk}`, String(CHUNK_BYTES), { qos: 1 });
    });
  }

  return {
    send: (message) => publish(topic, message),
    sendBlind(message) {
      if (client.connected) client.publish(topic, message, { qos: 1 }, () => {});
    },
    listen(take) {
      client.on('message', (topic, payload) => {
        const command = topic === commandsTopic(deviceNumber) ? receivedCommand(payload) : null;
        if (command) take(command);
      });
      const subscribe = () => client.subscribe([commandsTopic(deviceNumber), CHUNKS], { qos: 1 });
      client.on('connect', subscribe);
      if (client.connected) subscribe();
    },
    answer: (said) => publish(commandAnswersTopic(deviceNumber), said),
    report: (values) => publish(THINGSBOARD_TOPIC, values),
    async fetch({ size }) {
      const parts: Buffer[] = [];
      for (let chunk = 0; chunk * CHUNK_BYTES < size; chunk++) parts.push(await fetchChunk(chunk));
      return Buffer.concat(parts);
    },
    leave(forMs) {
      client.end(true, {}, () => {
        back = setTimeout(() => client.reconnect(), forMs);
      });
    },
    online: () => client.connected,
    close: () => {
      clearTimeout(back);
      return new Promise((resolve) => client.end(true, {}, () => resolve()));
    },
  };
}

const numbered = z.looseObject({ id: z.number().int() });

/** Parses a command; null for an unknown one. */
function receivedCommand(payload: Buffer): ReceivedCommand | null {
  let said: unknown;
  try {
    said = JSON.parse(payload.toString());
  } catch {
    return null;
  }
  const known = numbered.safeParse(said);
  if (!known.success) return null;
  const { id, ...rest } = known.data;
  const order = commandOrder.safeParse(rest);
  if (!order.success) return null;
  return {
    id,
    kind: order.data.kind,
    seconds: 'seconds' in order.data ? order.data.seconds : null,
    offer: order.data.kind === 'firmware' ? order.data : null,
  };
}

const called = z.object({ id: z.number().int(), method: z.string(), params: z.looseObject({}) });

/** Parses a command in the format of the ThingsBoard device API. */
function receivedCall(answer: Buffer): ReceivedCommand | null {
  const call = called.safeParse(JSON.parse(answer.toString()));
  if (!call.success) return null;
  const { id, method: kind, params } = call.data;
  return receivedCommand(Buffer.from(JSON.stringify({ ...params, id, kind })));
}
