import type { ProvisionItem } from '@isotherm/contracts/devices';
import { INGEST_PATH, type IngestMessage, readingsTopic } from '@isotherm/contracts/ingest';
import mqtt from 'mqtt';

export interface TimedValue {
  at: number;
  value: number;
}

/** Rules of the devices below: high and low, three minutes. */
export const TRIGGER_AFTER_MS = 180_000;
const READINGS_PER_MESSAGE = 5;
const APART_MS = 20_000;
const RETRY_MS = 100;
const KEY = 'f'.repeat(40);

/** Fridge with one temperature channel, for a device that keeps what it measured until it was told "got it". */
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
  /** What the server has acknowledged. */
  acknowledged: TimedValue[];
  stop(): Promise<void>;
}

/** A swing across both limits, slow enough to outlast the trigger time; each device in a phase of its own. */
function swingAt(index: number, phase: number): number {
  return Math.round((5 + 5 * Math.sin(index / 9 + phase)) * 10) / 10;
}

/**
 * A device that sends its history as fast as it is acknowledged, in order, from `startAt` on, and sends each
 * message until it is. It does not care what happens at the other end.
 */
export function startLoadedDevice(
  protocol: 'http' | 'mqtt',
  number: string,
  startAt: number,
  urls: { http: string; mqtt: string },
): LoadedDevice {
  const acknowledged: TimedValue[] = [];
  const phase = Number(number) % 7;
  const transport = protocol === 'http' ? overHttp(urls.http, number) : overMqtt(urls.mqtt, number);
  let stopping = false;

  const running = (async () => {
    for (let first = 0; !stopping; first += READINGS_PER_MESSAGE) {
      const readings = Array.from({ length: READINGS_PER_MESSAGE }, (_, i) => ({
        at: startAt + (first + i) * APART_MS,
        value: swingAt(first + i, phase),
      }));
      if ((readings[0] as TimedValue).at > Date.now()) break;
      const message: IngestMessage = {
        readings: readings.map((reading) => ({ channel: 'temperature-1', ...reading })),
      };
      while (!(await transport.send(JSON.stringify(message)))) {
        if (stopping) return;
        await new Promise((again) => setTimeout(again, RETRY_MS));
      }
      acknowledged.push(...readings);
    }
  })();

  return {
    number,
    acknowledged,
    async stop() {
      stopping = true;
      // Closing settles a send that nobody would answer any more.
      await transport.close();
      await running;
    },
  };
}

interface Transport {
  /** True when the server said that it has it. */
  send(body: string): Promise<boolean>;
  close(): Promise<void>;
}

function overHttp(url: string, number: string): Transport {
  const authorization = `Basic ${Buffer.from(`${number}:${KEY}`).toString('base64')}`;
  const closing = new AbortController();
  return {
    async send(body) {
      try {
        const answer = await fetch(url + INGEST_PATH, {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body,
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

function overMqtt(url: string, number: string): Transport {
  const client = mqtt.connect(url, {
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
    // The client itself sends again after a reconnect; the promise settles with the PUBACK, or never.
    send: (body) =>
      Promise.race([
        closed,
        client.publishAsync(readingsTopic(number), body, { qos: 1 }).then(
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
