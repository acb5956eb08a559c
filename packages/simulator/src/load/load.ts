import { type ProvisionItem, provisionDevices } from '@isotherm/contracts/devices';
import { channelKey } from '@isotherm/contracts/ingest';
import { type ApiClient, logIn } from '../client/api-client.ts';
import { packetUplink } from '../client/packet-uplink.ts';
import { httpUplink, ingestPool, mqttUplink, TryAgain, type Uplink } from '../client/uplink.ts';
import { deviceKey } from '../fleet/provision.ts';
import { fleetSecret } from '../live/state-file.ts';

const PROVISION_AT_ONCE = 500;
const TICK_MS = 20;
/** Number of unacknowledged messages per device, as with a real one. */
const WINDOW = 4;
const CHANNEL = channelKey('temperature', 1);

export interface LoadOptions {
  server: string;
  mqtt: string;
  tcp: string;
  username: string;
  password: string;
  fleetSecretFile: string;
  devices: number;
  /** Number of readings per second of all devices together. */
  rate: number;
  seconds: number;
  /** Number of readings per message. */
  batch: number;
  protocol: 'mqtt' | 'http' | 'tcp';
}

export function loadDevice(index: number, secret: string): ProvisionItem {
  const number = String(90_000_000 + index);
  return {
    asset: { code: `LOAD-${number}`, name: `Load ${number}`, kind: 'refrigerator' },
    device: { number, name: `Load logger ${number}`, key: deviceKey(secret, number) },
    sensors: [
      {
        index: 1,
        serial: `${number}-01`,
        name: 'Air',
        channels: [
          {
            indicator: 'temperature',
            name: 'Air',
            rules: [
              { kind: 'high', level: 3, limit: 8, recoveryMargin: 0.3, triggerAfterMs: 60_000 },
              { kind: 'low', level: 3, limit: 2, recoveryMargin: 0.3, triggerAfterMs: 60_000 },
            ],
          },
        ],
      },
    ],
  };
}

/** Registers any number of devices, `atOnce` per request, because the body is limited to 1 MiB. */
export async function provisionLoad(
  client: ApiClient,
  items: readonly ProvisionItem[],
  atOnce: number,
): Promise<void> {
  for (let from = 0; from < items.length; from += atOnce) {
    await client.call(provisionDevices, { body: { items: items.slice(from, from + atOnce) } });
  }
}

/** Sends at a constant rate, and prints the acknowledgements of each second with their latency. */
export async function runLoad(options: LoadOptions, stop: AbortSignal): Promise<void> {
  const secret = fleetSecret(options.fleetSecretFile);
  const client = await logIn(options.server, options.username, options.password);
  const items = Array.from({ length: options.devices }, (_, i) => loadDevice(i, secret));
  await provisionLoad(client, items, PROVISION_AT_ONCE);
  console.log(`${options.devices} devices in service`);

  const pool = ingestPool(options.server, 64);
  const uplinks: Uplink[] = items.map(({ device: { number, key } }) => {
    if (options.protocol === 'mqtt') return mqttUplink(options.mqtt, number, key);
    if (options.protocol === 'tcp') return packetUplink(options.tcp, number, key, 'aes-128-gcm');
    return httpUplink(pool, number, key);
  });
  const inFlight = new Array<number>(uplinks.length).fill(0);
  const lastAt = new Array<number>(uplinks.length).fill(0);
  let latencies: number[] = [];
  let acked = 0;
  let refused = 0;
  let total = 0;
  let owed = 0;
  let turn = 0;
  const begin = Date.now();
  let tickedAt = begin;

  const sendFrom = (index: number) => {
    const uplink = uplinks[index]!;
    const now = Math.max(Date.now(), lastAt[index]! + options.batch);
    lastAt[index] = now;
    const readings = Array.from({ length: options.batch }, (_, i) => ({
      channel: CHANNEL,
      at: now - i,
      value: 5 + ((index + i) % 10) / 10,
    }));
    const sentAt = performance.now();
    inFlight[index]!++;
    uplink
      .send({ readings })
      .then(() => {
        latencies.push(performance.now() - sentAt);
        acked += options.batch;
        total += options.batch;
      })
      .catch((error: unknown) => {
        if (!(error instanceof TryAgain)) throw error;
        refused++;
      })
      .finally(() => inFlight[index]!--);
  };

  const pump = setInterval(() => {
    const now = Date.now();
    // Readings that could not be sent because every device was waiting are dropped after a while.
    owed = Math.min(owed + ((now - tickedAt) * options.rate) / 1000, options.rate);
    tickedAt = now;
    for (let tried = 0; owed >= options.batch && tried < uplinks.length; tried++) {
      turn = (turn + 1) % uplinks.length;
      if (inFlight[turn]! >= WINDOW || !uplinks[turn]!.online()) continue;
      owed -= options.batch;
      sendFrom(turn);
    }
  }, TICK_MS);
  const printer = setInterval(() => {
    latencies.sort((a, b) => a - b);
    const at = (share: number) => (latencies[Math.floor(share * (latencies.length - 1))] ?? 0).toFixed(1);
    const connected = uplinks.filter((uplink) => uplink.online()).length;
    console.log(
      `${String(acked).padStart(7)} readings/s acknowledged   p50 ${at(0.5)} ms   p99 ${at(0.99)} ms   ${connected} on line   ${refused} to be sent again`,
    );
    latencies = [];
    acked = 0;
    refused = 0;
  }, 1000);

  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, options.seconds * 1000);
    stop.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  clearInterval(pump);
  clearInterval(printer);
  await Promise.all(uplinks.map((uplink) => uplink.close()));
  await pool.destroy();
  console.log(`${total} readings acknowledged in ${((Date.now() - begin) / 1000).toFixed(1)} s`);
}
