import type { ProvisionItem } from '@isotherm/contracts/devices';
import { INGEST_PATH, type IngestMessage, readingsTopic, resultsTopic } from '@isotherm/contracts/ingest';
import { packetUplink } from '@isotherm/simulator/client/packet-uplink';
import mqtt from 'mqtt';
import { expect } from 'vitest';

export interface TimedValue {
  at: number;
  value: number;
}

/** Trigger delay of the alarm rules of these devices, high and low: three minutes. */
export const TRIGGER_AFTER_MS = 180_000;
const READINGS_PER_MESSAGE = 5;
const APART_MS = 20_000;
const RETRY_MS = 100;
const TWICE_EVERY = 10;
const ANSWER_WITHIN_MS = 1_000;
const KEY = 'f'.repeat(40);

/**
 * Returns a refrigerator with one temperature channel, for a device that keeps readings until they are
 * acknowledged.
 */
export function loadedItem(number: string): ProvisionItem {
  const rule = { triggerAfterMs: TRIGGER_AFTER_MS, recoveryMargin: 0.5 };
  return {
    asset: { code: `L-${number}`, name: `Loaded ${number}`, kind: 'refrigerator' },
    device: { number, name: `Loaded ${number}`, key: KEY, acquisitionIntervalMs: APART_MS },
    sensors: [
      {
        index: 1,
        serial: number,
        name: 'Air',
        channels: [
          {
            indicator: 'temperature',
            name: 'Air',
            rules: [
              { ...rule, kind: 'high', level: 3, limit: 8 },
              { ...rule, kind: 'low', level: 4, limit: 2 },
            ],
          },
        ],
      },
    ],
  };
}

export interface LoadedDevice {
  number: string;
  /** Readings that were acknowledged. */
  acknowledged: TimedValue[];
  stop(): Promise<void>;
}

/**
 * Returns a value that oscillates across both limits, slowly enough to outlast the trigger delay; each
 * device has its own phase.
 */
export function swingAt(index: number, phase: number): number {
  return Math.round((5 + 5 * Math.sin(index / 9 + phase)) * 10) / 10;
}

export const PROTOCOLS = ['http', 'mqtt', 'packets', 'broker'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** Addresses of a server and of its broker, to which devices connect. */
export interface Doors {
  url: string;
  mqttUrl: string;
  tcpUrl: string;
  broker?: { url: string; password: string };
}

const TRANSPORTS: Record<Protocol, (number: string, doors: Doors) => Transport> = {
  http: overHttp,
  mqtt: overMqtt,
  packets: overPackets,
  broker: overBroker,
};

/**
 * Starts a device that sends its history in order from `startAt` on, as fast as it is acknowledged, and
 * repeats each message until it is, whatever happens to the server. With several servers it uses each in
 * turn, and sometimes sends a message to two.
 */
export function startLoadedDevice(
  protocol: Protocol,
  number: string,
  startAt: number,
  doors: readonly Doors[],
  restMs = 0,
): LoadedDevice {
  const acknowledged: TimedValue[] = [];
  const phase = Number(number) % 7;
  const transports = doors.map((each) => TRANSPORTS[protocol](number, each));
  let stopping = false;

  const running = (async () => {
    for (let first = 0; !stopping; first += READINGS_PER_MESSAGE) {
      const readings = Array.from({ length: READINGS_PER_MESSAGE }, (_, i) => ({
        at: startAt + (first + i) * APART_MS,
        value: swingAt(first + i, phase),
      }));
      if ((readings[0] as TimedValue).at > Date.now()) break;
      const turn = first / READINGS_PER_MESSAGE;
      const sendBy = (index: number) =>
        (transports[index % transports.length] as Transport).send(messageOf(readings));
      for (let attempt = turn; !(await sendBy(attempt)); attempt++) {
        if (stopping) return;
        await pause(RETRY_MS);
      }
      if (transports.length > 1 && turn % TWICE_EVERY === 0) await sendBy(turn + 1);
      acknowledged.push(...readings);
      if (restMs > 0) await pause(restMs);
    }
  })();

  return {
    number,
    acknowledged,
    async stop() {
      stopping = true;
      // Closing settles the promises of messages that would never be answered.
      await Promise.all(transports.map((transport) => transport.close()));
      await running;
    },
  };
}

const GOES_ON_WITH = 10;

/** Checks that ten more readings of each device are acknowledged. */
export async function expectAllGoOn(devices: readonly LoadedDevice[], what: string): Promise<void> {
  const wanted = devices.map((device) => device.acknowledged.length + GOES_ON_WITH);
  await expect
    .poll(
      () =>
        devices
          .filter((device, index) => device.acknowledged.length < (wanted[index] as number))
          .map((device) => device.number),
      { timeout: 40_000, interval: 20, message: `all go on after ${what}` },
    )
    .toEqual([]);
}

export const messageOf = (readings: readonly TimedValue[]): IngestMessage => ({
  readings: readings.map((reading) => ({ channel: 'temperature-1', ...reading })),
});

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

interface Transport {
  /** Sends a message; returns true if the server acknowledged it. */
  send(message: IngestMessage): Promise<boolean>;
  close(): Promise<void>;
}

/** Returns the HTTP header with which a test device authenticates its messages. */
export const deviceAuthorization = (number: string) =>
  `Basic ${Buffer.from(`${number}:${KEY}`).toString('base64')}`;

function overHttp(number: string, { url }: Doors): Transport {
  const authorization = deviceAuthorization(number);
  const closing = new AbortController();
  return {
    async send(message) {
      try {
        const answer = await fetch(url + INGEST_PATH, {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body: JSON.stringify(message),
          signal: AbortSignal.any([closing.signal, AbortSignal.timeout(20_000)]),
        });
        await answer.arrayBuffer();
        return answer.ok;
      } catch {
        return false;
      }
    },
    close: async () => closing.abort(),
  };
}

function overMqtt(number: string, { mqttUrl }: Doors): Transport {
  const client = mqtt.connect(mqttUrl, {
    username: number,
    password: KEY,
    protocolVersion: 4,
    clientId: number,
    clean: true,
    reconnectPeriod: 200,
    queueQoSZero: false,
  });
  client.on('error', () => undefined);
  let giveUp = (_sent: false): void => undefined;
  const closed = new Promise<false>((resolve) => {
    giveUp = resolve;
  });
  return {
    // The client library sends the message again after a reconnect, so the promise is settled only by the
    // PUBACK, or never.
    send: (message) =>
      Promise.race([
        closed,
        client.publishAsync(readingsTopic(number), JSON.stringify(message), { qos: 1 }).then(
          () => true,
          () => false,
        ),
      ]),
    async close() {
      giveUp(false);
      client.end(true);
    },
  };
}

function overPackets(number: string, { tcpUrl }: Doors): Transport {
  const uplink = packetUplink(tcpUrl, number, KEY, 'aes-128-gcm', RETRY_MS);
  return {
    send: (message) =>
      uplink.send(message).then(
        () => true,
        () => false,
      ),
    close: uplink.close,
  };
}

/** Sends through the broker. Only the server's response counts, not the broker's PUBACK. */
function overBroker(number: string, { broker }: Doors): Transport {
  if (!broker) throw new Error('no broker');
  const client = mqtt.connect(broker.url, {
    username: number,
    password: broker.password,
    protocolVersion: 5,
    clientId: number,
    reconnectPeriod: 200,
    queueQoSZero: false,
  });
  client.on('error', () => undefined);
  const results = resultsTopic(number);
  client.subscribe(results);
  let turn = 0;
  let heard = (_turn: string, _answer: { error?: string }): void => undefined;
  client.on('message', (_topic, payload, { properties }) =>
    heard(String(properties?.correlationData), JSON.parse(payload.toString())),
  );
  let giveUp = (): void => undefined;
  return {
    send: (message) =>
      new Promise<boolean>((resolve) => {
        const mine = String(turn++);
        giveUp = () => resolve(false);
        setTimeout(giveUp, ANSWER_WITHIN_MS).unref();
        heard = (answered, { error }) => answered === mine && resolve(error === undefined);
        client.publish(
          readingsTopic(number),
          JSON.stringify(message),
          { qos: 1, properties: { responseTopic: results, correlationData: Buffer.from(mine) } },
          () => undefined,
        );
      }),
    async close() {
      giveUp();
      client.end(true);
    },
  };
}
