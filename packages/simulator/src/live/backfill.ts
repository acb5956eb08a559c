import type { Pool } from 'undici';
import { basicAuthorization, postReadings, TryAgain } from '../client/uplink.ts';
import type { FleetAsset } from '../fleet/asset.ts';
import type { Disturbance } from '../fleet/disturbance.ts';
import { type AssetRun, record } from '../fleet/recording.ts';

const DAY_MS = 86_400_000;
const CHUNK_READINGS = 6_000;
const PARALLEL_DEVICES = 4;

/** The part of a device's history that has not been sent yet. */
export interface Backlog {
  asset: FleetAsset;
  run: AssetRun;
  key: string;
  past: readonly Disturbance[];
}

/**
 * Simulates each asset up to now and sends the recorded readings through the normal ingest, oldest first,
 * several devices at a time. Returns the number of readings.
 */
export async function backfill(
  pool: Pool,
  backlogs: readonly Backlog[],
  onProgress: (readings: number, share: number) => void,
  onDelivered: (backlog: Backlog) => void,
  cancelled: () => boolean,
): Promise<number> {
  const now = Date.now();
  const fineFrom = now - DAY_MS;
  const whole = backlogs.reduce((sum, backlog) => sum + Math.max(0, now - backlog.run.state.at), 0);
  let coveredMs = 0;
  let readings = 0;
  const waiting = [...backlogs];

  async function worker(): Promise<void> {
    for (let backlog = waiting.shift(); backlog; backlog = waiting.shift()) {
      const authorization = basicAuthorization(backlog.asset.deviceNumber, backlog.key);
      let from = backlog.run.state.at;
      for (const chunk of record(backlog.asset, backlog.run, now, fineFrom, backlog.past, CHUNK_READINGS)) {
        await deliver(pool, authorization, chunk.body, cancelled);
        if (cancelled()) return;
        readings += chunk.readings;
        coveredMs += chunk.through - from;
        from = chunk.through;
        onProgress(readings, whole === 0 ? 1 : coveredMs / whole);
      }
      onDelivered(backlog);
    }
  }
  await Promise.all(Array.from({ length: PARALLEL_DEVICES }, worker));
  return readings;
}

/** Sends a chunk until the server has stored it, because a dropped chunk would be a gap in the history. */
async function deliver(
  pool: Pool,
  authorization: string,
  body: string,
  cancelled: () => boolean,
): Promise<void> {
  while (!cancelled()) {
    try {
      if (!(await postReadings(pool, authorization, body))) throw new Error('the server refused the history');
      return;
    } catch (error) {
      if (!(error instanceof TryAgain)) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.min(2_000, error.afterMs)));
    }
  }
}
