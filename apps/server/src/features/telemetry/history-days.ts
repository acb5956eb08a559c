import type { Extremes } from '@isotherm/domain/alarms/back-test';
import { DAY_MS, unsealDay } from '@isotherm/domain/readings/sealed-day';
import {
  firstAtOrAfter,
  mergeSeries,
  NO_READINGS,
  type Series,
  sliceSeries,
} from '@isotherm/domain/readings/series';
import type { Db } from '../../platform/db/pool.ts';
import { calibratedOf, correctAll } from './calibrated.ts';
import { findSealed, listSealedExtremes } from './history.repo.ts';
import { dayOf, joined, loadHot } from './history.ts';

/** A UTC day (days since 1970) of a channel, with the lowest and highest reading. */
export interface HistoryDay extends Extremes {
  day: number;
}

/** The history of a channel, listed by days. Only the days that are needed are read. */
export interface ChannelDays {
  /** Days with readings, in order of time. */
  days: readonly HistoryDay[];
  /** All readings of these days, in order of time. */
  read(days: readonly number[]): Promise<Series>;
}

/**
 * Opens the history of a channel from `from` (inclusive) to `to` (exclusive); epoch ms. The extremes may be those of
 * a whole day that is cut by `from` or `to`. Those of a channel with certificates are infinite, since its stored
 * extremes are not the corrected ones.
 */
export async function openDays(db: Db, channelId: number, from: number, to: number): Promise<ChannelDays> {
  // Unsealed readings are read first, so that readings that are sealed in between are still found
  // (history.ts).
  const hot = (await loadHot(db, [channelId], from, to)).get(channelId) ?? NO_READINGS;
  const sealed = await listSealedExtremes(db, channelId, dayOf(from), dayOf(to - 1));
  const isCorrected = (await calibratedOf(db, [channelId])).size > 0;
  const extremes = new Map<number, HistoryDay>();
  const widen = (day: number, min: number, max: number) => {
    const known = extremes.get(day);
    extremes.set(day, {
      day,
      min: isCorrected ? Number.NEGATIVE_INFINITY : Math.min(min, known?.min ?? min),
      max: isCorrected ? Number.POSITIVE_INFINITY : Math.max(max, known?.max ?? max),
    });
  };
  for (const { day, min, max } of sealed) widen(day, min, max);
  for (let i = 0; i < hot.at.length; ) {
    const day = dayOf(hot.at[i] as number);
    const end = firstAtOrAfter(hot.at, (day + 1) * DAY_MS);
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    for (; i < end; i++) {
      min = Math.min(min, hot.value[i] as number);
      max = Math.max(max, hot.value[i] as number);
    }
    widen(day, min, max);
  }

  return {
    days: [...extremes.values()].sort((a, b) => a.day - b.day),
    async read(days) {
      const rows = await findSealed(
        db,
        days.map(() => channelId),
        days,
      );
      const stored = new Map(rows.map((row) => [row.day, unsealDay(row)]));
      const parts = days.map((day) => {
        const own = sliceSeries(hot, day * DAY_MS, (day + 1) * DAY_MS);
        return mergeSeries(stored.get(day) ?? NO_READINGS, own);
      });
      const readings = sliceSeries(joined(parts), from, to);
      if (!isCorrected) return readings;
      return (await correctAll(db, new Map([[channelId, readings]]))).get(channelId) as Series;
    },
  };
}
