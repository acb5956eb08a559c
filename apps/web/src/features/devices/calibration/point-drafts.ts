import type { CalibrationPointForm } from '@isotherm/contracts/calibrations';
import { typeableNumber, typedNumber } from '../../../shared/ui/form/typed-number.ts';

/** A calibration point during input: numbers as text. */
export interface PointDraft {
  /** React key of the row. */
  key: number;
  channelId: number | undefined;
  reference: string;
  reading: string;
  uncertainty: string;
}

export function draftsOf(points: readonly CalibrationPointForm[]): PointDraft[] {
  return points.map(({ channelId, reference, reading, uncertainty }, key) => ({
    key,
    channelId,
    reference: typeableNumber(reference),
    reading: typeableNumber(reading),
    uncertainty: uncertainty === null ? '' : typeableNumber(uncertainty),
  }));
}

/** Appends a calibration point with the same channel as the last one. */
export function withDraft(drafts: readonly PointDraft[], channelId: number | undefined): PointDraft[] {
  const last = drafts.at(-1);
  const key = Math.max(-1, ...drafts.map((each) => each.key)) + 1;
  return [
    ...drafts,
    { key, channelId: last?.channelId ?? channelId, reference: '', reading: '', uncertainty: '' },
  ];
}

/**
 * Converts the input for the API contract. Invalid text is passed unchanged, so that the schema rejects it;
 * empty rows are left out.
 */
export function pointsOf(drafts: readonly PointDraft[]) {
  return drafts
    .filter(({ reference, reading }) => reference.trim() !== '' || reading.trim() !== '')
    .map(({ channelId, reference, reading, uncertainty }) => ({
      channelId,
      reference: typedNumber(reference),
      reading: typedNumber(reading),
      uncertainty: uncertainty.trim() === '' ? null : typedNumber(uncertainty),
    }));
}

/** Returns the error of the sensor at this point; null while the point is incomplete. */
export function errorOf({ reference, reading }: PointDraft): number | null {
  const [should, says] = [typedNumber(reference), typedNumber(reading)];
  return typeof should === 'number' && typeof says === 'number' ? says - should : null;
}
