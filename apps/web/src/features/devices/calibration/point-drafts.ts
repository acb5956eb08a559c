import type { CalibrationPointForm } from '@isotherm/contracts/calibrations';
import { typeableNumber, typedNumber } from '../../../shared/ui/form/typed-number.ts';

/** A point while it is typed: numbers as text. */
export interface PointDraft {
  /** Tells the rows apart while they come and go. */
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

/** With one more, of the channel that the last one is about. */
export function withDraft(drafts: readonly PointDraft[], channelId: number | undefined): PointDraft[] {
  const last = drafts.at(-1);
  const key = Math.max(-1, ...drafts.map((each) => each.key)) + 1;
  return [
    ...drafts,
    { key, channelId: last?.channelId ?? channelId, reference: '', reading: '', uncertainty: '' },
  ];
}

/** What the contract is asked about: points, or what was typed where it is none. A row that nobody filled in is none. */
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

/** What the sensor says too much at this point; null while it is not typed. */
export function errorOf({ reference, reading }: PointDraft): number | null {
  const [should, says] = [typedNumber(reference), typedNumber(reading)];
  return typeof should === 'number' && typeof says === 'number' ? says - should : null;
}
