import type { TripExcursion, TripRecord, WaybillDetail } from '@isotherm/contracts/waybills';
import type { Fix } from '@isotherm/domain/geo/track';
import { decidingMkt } from '@isotherm/domain/waybills/mean-kinetic';
import type { TripPart } from '@isotherm/domain/waybills/verdict';
import { REASON_WORDS } from '@isotherm/i18n/alarm-words';
import { celsius, fixed, formatDuration, shareWords } from '@isotherm/i18n/figures';
import { findingWords } from '@isotherm/i18n/finding-words';
import { mktWords, windowWords } from '@isotherm/i18n/mkt-words';
import { preCoolWords } from '@isotherm/i18n/pre-cool-words';
import { inWords } from '@isotherm/i18n/system-names';
import type { Content } from 'pdfmake';
import { facts, GREY, grid, PAGE_WIDTH, type PdfDocument, strip } from '../../../platform/documents/pdf.ts';
import type { TrackLines } from '../../geo/index.ts';
import type { JudgedTrip } from '../waybills/trip-record.ts';
import { bandWords, limitWords, NONE, type PaperWords, quantityWords } from './paper-words.ts';
import { handOverBoxes, type SignatureOf } from './signature-boxes.ts';
import { trackPicture } from './track-picture.ts';
import { tripCurve } from './trip-curve.ts';

const CURVE_HEIGHT = 170;
const TRACK_HEIGHT = 118;
const INK: Record<TripRecord['probes'][number]['verdict']['proposal'], string> = {
  release: '#1a6b3c',
  'within-budget': '#1a6b3c',
  reject: '#b3261e',
  insufficient: '#8a5a00',
};

export interface TripPaperInput {
  waybill: WaybillDetail;
  trip: JudgedTrip;
  excursions: readonly TripExcursion[];
  /** The route of each leg. */
  tracks: readonly TrackLines[];
  signatureOf: SignatureOf;
  brand: string;
  by: string;
  at: Date;
}

/** Whether the vehicle or box was in range for long enough before the departure, and why it departed if not. */
function preCoolRow({ preCool }: WaybillDetail, { text }: PaperWords): [string, string][] {
  if (!preCool) return [];
  const { exception } = preCool;
  const why = exception?.isAutomatic
    ? text('waybills.pre-cool.automatic')
    : exception && text('waybills.pre-cool.by', { reason: exception.reason, username: exception.username });
  return [[text('waybills.pre-cool'), [preCoolWords(preCool, true, text), why].filter(Boolean).join(' ')]];
}

/** What the consignee was told by e-mail. */
function noticesRow({ notices }: WaybillDetail, { text, time }: PaperWords): [string, string][] {
  const lines = notices.map(({ kind, at, state, recipient }) =>
    [
      time(at),
      text(`waybills.notice.kind.${kind}`),
      text(`waybills.notice.state.${state}`, { recipient }),
    ].join(', '),
  );
  return lines.length === 0 ? [] : [[text('waybills.notices'), lines.join('\n')]];
}

/** Creates the report of a trip: verdict, chart, stability budget, excursions, route, chain of custody, signatures. */
export function tripPaper(input: TripPaperInput, words: PaperWords): PdfDocument {
  const { waybill, trip } = input;
  const { text, time, period, language } = words;
  const { record } = trip;
  const worst = record.probes[0] as TripRecord['probes'][number];
  const { verdict } = worst;
  const title = text('waybills.paper.trip', { number: waybill.number });
  const content: Content[] = [
    {
      columns: [
        {
          stack: [
            { text: title, style: 'title' },
            { text: `${waybill.consignorUnit} → ${waybill.consigneeUnit}`, color: GREY },
          ],
          width: '*',
        },
        {
          stack: [
            { text: period(record.from, record.to), bold: true },
            { text: words.zone, style: 'note' },
          ],
          width: 'auto',
          alignment: 'right',
          margin: [0, 6, 0, 0],
        },
      ],
      columnGap: 12,
    },
    {
      text: text(`waybills.proposal.${verdict.proposal}`),
      fontSize: 13,
      bold: true,
      color: INK[verdict.proposal],
      margin: [0, 10, 0, 2],
    },
    { text: [...sentences(verdict, waybill, words), ...cutWords(record, words)].join(' ') },
    ...decisionOf(waybill, words),
    strip(figuresOf(record, trip.parts[0] ?? [], words)),
    { svg: tripCurve(waybill, trip, CURVE_HEIGHT, words) },
    ...budgetOf(verdict, words),
    ...excursionsOf(input, words),
    ...routeOf(input, words),
    ...custodyOf(waybill, words),
    ...goodsOf(waybill, words),
    { text: text('waybills.paper.judged-by'), style: 'heading' },
    facts([
      [text('waybills.limits'), limitWords(waybill, words)],
      [
        text('waybills.product'),
        record.profileName === null
          ? NONE
          : text('waybills.verdict.profile', {
              name: record.profileName,
              version: record.profileVersion ?? 0,
            }),
      ],
      [text('waybills.probe'), probeWords(worst.names, words)],
      [
        text('waybills.asset'),
        [...new Set(record.legs.map((leg) => inWords(leg.assetName, language)))].join(', '),
      ],
      [text('waybills.mkt'), mktWords(verdict, record.activationKj, words).join('\n')],
      [text('waybills.organization'), waybill.organizationName],
      ...preCoolRow(waybill, words),
      ...noticesRow(waybill, words),
    ]),
    ...othersOf(record, words),
    { text: text('waybills.paper.method'), style: 'note', margin: [0, 8, 0, 0] },
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

type Verdict = TripRecord['probes'][number]['verdict'];

function sentences(verdict: Verdict, waybill: WaybillDetail, words: PaperWords): string[] {
  const { text } = words;
  const { outsideMs, excursions, coverage, gaps, readings } = verdict;
  if (readings === 0) return [text('waybills.no-channels')];
  return [
    outsideMs === 0
      ? text('waybills.paper.inside', { range: limitWords(waybill, words) })
      : text('waybills.paper.outside', {
          duration: formatDuration(outsideMs, text),
          range: limitWords(waybill, words),
          count: excursions.length,
        }),
    text('waybills.paper.coverage', { share: shareWords(coverage), count: gaps.length }),
  ];
}

const cutWords = ({ judgedUntil }: TripRecord, { text, time }: PaperWords): string[] =>
  judgedUntil === null ? [] : [text('waybills.verdict.cut', { time: time(judgedUntil) })];

function decisionOf(waybill: WaybillDetail, { text, time }: PaperWords): Content[] {
  if (!waybill.decision || !waybill.decidedAt)
    return [{ text: text('waybills.paper.undecided'), color: GREY, margin: [0, 4, 0, 0] }];
  const decided = text('waybills.decided', {
    decision: text(`waybills.decision.${waybill.decision}`),
    username: waybill.decidedBy ?? '',
    time: time(waybill.decidedAt),
  });
  return [
    {
      text: [{ text: decided, bold: true }, waybill.decisionReason ? `: ${waybill.decisionReason}` : ''],
      margin: [0, 4, 0, 0],
    },
  ];
}

function figuresOf(
  { probes, mktLimit, from, to }: TripRecord,
  parts: readonly TripPart[],
  words: PaperWords,
) {
  const { text, language, time } = words;
  const { verdict } = probes[0] as TripRecord['probes'][number];
  const { min, max, outsideMs, coverage, gaps } = verdict;
  const degrees = (value: number | null, decimals = 1) =>
    value === null ? NONE : celsius(value, language, decimals);
  const when = (value: number | null) => {
    const at = value === null ? null : timeOf(parts, value);
    return at === null ? '' : time(Math.max(at, from));
  };
  // The limit stands beside the figure that is compared with it.
  const mkt = decidingMkt(verdict);
  return [
    [text('waybills.paper.lowest'), degrees(min), when(min)],
    [text('waybills.paper.highest'), degrees(max), when(max)],
    [
      mkt?.window
        ? text('waybills.mkt.highest', { window: windowWords(mkt.window.windowMs, text) })
        : text('waybills.mkt'),
      degrees(mkt?.value ?? null, 2),
      mktLimit === null ? '' : text('waybills.paper.limit', { value: degrees(mktLimit) }),
    ],
    [
      text('waybills.outside'),
      formatDuration(outsideMs, text),
      text('waybills.paper.of-time', {
        share: `${fixed((100 * outsideMs) / Math.max(1, to - from), 2, language)} %`,
      }),
    ],
    [text('waybills.coverage'), shareWords(coverage), text('waybills.paper.gaps', { count: gaps.length })],
  ] as const;
}

/** The time of the first reading with this value. */
function timeOf(parts: readonly TripPart[], value: number): number | null {
  for (const { series } of parts) {
    const index = series.value.indexOf(value);
    if (index !== -1) return series.at[index] as number;
  }
  return null;
}

function budgetOf({ bands }: Verdict, words: PaperWords): Content[] {
  const { text } = words;
  const heading = text('profiles.budget');
  if (bands.length === 0) return [{ text: heading, style: 'heading' }, text('profiles.budget.none')];
  const duration = (ms: number) => formatDuration(ms, text);
  return [
    grid(
      [
        { title: text('waybills.paper.band'), width: '*' },
        { title: text('waybills.paper.allowed'), width: 100, figure: true },
        { title: text('waybills.paper.used'), width: 100, figure: true },
        { title: text('waybills.paper.left'), width: 100, figure: true },
      ],
      bands.map((band) => [
        bandWords(band, words),
        duration(band.allowedMs),
        duration(band.usedMs),
        band.usedMs > band.allowedMs
          ? text('waybills.paper.exceeded', { duration: duration(band.usedMs - band.allowedMs) })
          : duration(band.allowedMs - band.usedMs),
      ]),
      heading,
    ),
  ];
}

function excursionsOf({ trip, excursions }: TripPaperInput, words: PaperWords): Content[] {
  const { text, period, language } = words;
  const all = (trip.record.probes[0] as TripRecord['probes'][number]).verdict.excursions.length;
  const heading = text('waybills.excursions');
  if (all === 0) return [{ text: heading, style: 'heading' }, text('waybills.paper.no-excursions')];
  const rows = excursions.map(({ from, to, peak, alarm }, at) => [
    String(at + 1),
    period(from, to),
    formatDuration(to - from, text),
    peak === null ? NONE : fixed(peak, 1, language),
    alarm ? causeWords(alarm, words) : text('waybills.paper.no-alarm'),
    alarm ? acknowledgedWords(alarm, words) : NONE,
  ]);
  const more = all - rows.length;
  return [
    grid(
      [
        { title: '', width: 14 },
        { title: text('waybills.paper.period'), width: 110 },
        { title: text('waybills.paper.duration'), width: 56, figure: true },
        { title: text('waybills.paper.peak'), width: 42, figure: true },
        { title: text('waybills.paper.cause'), width: '*' },
        { title: text('waybills.paper.acknowledged'), width: 92 },
      ],
      rows,
      heading,
    ),
    ...(more > 0 ? [{ text: text('waybills.paper.more', { count: more }), style: 'note' }] : []),
  ];
}

type ExcursionAlarm = NonNullable<TripExcursion['alarm']>;

function causeWords(
  { level, reason, cause, correctiveAction }: ExcursionAlarm,
  { text }: PaperWords,
): string {
  const said = [reason === null ? '' : text(REASON_WORDS[reason]), cause, correctiveAction].filter(Boolean);
  return [
    text('alarms.level', { level }),
    said.length > 0 ? said.join('. ') : text('waybills.paper.no-cause'),
  ].join(': ');
}

function acknowledgedWords(
  { acknowledgedBy, acknowledgedAt }: ExcursionAlarm,
  { text, time }: PaperWords,
): string {
  return acknowledgedAt === null
    ? text('waybills.paper.not-acknowledged')
    : [acknowledgedBy ?? '', time(acknowledgedAt)].filter(Boolean).join(', ');
}

/** Where each leg with positions began, and where the last one ended. */
export function handOverPlaces(tracks: readonly TrackLines[]): Fix[] {
  const legs = tracks.map(({ lines }) => lines.flat());
  const end = legs.findLast((fixes) => fixes.length > 0)?.at(-1);
  return [...legs.flatMap(([first]) => (first ? [first] : [])), ...(end ? [end] : [])];
}

/** The route with the number of each hand-over; nothing if no leg has positions. */
function routeOf({ tracks, trip }: TripPaperInput, words: PaperWords): Content[] {
  const { text, language, time } = words;
  const marks = handOverPlaces(tracks);
  const svg = trackPicture({
    lines: tracks.flatMap(({ lines }) => lines),
    marks,
    width: PAGE_WIDTH,
    height: TRACK_HEIGHT,
  });
  if (svg === null) return [];
  const metres = tracks.reduce((sum, { distanceM }) => sum + distanceM, 0);
  const stops = tracks.reduce((sum, track) => sum + track.stops, 0);
  const caption = [
    text('waybills.paper.distance', { distance: `${fixed(metres / 1000, 1, language)} km`, count: stops }),
    ...marks.map(({ at }, index) => `${index + 1}: ${time(Math.min(at, trip.record.to))}`),
  ];
  return [
    {
      unbreakable: true,
      stack: [
        { text: text('waybills.route'), style: 'heading' },
        { svg },
        { text: caption.join(' · '), style: 'note', margin: [0, 3, 0, 0] },
      ],
    },
  ];
}

/** The chain of custody as a table. */
export function custodyOf(waybill: WaybillDetail, { text, time, language }: PaperWords): Content[] {
  const heading = text('waybills.custody');
  if (waybill.custody.length === 0)
    return [{ text: heading, style: 'heading' }, text('waybills.custody.empty')];
  return [
    grid(
      [
        { title: text('waybills.step.at'), width: 76 },
        { title: text('waybills.paper.step'), width: 74 },
        { title: text('waybills.paper.person'), width: 66 },
        { title: text('waybills.step.asset'), width: 70 },
        { title: text('waybills.step.note'), width: '*' },
        { title: text('waybills.paper.recorded-by'), width: 66 },
      ],
      waybill.custody.map((entry) => [
        time(entry.at),
        text(`waybills.action.${entry.action}`),
        entry.person || NONE,
        entry.assetName === null ? NONE : inWords(entry.assetName, language),
        [
          ...(entry.handover ? findingWords(entry.handover, text, language) : []),
          entry.means ? text(`waybills.means.${entry.means}`) : '',
          entry.note,
        ]
          .filter(Boolean)
          .join('. ') || NONE,
        entry.username,
      ]),
      heading,
    ),
  ];
}

/** The goods of a waybill as a table. */
export function goodsOf({ goods }: Pick<WaybillDetail, 'goods'>, words: PaperWords): Content[] {
  const { text } = words;
  const heading = text('waybills.goods');
  if (goods.length === 0) return [{ text: heading, style: 'heading' }, NONE];
  return [
    grid(
      [
        { title: text('waybills.product'), width: '*' },
        { title: text('waybills.batch'), width: 120 },
        { title: text('waybills.quantity'), width: 80, figure: true },
        { title: text('waybills.unit'), width: 80 },
      ],
      goods.map(({ product, batch, quantity, unit }) => [
        product,
        batch || NONE,
        quantityWords(quantity, words),
        unit || NONE,
      ]),
      heading,
    ),
  ];
}

const probeWords = (names: readonly string[], { language }: PaperWords) =>
  [...new Set(names.map((name) => inWords(name, language)))].join(' · ') || NONE;

function othersOf({ probes }: TripRecord, words: PaperWords): Content[] {
  return probes.slice(1).map(({ names, verdict }) => ({
    text: `${probeWords(names, words)}: ${words.text(`waybills.proposal.${verdict.proposal}`)}`,
    style: 'note',
  }));
}
