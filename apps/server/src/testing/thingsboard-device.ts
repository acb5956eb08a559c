import mqtt, { type IClientOptions } from 'mqtt';
import { expect } from 'vitest';

export interface Heard {
  topic: string;
  /** Parsed JSON, or the bytes of a payload that is not JSON. */
  payload: unknown;
}

/** Connects a device of the ThingsBoard device API over MQTT, with a real client library. */
export async function thingsboardDevice(port: number, token: string, options: IClientOptions = {}) {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, {
    username: token,
    reconnectPeriod: 0,
    ...options,
  });
  const heard: Heard[] = [];
  client.on('message', (topic, payload) => heard.push({ topic, payload: parsed(payload) }));
  client.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
  const publish = (topic: string, payload: unknown) =>
    client.publishAsync(
      topic,
      typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload),
      {
        qos: 1,
      },
    );
  /** Waits for the first message on a topic, and removes it. */
  async function next<T = unknown>(topic: string): Promise<T> {
    await expect.poll(() => heard.some((each) => each.topic === topic), { timeout: 10_000 }).toBe(true);
    const [found] = heard.splice(
      heard.findIndex((each) => each.topic === topic),
      1,
    );
    return found?.payload as T;
  }
  let requests = 0;
  return {
    client,
    heard,
    closed,
    publish,
    next,
    subscribe: async (...filters: string[]) => void (await client.subscribeAsync(filters, { qos: 1 })),
    /** Sends a request for attributes and returns the response. */
    async attributes(request: unknown): Promise<unknown> {
      const id = ++requests;
      await publish(`v1/devices/me/attributes/request/${id}`, request);
      return next(`v1/devices/me/attributes/response/${id}`);
    },
    close: () => client.endAsync(true),
  };
}
export type ThingsboardDevice = Awaited<ReturnType<typeof thingsboardDevice>>;

function parsed(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString('utf8')) as unknown;
  } catch {
    return payload;
  }
}
