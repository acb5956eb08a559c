import { firstAtOrAfter, type Series } from '../readings/series.ts';

/** A point of a certificate: reference and sensor reading, in the canonical unit. */
export interface CalibrationPoint {
  reference: number;
  reading: number;
}

/** Corrections of a certificate for a channel, from a moment on. Epoch ms. */
export interface Calibration {
  validFrom: number;
  /** When the sensor was replaced; its successor has an error of its own. */
  until: number | null;
  points: readonly CalibrationPoint[];
}

/** State by expiry: none, valid, due soon, overdue. */
export const CALIBRATION_STATES = ['never', 'valid', 'due-soon', 'overdue'] as const;
export type CalibrationState = (typeof CALIBRATION_STATES)[number];

/** A month, to arrange for a laboratory. */
export const DUE_SOON_MS = 30 * 86_400_000;

/** `dueAt` is when the newest certificate expires, null if there was none; epoch ms. */
export function calibrationState(dueAt: number | null, now: number): CalibrationState {
  if (dueAt === null) return 'never';
  if (now >= dueAt) return 'overdue';
  return dueAt - now <= DUE_SOON_MS ? 'due-soon' : 'valid';
}

/**
 * Error of the sensor at a reading, from the points of the certificate: interpolated linearly between two
 * points, and constant beyond the outermost ones, where nothing was measured. Zero without points.
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

/** The corrected value, with the precision of the sensor. */
export function correct(points: readonly CalibrationPoint[], reading: number, precision: number): number {
  const scale = 10 ** precision;
  return Math.round((reading - errorAt(points, reading)) * scale) / scale;
}

/** The certificate whose correction applies at `moment`: the last one that began. */
export function calibrationAt(calibrations: readonly Calibration[], moment: number): Calibration | null {
  let last: Calibration | null = null;
  for (const calibration of calibrations)
    if (calibration.validFrom <= moment && (last === null || calibration.validFrom >= last.validFrom))
      last = calibration;
  return last && (last.until === null || moment < last.until) ? last : null;
}

/** The series corrected by its certificates, reading by reading; the same object if none applies. */
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
