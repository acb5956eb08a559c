import type { WaybillDetail } from '@isotherm/contracts/waybills';
import { SIGNATURE_BOX } from '@isotherm/domain/waybills/handover';
import type { Content } from 'pdfmake';
import { type SignatureBox, signatures } from '../../../platform/documents/pdf.ts';
import { element, PAPER_INK, textElement } from '../../../platform/documents/picture.ts';
import type { PaperWords } from './paper-words.ts';

/** Returns the drawing of the signature of an entry in the chain of custody as SVG; null without one. */
export type SignatureOf = (custodyId: number) => string | null;

type Custody = Pick<WaybillDetail, 'custody'>;

const GIVEN: readonly string[] = ['depart'];
const TAKEN: readonly string[] = ['deliver', 'reject', 'sign'];
const { width, height } = SIGNATURE_BOX;
const LINE = { fill: 'none', stroke: PAPER_INK.text, 'stroke-width': 6 };
const ROUND = { 'stroke-linecap': 'round', 'stroke-linejoin': 'round' };

/** Returns the signatures of a chain of custody: drawn ones, and the names of those who typed theirs. */
export function signatureOf({ custody }: Custody): SignatureOf {
  return (custodyId) => {
    const entry = custody.find(({ id }) => id === custodyId);
    if (!entry?.handover) return null;
    const { signature } = entry.handover;
    return element('svg', { width, height, viewBox: `0 0 ${width} ${height}` }, [
      signature === ''
        ? textElement(entry.person, { x: 4, y: height - 70, size: 60, ink: PAPER_INK.text })
        : element('path', { d: signature, ...LINE, ...ROUND }),
    ]);
  };
}

/** The boxes of consignor and consignee, with the names of those who handed over and received the goods. */
export function handOverBoxes(
  { custody }: Custody,
  drawingOf: SignatureOf,
  { text, time }: PaperWords,
): Content {
  const box = (label: string, actions: readonly string[]): SignatureBox => {
    const entry = custody.findLast(({ action }) => actions.includes(action));
    return {
      label,
      name: entry?.person ?? '',
      date: entry ? time(entry.at) : text('waybills.paper.date'),
      svg: entry ? drawingOf(entry.id) : null,
    };
  };
  return signatures([box(text('waybills.paper.given'), GIVEN), box(text('waybills.paper.taken'), TAKEN)]);
}
