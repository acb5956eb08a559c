import {
  type CommandAnswer,
  commandAnswersTopic,
  commandOrder,
  commandsTopic,
} from '@isotherm/contracts/commands';
import { INGEST_PATH, type IngestMessage, readingsTopic } from '@isotherm/contracts/ingest';
import type { CommandKind } from '@isotherm/domain/devices/command';
import mqtt from 'mqtt';
import { Pool } from 'undici';
import { z } from 'zod';

/** Not taken now: keep the message and try again after `afterMs`. */
export class TryAgain extends Error {
  readonly afterMs: number;
  constructor(message: string, afterMs: number) {
    super(message);
    this.name = 'TryAgain';
    this.afterMs = afterMs;
  }
}

/** What the server tells a device; of the parameters, only those that this simulation obeys. */
export interface ReceivedCommand {
  id: number;
  kind: CommandKind;
  /** Of an interval. */
  seconds: number | null;
}

/** How a device reaches the server. */
export interface Uplink {
  /** Resolves when the server has made the message durable, or has refused it for good. */
  send(message: IngestMessage): Promise<void>;
  /** Send something and do not ask what became of it. */
  sendBlind(message: Buffer): void;
  /** Hear what the server tells the device to do. HTTP has no way back: there, nothing is ever heard. */
  listen(take: (command: ReceivedCommand) => void): void;
  /** Say how far a command is. Rejects with TryAgain while the server is out of reach. */
  answer(said: CommandAnswer): Promise<void>;
  /** Hang up, and come back after so long. */
  leave(forMs: number): void;
  online(): boolean;
  close(): Promise<void>;
}

const RETRY_MS = 2_000;
const ACK_TIMEOUT_MS = 30_000;

/** Many devices share the sockets of one pool: a simulated gateway. */
export function ingestPool(server: string, connections: number): Pool {
  return new Pool(new URL(server).origin, { connections, pipelining: 1, headersTimeout: 60_000 });
}

export function basicAuthorization(deviceNumber: string, key: string): string {
  return `Basic ${Buffer.from(`${deviceNumber}:${key}`).toString('base64')}`;
}

/** POST one message; true when it was taken, false when it was refused for good. */
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
  // Busy, down, or not yet told about this device: nothing is lost by waiting.
  if (status === 429 || status >= 500 || status === 401) {
    throw new TryAgain(`HTTP ${status}`, Number(retryAfter ?? 0) * 1000 || RETRY_MS);
  }
  return false;
}

export function httpUplink(pool: Pool, deviceNumber: string, key: string): Uplink {
  const authorization = basicAuthorization(deviceNumber, key);
  let reached = true;
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
    listen() {},
    answer: async () => {},
    leave() {},
    online: () => reached,
    close: async () => {},
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
  // The client reconnects by itself; without a listener an error would end the process.
  client.on('error', () => {});
  let back: NodeJS.Timeout | undefined;

  /** Resolves when the server has acknowledged it. */
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

  return {
    send: (message) => publish(topic, message),
    sendBlind(message) {
      if (client.connected) client.publish(topic, message, { qos: 1 }, () => {});
    },
    listen(take) {
      client.on('message', (_topic, payload) => {
        const command = receivedCommand(payload);
        if (command) take(command);
      });
      const subscribe = () => client.subscribe(commandsTopic(deviceNumber), { qos: 1 });
      client.on('connect', subscribe);
      if (client.connected) subscribe();
    },
    answer: (said) => publish(commandAnswersTopic(deviceNumber), said),
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

/** Null for what is no command that this device knows. */
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
  return { id, kind: order.data.kind, seconds: 'seconds' in order.data ? order.data.seconds : null };
}
