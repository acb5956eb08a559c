import { firstAtOrAfter, type Series } from '../readings/series.ts';

/** What a laboratory found at one point: what its reference showed, and what the sensor said. Canonical unit. */
export interface CalibrationPoint {
  reference: number;
  reading: number;
}

/** A certificate's say over a channel: its corrections hold from a moment on. Epoch ms. */
export interface Calibration {
  validFrom: number;
  /** When the sensor went; what hangs in its place has an error of its own. */
  until: number | null;
  points: readonly CalibrationPoint[];
}

/** Certificates end: long before, soon, or they have ended. */
export const CALIBRATION_STATES = ['never', 'valid', 'due-soon', 'overdue'] as const;
export type CalibrationState = (typeof CALIBRATION_STATES)[number];

/** A month, within which a laboratory is to be found. */
export const DUE_SOON_MS = 30 * 86_400_000;

/** `dueAt` is when the newest certificate ends, null when there was never one; epoch ms. */
export function calibrationState(dueAt: number | null, now: number): CalibrationState {
  if (dueAt === null) return 'never';
  if (now >= dueAt) return 'overdue';
  return dueAt - now <= DUE_SOON_MS ? 'due-soon' : 'valid';
}

/**
 * The sensor's error at a reading, from the points that a laboratory measured: on a straight line between two of them,
 * and that of the nearest beyond the outermost, since nothing is known of what lies there. No points, no error.
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

/** What was measured, told from what the sensor said; as fine as the sensor says it. */
export function correct(points: readonly CalibrationPoint[], reading: number, precision: number): number {
  const scale = 10 ** precision;
  return Math.round((reading - errorAt(points, reading)) * scale) / scale;
}

/** The certificate whose correction holds at `moment`: the last that began. */
export function calibrationAt(calibrations: readonly Calibration[], moment: number): Calibration | null {
  let last: Calibration | null = null;
  for (const calibration of calibrations)
    if (calibration.validFrom <= moment && (last === null || calibration.validFrom >= last.validFrom))
      last = calibration;
  return last && (last.until === null || moment < last.until) ? last : null;
}

/** As the certificates correct it, reading by reading; the series itself where none of them holds. */
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
