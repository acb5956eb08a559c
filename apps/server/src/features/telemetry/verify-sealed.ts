import { DAY_MS, unsealDay, unsealDelays } from '@isotherm/domain/readings/sealed-day';
import type pg from 'pg';
import { transaction } from '../../platform/db/pool.ts';
import { type SealedWholeRow, scanSealed } from './history.repo.ts';
import { scanSealedTracks } from './tracks.repo.ts';
import { hashTrack, unsealRow } from './tracks.ts';

const AT_ONCE = 1_000;

export interface SealedVerification {
  /** Number of sealed rows: one per channel or device, and day. */
  days: number;
  readings: number;
  /** Sealed rows whose decoded readings differ from their summary. */
  damaged: ({ channelId: number; day: number } | { deviceId: number; day: number })[];
  /** Number of sealed positions. */
  positions: number;
}

/** Decodes every sealed day and compares it with its summary, or with its hash, in constant memory. */
export async function verifySealedDays(pool: pg.Pool): Promise<SealedVerification> {
  return transaction(pool, async (tx) => {
    const found: SealedVerification = { days: 0, readings: 0, positions: 0, damaged: [] };
    for await (const rows of scanSealed(tx, AT_ONCE))
      for (const row of rows) {
        found.days++;
        found.readings += row.count;
        if (!isWhole(row)) found.damaged.push({ channelId: row.channelId, day: row.day });
      }
    for await (const rows of scanSealedTracks(tx, AT_ONCE))
      for (const row of rows) {
        found.days++;
        found.positions += row.count;
        if (!row.hash.equals(hashTrack(unsealRow(row))))
          found.damaged.push({ deviceId: row.deviceId, day: row.day });
      }
    return found;
  });
}

function isWhole(row: SealedWholeRow): boolean {
  try {
    const { at, value } = unsealDay(row);
    unsealDelays(row);
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    for (const each of value) {
      if (each < min) min = each;
      if (each > max) max = each;
    }
    return (
      Math.floor((at[0] as number) / DAY_MS) === row.day &&
      at.at(-1) === row.lastAt &&
      value.at(-1) === row.lastValue &&
      min === row.min &&
      max === row.max
    );
  } catch {
    // The stored bytes end too early, or contain something that is not a number.
    return false;
  }
}
