import type { UnreadValue } from '@isotherm/domain/readings/payload-mapping';
import type { UndecodedUplink } from '@isotherm/protocol/hardware/hardware-message';
import type pg from 'pg';
import { isDatabaseAway } from '../../../platform/db/pool.ts';
import type { Logger } from '../../../platform/log.ts';
import { MAX_UNMAPPED_NAMES, writeUnmapped } from './unmapped-values.repo.ts';

const FLUSH_EVERY_MS = 5_000;
/**
 * Maximum number of devices that wait for the next write; the names of further devices are stored with their
 * next message.
 */
const MAX_WAITING = 10_000;
/** Matches text that PostgreSQL cannot store: NUL and unpaired surrogates. */
const NOT_STORABLE = /[\0\p{Surrogate}]/u;

/**
 * Stores values of third-party devices that became no reading, for inspection: the latest value of each name
 * and the latest undecoded uplink. Values are saved for many devices at once; the store never waits and
 * never throws, so that it delays no acknowledgement.
 */
export interface UnmappedValuesStore {
  keep(
    deviceId: number,
    receivedAt: number,
    found: { values: readonly UnreadValue[]; undecoded: UndecodedUplink | null },
  ): void;
  /** Saves what was recorded and stops. */
  stop(): Promise<void>;
}

interface Waiting {
  values: Map<string, { value: number; at: number }>;
  undecoded: (UndecodedUplink & { at: number }) | null;
}

export function createUnmappedValues(pool: pg.Pool, log: Logger): UnmappedValuesStore {
  let waiting = new Map<number, Waiting>();
  let writing: Promise<void> = Promise.resolve();

  async function flush(): Promise<void> {
    if (waiting.size === 0) return;
    const some = waiting;
    waiting = new Map();
    const devices = [...some];
    try {
      await writeUnmapped(
        pool,
        devices.flatMap(([device_id, { values }]) =>
          [...values].map(([path, { value, at }]) => ({ device_id, path, value, received_at: isoOf(at) })),
        ),
        devices.flatMap(([device_id, { undecoded }]) =>
          undecoded
            ? [
                {
                  device_id,
                  port: undecoded.port,
                  payload_base64: undecoded.payload,
                  received_at: isoOf(undecoded.at),
                },
              ]
            : [],
        ),
      );
    } catch (error) {
      if (!isDatabaseAway(error)) {
        log.error({ error: (error as Error).message, devices: some.size }, 'unmapped values not kept');
        return;
      }
      log.warn({ error: (error as Error).message }, 'unmapped values wait for the database');
      for (const [deviceId, each] of some) if (!waiting.has(deviceId)) waiting.set(deviceId, each);
    }
  }
  const timer = setInterval(() => {
    writing = writing.then(flush);
  }, FLUSH_EVERY_MS);

  return {
    keep(deviceId, receivedAt, { values, undecoded }) {
      if (values.length === 0 && undecoded === null) return;
      const device = waiting.get(deviceId) ?? { values: new Map(), undecoded: null };
      if (!waiting.has(deviceId) && waiting.size >= MAX_WAITING) return;
      waiting.set(deviceId, device);
      for (const { path, value } of values)
        if (!NOT_STORABLE.test(path) && (device.values.has(path) || device.values.size < MAX_UNMAPPED_NAMES))
          device.values.set(path, { value, at: receivedAt });
      if (undecoded) device.undecoded = { ...undecoded, at: receivedAt };
    },
    async stop() {
      clearInterval(timer);
      await writing;
      await flush();
    },
  };
}

const isoOf = (at: number) => new Date(at).toISOString();
