import type { WaybillDetail } from '@isotherm/contracts/waybills';
import { thinCurve } from '@isotherm/domain/waybills/thin-curve';
import { celsius } from '@isotherm/i18n/figures';
import { columnMsOf, curvePicture } from '../../../platform/documents/curve-picture.ts';
import { PAGE_WIDTH } from '../../../platform/documents/pdf.ts';
import type { JudgedTrip } from '../waybills/trip-record.ts';
import type { PaperWords } from './paper-words.ts';

/** Draws the temperatures of a trip as SVG: each probe, the one that the verdict is about on the others. */
export function tripCurve(
  { low, high }: Pick<WaybillDetail, 'low' | 'high'>,
  { record, parts }: JudgedTrip,
  height: number,
  { text, zone, language }: PaperWords,
): string {
  const { from, to, legs } = record;
  const verdict = record.probes[0]?.verdict;
  const columnMs = columnMsOf({ from, to, width: PAGE_WIDTH });
  return curvePicture({
    curves: parts.map((probe) => ({ stretches: probe.flatMap((part) => thinCurve(part, columnMs)) })),
    from,
    to,
    limits: [{ from, to, low, high }],
    transshipments: legs.slice(1).map((leg) => leg.from),
    excursions: verdict?.excursions ?? [],
    gaps: verdict?.gaps ?? [],
    width: PAGE_WIDTH,
    height,
    zone,
    language,
    words: {
      upper: (limit) => text('waybills.paper.upper', { value: celsius(limit, language) }),
      lower: (limit) => text('waybills.paper.lower', { value: celsius(limit, language) }),
    },
  });
}
