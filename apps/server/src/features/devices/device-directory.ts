import { createHash, timingSafeEqual } from 'node:crypto';
import { channelKey } from '@isotherm/contracts/ingest';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import type { MappingEntry } from '@isotherm/domain/readings/payload-mapping';
import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import type { Sealing } from '../../platform/sealing.ts';
import { findDeviceByNumber, findNumberByEui, findNumberByName } from './devices.repo.ts';
import { findEntriesFor } from './mappings/mappings.repo.ts';
import { openPacketSecret } from './packet-secrets.ts';

/** What ingest must know of a device to take its readings. */
export interface KnownDevice {
  id: number;
  number: string;
  organizationId: number;
  assetId: number | null;
  keyHash: Buffer;
  /** What its packet keys derive from (docs/gateway-packet.md); null where the server has never learnt it. */
  packetSecret: Buffer | null;
  acquisitionIntervalMs: number;
  /** What the payloads of its model mean, where it speaks a language of others. */
  mapping: readonly MappingEntry[];
  /** By channel key, as `temperature-1`. */
  channels: ReadonlyMap<string, { id: number; indicator: Indicator }>;
}

export interface DeviceDirectory {
  /** The device of this number, or null. Whoever asks has yet to see whether it is the one that speaks. */
  find(number: string): Promise<KnownDevice | null> | KnownDevice | null;
  /** The device that this number and key belong to, or null. */
  authenticate(number: string, key: string): Promise<KnownDevice | null>;
  /**
   * The same device as the registry has it now; null when it is gone or its key was changed. Answers at once
   * while the device is known, which is nearly always: it is asked with every message of a connection.
   */
  refresh(device: KnownDevice): Promise<KnownDevice | null> | KnownDevice | null;
  /** The device that a LoRaWAN network calls so, within the scope; or null. */
  findByEui(scope: string, devEui: string): Promise<KnownDevice | null>;
  /** The device behind the gateway that it calls so, by name or number; or null. */
  findByName(gatewayId: number, name: string): Promise<KnownDevice | null>;
  /** Forget what is known of a device: it was changed. */
  forget(number: string): void;
  /** Forget what is known of all devices: what they mean was changed. */
  forgetAll(): void;
}

export const hashDeviceKey = (key: string): Buffer => createHash('sha256').update(key).digest();

const KEEP_MS = 60_000;
const MISS_KEEP_MS = 5_000;
const MAX_ENTRIES = 200_000;

interface Entry {
  device: KnownDevice | null;
  until: number;
}

/**
 * A cache over the registry: a device sends every few seconds and changes once a year. What was changed is
 * forgotten in every process as soon as it hears of it (the bus); entries live a minute, for news that were lost;
 * misses live seconds.
 */
export function createDeviceDirectory(
  pool: pg.Pool,
  clock: Clock,
  sealing: Pick<Sealing, 'open'>,
): DeviceDirectory {
  const entries = new Map<string, Entry>();
  const numbers = new Map<string, { number: string | null; until: number }>();
  const loading = new Map<string, Promise<KnownDevice | null>>();
  /** Counts what was forgotten: what was read before it is not kept after it. */
  let forgotten = 0;

  async function load(number: string): Promise<KnownDevice | null> {
    const before = forgotten;
    const rows = await findDeviceByNumber(pool, number);
    const first = rows[0];
    const device: KnownDevice | null = first
      ? {
          id: first.id,
          number,
          organizationId: first.organization_id,
          assetId: first.asset_id,
          keyHash: first.key_hash,
          packetSecret: openPacketSecret(sealing, first.packet_secret),
          acquisitionIntervalMs: first.acquisition_interval_ms,
          mapping: await findEntriesFor(pool, first.organization_id, first.model),
          channels: new Map(
            rows
              .filter((row) => row.channel_id !== null)
              .map((row) => [
                channelKey(row.indicator as Indicator, row.sensor_index as number),
                { id: row.channel_id as number, indicator: row.indicator as Indicator },
              ]),
          ),
        }
      : null;
    if (entries.size >= MAX_ENTRIES) entries.clear();
    if (before === forgotten)
      entries.set(number, { device, until: clock.now() + (device ? KEEP_MS : MISS_KEEP_MS) });
    return device;
  }

  function find(number: string): Promise<KnownDevice | null> | KnownDevice | null {
    if (!/^\d{8}$/.test(number)) return null;
    const entry = entries.get(number);
    if (entry && entry.until > clock.now()) return entry.device;
    const running = loading.get(number);
    if (running) return running;
    const promise = load(number).finally(() => {
      if (loading.get(number) === promise) loading.delete(number);
    });
    loading.set(number, promise);
    return promise;
  }

  /** A device by another of its names. */
  async function named(name: string, findNumber: () => Promise<string | null>): Promise<KnownDevice | null> {
    let entry = numbers.get(name);
    if (!entry || entry.until <= clock.now()) {
      const number = await findNumber();
      if (numbers.size >= MAX_ENTRIES) numbers.clear();
      entry = { number, until: clock.now() + (number === null ? MISS_KEEP_MS : KEEP_MS) };
      numbers.set(name, entry);
    }
    return entry.number === null ? null : find(entry.number);
  }

  return {
    find,
    async authenticate(number, key) {
      const device = await find(number);
      if (!device) return null;
      return timingSafeEqual(device.keyHash, hashDeviceKey(key)) ? device : null;
    },
    refresh(device) {
      const same = (found: KnownDevice | null) => (found?.keyHash.equals(device.keyHash) ? found : null);
      const found = find(device.number);
      return found instanceof Promise ? found.then(same) : same(found);
    },
    findByEui: (scope, devEui) => named(`eui ${scope} ${devEui}`, () => findNumberByEui(pool, scope, devEui)),
    findByName: (gatewayId, name) =>
      named(`name ${gatewayId} ${name}`, () => findNumberByName(pool, gatewayId, name)),
    forget(number) {
      forgotten++;
      entries.delete(number);
      loading.delete(number);
      numbers.clear();
    },
    forgetAll() {
      forgotten++;
      entries.clear();
      loading.clear();
      numbers.clear();
    },
  };
}
