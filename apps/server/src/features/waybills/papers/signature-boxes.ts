import type { WaybillDetail } from '@isotherm/contracts/waybills';
import type { Content } from 'pdfmake';
import { type SignatureBox, signatures } from '../../../platform/documents/pdf.ts';
import type { PaperWords } from './paper-words.ts';

/** Returns the drawing of the signature of an entry in the chain of custody as SVG; null without one. */
export type SignatureOf = (custodyId: number) => string | null;

const GIVEN: readonly string[] = ['depart'];
const TAKEN: readonly string[] = ['deliver', 'reject'];

/** The boxes of consignor and consignee, with the names of those who handed over and received the goods. */
export function handOverBoxes(
  { custody }: Pick<WaybillDetail, 'custody'>,
  signatureOf: SignatureOf,
  { text, time }: PaperWords,
): Content {
  const box = (label: string, actions: readonly string[]): SignatureBox => {
    const entry = custody.findLast(({ action }) => actions.includes(action));
    return {
      label,
      name: entry?.person ?? '',
      date: entry ? time(entry.at) : text('waybills.paper.date'),
      svg: entry ? signatureOf(entry.id) : null,
    };
  };
  return signatures([box(text('waybills.paper.given'), GIVEN), box(text('waybills.paper.taken'), TAKEN)]);
}
