import type { IngestMessage, ReadingItem } from '@isotherm/contracts/ingest';
import { TryAgain, type Uplink } from '../client/uplink.ts';

export type Position = NonNullable<IngestMessage['positions']>[number];

/** Capacity of a logger's flash memory. When it is full, the oldest reading is overwritten. */
const MEMORY_READINGS = 20_000;
const LARGEST_MESSAGE = 200;

/**
 * The part of a logger that sends readings and keeps those that are not acknowledged yet. A reading is
 * removed from the memory only after its acknowledgement.
 */
export interface Device {
  add(readings: readonly ReadingItem[], position: Position | null): void;
  /**
   * In flight mode the device is out of radio range: it records readings but sends nothing. Afterwards the
   * backlog is sent newest first.
   */
  setFlightMode(on: boolean): void;
  sendBlind(message: Buffer): void;
  /** Sets the shortest interval between messages; 0 sends immediately. */
  setUploadInterval(everyMs: number): void;
  uploadEveryMs(): number;
  pending(): readonly ReadingItem[];
  online(): boolean;
  /** Sends the remaining readings for at most `withinMs`, then disconnects. */
  close(withinMs: number): Promise<void>;
}

export function createDevice(
  uplink: Uplink,
  unsent: readonly ReadingItem[],
  now: () => number = Date.now,
): Device {
  let memory: ReadingItem[] = [...unsent];
  let positions: Position[] = [];
  let flightMode = false;
  let newestFirst = false;
  let sending = false;
  let retryAt = 0;
  let stopped = false;
  let uploadEveryMs = 0;
  let uploadedAt = Number.NEGATIVE_INFINITY;

  async function drain(): Promise<void> {
    if (sending || flightMode || stopped || now() < retryAt) return;
    sending = true;
    try {
      while (memory.length > 0 && !flightMode && !stopped) {
        const taken = newestFirst
          ? memory.slice(-LARGEST_MESSAGE).reverse()
          : memory.slice(0, LARGEST_MESSAGE);
        const whereabouts = positions;
        await uplink.send({
          readings: taken,
          ...(whereabouts.length > 0 ? { positions: whereabouts } : {}),
        });
        const done = new Set(taken);
        memory = memory.filter((reading) => !done.has(reading));
        positions = positions.filter((position) => !whereabouts.includes(position));
      }
      if (memory.length === 0) newestFirst = false;
    } catch (error) {
      if (!(error instanceof TryAgain)) throw error;
      retryAt = now() + error.afterMs;
    } finally {
      sending = false;
    }
  }

  return {
    add(readings, position) {
      memory.push(...readings);
      if (memory.length > MEMORY_READINGS) memory = memory.slice(-MEMORY_READINGS);
      if (position) positions = [...positions.slice(-500), position];
      if (now() - uploadedAt < uploadEveryMs) return;
      uploadedAt = now();
      void drain();
    },
    setFlightMode(on) {
      if (flightMode && !on) newestFirst = true;
      flightMode = on;
      if (!on) void drain();
    },
    sendBlind: (message) => uplink.sendBlind(message),
    setUploadInterval(everyMs) {
      uploadEveryMs = everyMs;
    },
    uploadEveryMs: () => uploadEveryMs,
    pending: () => memory,
    online: () => uplink.online() && !flightMode,
    async close(withinMs) {
      const deadline = now() + withinMs;
      while (memory.length > 0 && !flightMode && uplink.online() && now() < deadline) {
        await Promise.race([drain(), pause(50)]);
        if (memory.length > 0) await pause(20);
      }
      stopped = true;
      await uplink.close();
    },
  };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
