import { DAY_MS, unsealDay } from '@isotherm/domain/readings/sealed-day';
import { firstAtOrAfter, type Series } from '@isotherm/domain/readings/series';
import type { Tx } from '../../platform/db/pool.ts';
import { findSealed } from './history.repo.ts';
import type { ReadingColumns } from './telemetry.repo.ts';

/**
 * Returns readings that are in no sealed day, since a resend of a sealed reading is not new. The caller must
 * hold shared locks of the days (locks.ts), so that none of these days is sealed before the transaction ends.
 */
export async function withoutSealed(tx: Tx, columns: ReadingColumns): Promise<ReadingColumns> {
  const pairs = new Map<string, { channelId: number; day: number }>();
  for (let i = 0; i < columns.at.length; i++) {
    const channelId = columns.channelId[i] as number;
    const day = Math.floor((columns.at[i] as number) / DAY_MS);
    pairs.set(`${channelId}:${day}`, { channelId, day });
  }
  const asked = [...pairs.values()];
  const rows = await findSealed(
    tx,
    asked.map((pair) => pair.channelId),
    asked.map((pair) => pair.day),
  );
  if (rows.length === 0) return columns;
  const sealed = new Map(rows.map((row) => [`${row.channelId}:${row.day}`, unsealDay(row)]));
  const kept: number[] = [];
  for (let i = 0; i < columns.at.length; i++) {
    const at = columns.at[i] as number;
    const day = sealed.get(`${columns.channelId[i]}:${Math.floor(at / DAY_MS)}`);
    if (!day || !holds(day, at)) kept.push(i);
  }
  const pick = (column: ArrayLike<number>) => kept.map((row) => column[row] as number);
  return {
    channelId: pick(columns.channelId),
    delayS: pick(columns.delayS),
    at: pick(columns.at),
    value: pick(columns.value),
  };
}

function holds({ at }: Series, moment: number): boolean {
  return at[firstAtOrAfter(at, moment)] === moment;
}
