import {
  type Calibration,
  calibrationAt,
  correct,
  correctSeries,
} from '@isotherm/domain/devices/calibration';
import { INDICATORS, type Indicator } from '@isotherm/domain/readings/indicator';
import type { Series } from '@isotherm/domain/readings/series';
import { createCache } from '../../platform/cache/cache.ts';
import type { Invalidations } from '../../platform/cache/invalidations.ts';
import type { Db } from '../../platform/db/pool.ts';
import type { ReadingBatch } from './batch.ts';
import { listCalibrated } from './calibrations.repo.ts';

/** A channel whose readings are corrected by certificates. */
interface Calibrated {
  calibrations: readonly Calibration[];
  precision: number;
}

/** Number of additional decimals of a corrected value: one more than the sensor has. */
const FINER = 1;
const precisionOf = (indicator: Indicator) => INDICATORS[indicator].precision + FINER;

/** Replaces the series of calibrated channels by corrected ones; most channels have no certificate. */
export async function correctAll(db: Db, series: Map<number, Series>): Promise<Map<number, Series>> {
  if (series.size === 0) return series;
  for (const row of await listCalibrated(db, [...series.keys()]))
    series.set(
      row.channel_id,
      correctSeries(row.calibrations, series.get(row.channel_id) as Series, precisionOf(row.indicator)),
    );
  return series;
}

/** Returns those of these channels whose stored sums differ from the sums of the corrected readings. */
export async function calibratedOf(db: Db, channelIds: readonly number[]): Promise<Set<number>> {
  return new Set((await listCalibrated(db, channelIds)).map((row) => row.channel_id));
}

export interface CalibrationBook {
  /** Returns the batch with corrected values; the same object if none of its channels is calibrated. */
  corrected(db: Db, batch: ReadingBatch): Promise<ReadingBatch>;
}

const MAX_CHANNELS = 400_000;
const UNCALIBRATED: { calibrated: Calibrated | null } = { calibrated: null };

/**
 * Creates the cache of certificates. They change rarely and are needed for every batch, so they are cached
 * until a database trigger notifies of a change.
 */
export function createCalibrationBook(invalidations: Invalidations): CalibrationBook {
  const channels = createCache<number, { calibrated: Calibrated | null }, Db>({
    invalidations,
    topic: 'calibration',
    keyOf: Number,
    max: MAX_CHANNELS,
    async load(channelIds, db) {
      // The absence of a certificate is cached as a value, because most channels have none.
      const found = new Map(channelIds.map((id) => [id, UNCALIBRATED]));
      for (const { channel_id, indicator, calibrations } of await listCalibrated(db, channelIds))
        found.set(channel_id, { calibrated: { calibrations, precision: precisionOf(indicator) } });
      return found;
    },
  });

  return {
    async corrected(db, batch) {
      const known = await channels.many(
        batch.slices.map((slice) => slice.channelId),
        db,
      );
      let value: Float64Array | null = null;
      for (const { channelId, from, to } of batch.slices) {
        const calibrated = known.get(channelId)?.calibrated;
        if (!calibrated) continue;
        value ??= batch.value.slice();
        for (let i = from; i < to; i++) {
          const holding = calibrationAt(calibrated.calibrations, batch.at[i] as number);
          if (holding) value[i] = correct(holding.points, value[i] as number, calibrated.precision);
        }
      }
      return value ? { ...batch, value } : batch;
    },
  };
}
