import { createReplayWindow, type ReplayWindow } from '@isotherm/protocol/gateway-packet/replay-window';
import type pg from 'pg';
import type { Logger } from '../../platform/log.ts';
import type { KnownDevice } from './device-directory.ts';
import { raisePacketCounters, readPacketCounter } from './packet-counters.repo.ts';

const FLUSH_EVERY_MS = 5_000;
/** A kilobyte each. */
const MAX_WINDOWS = 50_000;

/** Whose counters: they belong to the key that the packets are sealed with. */
type Sealer = Pick<KnownDevice, 'id' | 'keyHash'>;

export interface PacketCounters {
  /** Which counters of this device were taken, begun from what the database remembers of its key. */
  window(device: Sealer): Promise<ReplayWindow>;
  /** Writes down what was marked since, and ends. */
  stop(): Promise<void>;
}

interface Known {
  keyHash: Buffer;
  window: Promise<ReplayWindow>;
  /** What the database has; null while that is not known, and nothing was marked. */
  written: number | null;
}

/**
 * The replay windows of devices that seal their packets. Marks stay in memory and go to the database together
 * every few seconds: what a crash forgets of them can be recorded and sent again, and changes nothing then,
 * because readings, events and positions are known by their times (docs/decisions/0007). A new key begins at zero, in
 * every process, since a counter is only compared with those of the same key.
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
    // What failed is tried again by whoever asks next.
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
