import { createReplayWindow, type ReplayWindow } from '@isotherm/protocol/gateway-packet/replay-window';
import type pg from 'pg';
import type { Logger } from '../../platform/log.ts';
import { raisePacketCounters, readPacketCounter } from './packet-counters.repo.ts';

const FLUSH_EVERY_MS = 5_000;
/** A kilobyte each. */
const MAX_WINDOWS = 50_000;

export interface PacketCounters {
  /** Which counters of this device were taken, begun from what the database remembers. */
  window(deviceId: number): Promise<ReplayWindow>;
  /** Writes down what was marked since, and ends. */
  stop(): Promise<void>;
}

/**
 * The replay windows of devices that seal their packets. Marks stay in memory and go to the database together
 * every few seconds: what a crash forgets of them can be recorded and sent again, and changes nothing then,
 * because readings, events and positions are known by their times (docs/decisions/0007).
 */
export function createPacketCounters(pool: pg.Pool, log: Logger): PacketCounters {
  const windows = new Map<number, Promise<ReplayWindow>>();
  /** What the database has of each. */
  const written = new Map<number, number>();

  async function load(deviceId: number): Promise<ReplayWindow> {
    const highest = await readPacketCounter(pool, deviceId);
    written.set(deviceId, highest);
    return createReplayWindow(highest);
  }

  async function flush(): Promise<void> {
    const raised: [number, number][] = [];
    for (const [deviceId, loading] of windows) {
      // Not known yet: nothing was marked in it either.
      if (!written.has(deviceId)) continue;
      const { highest } = await loading;
      if (highest > (written.get(deviceId) as number)) raised.push([deviceId, highest]);
    }
    try {
      if (raised.length > 0)
        await raisePacketCounters(
          pool,
          raised.map(([deviceId]) => deviceId),
          raised.map(([, highest]) => highest),
        );
      for (const [deviceId, highest] of raised) written.set(deviceId, highest);
    } catch (error) {
      log.warn({ error: (error as Error).message }, 'packet counters wait for the database');
      return;
    }
    for (const deviceId of windows.keys()) {
      if (windows.size <= MAX_WINDOWS) break;
      windows.delete(deviceId);
      written.delete(deviceId);
    }
  }
  const timer = setInterval(() => void flush(), FLUSH_EVERY_MS);

  return {
    window(deviceId) {
      let window = windows.get(deviceId);
      if (!window) {
        window = load(deviceId);
        windows.set(deviceId, window);
        // What failed is tried again by whoever asks next.
        window.catch(() => windows.delete(deviceId));
      }
      return window;
    },
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}
