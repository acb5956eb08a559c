import { firstAtOrAfter, type Series } from '../readings/series.ts';

/** A point of a certificate: the reference and the sensor's reading, in the canonical unit. */
export interface CalibrationPoint {
  reference: number;
  reading: number;
}

/** Corrections that a certificate gives for a channel from a given time on. Times are in epoch ms. */
export interface Calibration {
  validFrom: number;
  /** Time when the sensor was replaced, because its successor has another error; null if it was not. */
  until: number | null;
  points: readonly CalibrationPoint[];
}

/** States by expiry: no certificate, valid, due soon, overdue. */
export const CALIBRATION_STATES = ['never', 'valid', 'due-soon', 'overdue'] as const;
export type CalibrationState = (typeof CALIBRATION_STATES)[number];

/** A certificate is due soon a month before it expires, which is enough time to arrange a calibration. */
export const DUE_SOON_MS = 30 * 86_400_000;

/**
 * Returns the state by expiry. `dueAt` is the time when the newest certificate expires, or null if there is
 * none; epoch ms.
 */
export function calibrationState(dueAt: number | null, now: number): CalibrationState {
  if (dueAt === null) return 'never';
  if (now >= dueAt) return 'overdue';
  return dueAt - now <= DUE_SOON_MS ? 'due-soon' : 'valid';
}

/**
 * Returns the error of the sensor at a reading from the points of the certificate. It is interpolated
 * linearly between two points, and constant beyond the outermost ones, where nothing was measured. Zero
 * without points.
 */
export function errorAt(points: readonly CalibrationPoint[], reading: number): number {
  const sorted = [...points].sort((a, b) => a.reading - b.reading);
  const above = sorted.findIndex((point) => point.reading >= reading);
  const upper = sorted[above === -1 ? sorted.length - 1 : above];
  const lower = sorted[above - 1];
  if (!upper) return 0;
  const upperError = upper.reading - upper.reference;
  if (!lower) return upperError;
  const share = (reading - lower.reading) / (upper.reading - lower.reading);
  const lowerError = lower.reading - lower.reference;
  return lowerError + share * (upperError - lowerError);
}

/** Returns the corrected value, with the precision of the sensor. */
export function correct(points: readonly CalibrationPoint[], reading: number, precision: number): number {
  const scale = 10 ** precision;
  return Math.round((reading - errorAt(points, reading)) * scale) / scale;
}

/** Returns the certificate whose correction applies at `moment`: the one that started last. */
export function calibrationAt(calibrations: readonly Calibration[], moment: number): Calibration | null {
  let last: Calibration | null = null;
  for (const calibration of calibrations)
    if (calibration.validFrom <= moment && (last === null || calibration.validFrom >= last.validFrom))
      last = calibration;
  return last && (last.until === null || moment < last.until) ? last : null;
}

/** Corrects each reading of the series by its certificates. Returns the same object if none applies. */
export function correctSeries(
  calibrations: readonly Calibration[],
  series: Series,
  precision: number,
): Series {
  const first = Math.min(...calibrations.map((calibration) => calibration.validFrom));
  const from = firstAtOrAfter(series.at, first);
  if (from === series.at.length) return series;
  const value = series.value.slice();
  for (let i = from; i < value.length; i++) {
    const holding = calibrationAt(calibrations, series.at[i] as number);
    if (holding) value[i] = correct(holding.points, value[i] as number, precision);
  }
  return { at: series.at, value };
}
