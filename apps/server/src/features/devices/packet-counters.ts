import { createReplayWindow, type ReplayWindow } from '@isotherm/protocol/gateway-packet/replay-window';
import type pg from 'pg';
import type { Logger } from '../../platform/log.ts';
import type { KnownDevice } from './device-directory.ts';
import { raisePacketCounters, readPacketCounter } from './packet-counters.repo.ts';

const FLUSH_EVERY_MS = 5_000;
/** Maximum number of replay windows in memory, each of about one kilobyte. */
const MAX_WINDOWS = 50_000;

/** A device and its key: counters belong to the key with which the packets are encrypted. */
type Sealer = Pick<KnownDevice, 'id' | 'keyHash'>;

export interface PacketCounters {
  /** Returns the replay window of this device, initialised with the stored counter of its key. */
  window(device: Sealer): Promise<ReplayWindow>;
  /** Saves what was marked and stops. */
  stop(): Promise<void>;
}

interface Known {
  keyHash: Buffer;
  window: Promise<ReplayWindow>;
  /** The stored counter; null while it is not known and nothing was marked. */
  written: number | null;
}

/**
 * Keeps replay windows of devices that encrypt their packets. Marks are kept in memory and saved together
 * every few seconds. Packets whose marks were lost in a crash can be replayed without effect, because
 * readings, events and positions are identified by their times (docs/decisions/0007). A new key begins at
 * zero in every process, since counters are compared only with those of the same key.
 */
export function createPacketCounters(pool: pg.Pool, log: Logger): PacketCounters {
  const devices = new Map<number, Known>();

  function load({ id, keyHash }: Sealer): Known {
    const known: Known = {
      keyHash,
      written: null,
      window: readPacketCounter(pool, id, keyHash).then((highest) => {
        known.written = highest;
        return createReplayWindow(highest);
      }),
    };
    devices.set(id, known);
    // A failed load is retried by the next caller.
    known.window.catch(() => {
      if (devices.get(id) === known) devices.delete(id);
    });
    return known;
  }

  async function flush(): Promise<void> {
    const raised: { deviceId: number; known: Known; highest: number }[] = [];
    for (const [deviceId, known] of devices) {
      if (known.written === null) continue;
      const { highest } = await known.window;
      if (highest > known.written) raised.push({ deviceId, known, highest });
    }
    try {
      if (raised.length > 0)
        await raisePacketCounters(
          pool,
          raised.map(({ deviceId, known, highest }) => ({ deviceId, keyHash: known.keyHash, highest })),
        );
      for (const { known, highest } of raised) known.written = highest;
    } catch (error) {
      log.warn({ error: (error as Error).message }, 'packet counters wait for the database');
      return;
    }
    for (const deviceId of devices.keys()) {
      if (devices.size <= MAX_WINDOWS) break;
      devices.delete(deviceId);
    }
  }
  const timer = setInterval(() => void flush(), FLUSH_EVERY_MS);

  return {
    window(device) {
      const known = devices.get(device.id);
      return (known?.keyHash.equals(device.keyHash) ? known : load(device)).window;
    },
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}
