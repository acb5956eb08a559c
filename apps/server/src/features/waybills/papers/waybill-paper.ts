import type { WaybillDetail } from '@isotherm/contracts/waybills';
import { inWords } from '@isotherm/i18n/system-names';
import type { Content } from 'pdfmake';
import { cell, facts, GREY, type PdfDocument } from '../../../platform/documents/pdf.ts';
import type { JudgedTrip } from '../waybills/trip-record.ts';
import { limitWords, NONE, type PaperWords } from './paper-words.ts';
import { handOverBoxes, type SignatureOf } from './signature-boxes.ts';
import { tripCurve } from './trip-curve.ts';
import { custodyOf, goodsOf } from './trip-paper.ts';

const CODE_SIZE = 92;
const CURVE_HEIGHT = 120;

export interface WaybillPaperInput {
  waybill: WaybillDetail;
  /** Null before the departure. */
  trip: JudgedTrip | null;
  signatureOf: SignatureOf;
  /** Address of the QR code at the top; null: none. */
  address: string | null;
  brand: string;
  by: string;
  at: Date;
}

/** Creates the waybill as it travels with the goods: parties, goods, limits, temperatures so far, boxes for both signatures. */
export function waybillPaper(input: WaybillPaperInput, words: PaperWords): PdfDocument {
  const { waybill, trip, address } = input;
  const { text, time, language } = words;
  const title = text('waybills.paper.waybill', { number: waybill.number });
  const content: Content[] = [
    {
      columns: [
        {
          stack: [
            { text: title, style: 'title' },
            { text: waybill.organizationName, color: GREY },
            { text: text(`waybills.state.${waybill.state}`), bold: true, margin: [0, 4, 0, 6] },
            facts([
              [text('waybills.planned-departure'), time(waybill.plannedDepartureAt)],
              [text('waybills.planned-delivery'), time(waybill.plannedDeliveryAt)],
              [text('waybills.departed'), time(waybill.departedAt)],
              [text('waybills.ended'), time(waybill.endedAt)],
              [text('waybills.limits'), limitWords(waybill, words)],
              [text('waybills.asset'), carrierOf(waybill, words)],
              [text('waybills.product'), waybill.profileName ?? NONE],
              [text('waybills.note'), waybill.note || NONE],
            ]),
          ],
          width: '*',
        },
        ...(address === null
          ? []
          : [
              {
                stack: [
                  { qr: address, fit: CODE_SIZE, alignment: 'right' as const },
                  {
                    text: text('waybills.paper.scan'),
                    link: address,
                    style: 'note',
                    alignment: 'right' as const,
                    margin: [0, 3, 0, 0] as [number, number, number, number],
                  },
                ],
                width: CODE_SIZE + 20,
              },
            ]),
      ],
      columnGap: 16,
    },
    { columns: [partyOf(waybill, 'consignor', words), partyOf(waybill, 'consignee', words)], columnGap: 24 },
    ...goodsOf(waybill, words),
    { text: text('waybills.record'), style: 'heading' },
    trip === null ? { text: text('waybills.record.none'), color: GREY } : recordOf(waybill, trip, words),
    ...custodyOf(waybill, words),
    handOverBoxes(waybill, input.signatureOf, words),
  ];
  return {
    title,
    brand: input.brand,
    foot: text('waybills.paper.created', { time: time(input.at), by: input.by, zone: words.zone }),
    language,
    at: input.at,
    content,
  };
}

/** The asset and the driver, in one line so that the usual waybill fits on one page. */
const carrierOf = ({ assetName, driverName }: WaybillDetail, { language }: PaperWords): string =>
  [inWords(assetName, language), driverName].filter(Boolean).join(', ');

function partyOf(waybill: WaybillDetail, party: 'consignor' | 'consignee', { text }: PaperWords): Content {
  const lines = [
    waybill[`${party}Address`],
    [waybill[`${party}Contact`], waybill[`${party}Phone`]].filter(Boolean).join(' · '),
  ].filter(Boolean);
  return {
    stack: [
      { text: text(`waybills.${party}`), style: 'heading' },
      cell(waybill[`${party}Unit`], { bold: true }),
      ...lines.map((line) => cell(line)),
    ],
  };
}

function recordOf(waybill: WaybillDetail, trip: JudgedTrip, words: PaperWords): Content {
  const { text, period } = words;
  const { record } = trip;
  const [worst] = record.probes;
  return {
    unbreakable: true,
    stack: [
      {
        text: [
          { text: worst ? text(`waybills.proposal.${worst.verdict.proposal}`) : '', bold: true },
          ` · ${period(record.from, record.to)}`,
        ],
      },
      { svg: tripCurve(waybill, trip, CURVE_HEIGHT, words) },
    ],
  };
}
