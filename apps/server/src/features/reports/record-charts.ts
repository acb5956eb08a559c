import { defaultGapAllowanceMs } from '@isotherm/domain/alarms/alarm-machine';
import { type Buckets, meanOf } from '@isotherm/domain/readings/buckets';
import { bucketStepMs, findGaps } from '@isotherm/domain/readings/gaps';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import type { CurvePoint } from '@isotherm/domain/waybills/thin-curve';
import { fixed } from '@isotherm/i18n/figures';
import type { Content } from 'pdfmake';
import {
  curvePicture,
  type EnvelopePoint,
  type PictureCurve,
  type PictureLimits,
} from '../../platform/documents/curve-picture.ts';
import { GREY, PAGE_WIDTH } from '../../platform/documents/pdf.ts';
import type { ReportedChannel, ReportRange, SummaryRow } from './record-report.ts';
import type { ReportInput, ReportWords } from './record-words.ts';

/** Points of a chart: one for every 2 pt of its width. */
export const CHART_POINTS = 250;
/** Charts on paper; the report says so if there are more. Other documents wait while one is laid out. */
const MOST_CHARTS = 60;
/** Channels of one chart. */
const MOST_CURVES = 4;
const HEIGHT = 110;
/** Height of the chart of a report about one channel. */
const SINGLE_HEIGHT = 180;
/** Colours and dashes of the channels of a chart after the first one, as on screens. */
const OTHERS = [
  { ink: '#7a52c7', dashes: '4 2' },
  { ink: '#17907f', dashes: '1.5 1.5' },
  { ink: '#1b2630', dashes: '6 2 1 2' },
];

/** Draws a chart for each asset, with the channels that share quantity and limits. */
export function recordCharts(input: ReportInput, words: ReportWords): Content[] {
  const { text } = words;
  const groups = groupsOf(input.rows);
  if (groups.length === 0) return [];
  const { from, to } = input.range;
  const stepMs = bucketStepMs(Math.max(1, to - from), CHART_POINTS);
  const shown = groups.slice(0, MOST_CHARTS);
  return [
    ...shown.map((rows, index): Content => {
      const picture = pictureOf(rows, input, words, groups.length === 1 ? SINGLE_HEIGHT : HEIGHT);
      const heading: Content[] = index === 0 ? [{ text: text('reports.charts'), style: 'heading' }] : [];
      return {
        unbreakable: true,
        stack: [...heading, { text: captionOf(rows, words), fontSize: 8 }, { svg: picture }],
        margin: [0, 0, 0, 6],
      };
    }),
    { text: text('reports.charts.method', { duration: words.duration(stepMs) }), style: 'note' },
    ...(groups.length > shown.length
      ? [{ text: text('reports.charts.limited', { count: MOST_CHARTS }), style: 'note' }]
      : []),
  ];
}

/** The channels of each chart, in the order of the report. Channels without readings have no chart. */
function groupsOf(rows: readonly SummaryRow[]): SummaryRow[][] {
  const groups = new Map<string, SummaryRow[][]>();
  for (const row of rows) {
    if (row.statistics === null) continue;
    const { assetId, indicator, spans } = row.channel;
    const key = JSON.stringify([
      assetId,
      indicator,
      spans.map(({ from, low, high }) => [from, `${low}`, `${high}`]),
    ]);
    const own = groups.get(key) ?? [];
    const last = own.at(-1);
    if (last && last.length < MOST_CURVES) last.push(row);
    else own.push([row]);
    groups.set(key, own);
  }
  return [...groups.values()].flat();
}

/** The asset, and its channels in the colours of their lines. */
function captionOf(rows: readonly SummaryRow[], words: ReportWords) {
  const [first] = rows as [SummaryRow, ...SummaryRow[]];
  const { asset, code } = first.channel;
  return [
    { text: `${asset} (${code})`, bold: true },
    ...rows.map(({ channel }, index) => ({
      text: ` · ${words.channelName(channel)}`,
      color: index === 0 ? GREY : (OTHERS[index - 1] as (typeof OTHERS)[number]).ink,
    })),
    { text: ` · ${words.unitOf(first.channel)}`, color: GREY },
  ];
}

function pictureOf(
  rows: readonly SummaryRow[],
  { range, at, zone, language }: ReportInput,
  { text }: ReportWords,
  height: number,
): string {
  const [first] = rows as [SummaryRow, ...SummaryRow[]];
  const { unit, precision } = INDICATORS[first.channel.indicator];
  const limitWords = (limit: number) => `${fixed(limit, precision, language)} ${unit}`.trim();
  const [main, ...others] = rows.map((row) => curveOf(row, range));
  return curvePicture({
    curves: [main as PictureCurve, ...others.map((curve, index) => ({ ...curve, ...OTHERS[index] }))],
    from: range.from,
    to: range.to,
    limits: limitsOf(first.channel),
    gaps: gapsOf(first, range.from, Math.min(range.to, at.getTime())),
    width: PAGE_WIDTH,
    height,
    zone,
    language,
    words: {
      upper: (limit) => text('curve.upper-limit', { limit: limitWords(limit) }),
      lower: (limit) => text('curve.lower-limit', { limit: limitWords(limit) }),
    },
  });
}

const finite = (limit: number): number | null => (Number.isFinite(limit) ? limit : null);
const limitsOf = ({ spans }: ReportedChannel): PictureLimits[] =>
  spans.map(({ from, until, low, high }) => ({ from, to: until, low: finite(low), high: finite(high) }));

/** The mean of each bucket as a line, and its extremes as an area; both interrupted by gaps. */
function curveOf({ channel, buckets }: SummaryRow, { from, to }: ReportRange): PictureCurve {
  const allowanceMs = defaultGapAllowanceMs(channel.intervalMs);
  const stretches: CurvePoint[][] = [];
  const envelope: EnvelopePoint[][] = [];
  let lastAt = Number.NEGATIVE_INFINITY;
  for (const index of filled(buckets)) {
    const { bounds, firstAt, min, max } = buckets as Buckets;
    // The first and the last bucket may be cut by the range.
    const [begin, end] = [Math.max(from, bounds[index] as number), Math.min(to, bounds[index + 1] as number)];
    const at = (begin + end) / 2;
    if ((firstAt[index] as number) - lastAt > allowanceMs) {
      stretches.push([]);
      envelope.push([]);
    }
    stretches.at(-1)?.push([at, meanOf(buckets as Buckets, index)]);
    envelope.at(-1)?.push([at, min[index] as number, max[index] as number]);
    lastAt = (buckets as Buckets).lastAt[index] as number;
  }
  return { stretches, envelope };
}

/** Positions of the buckets with readings. */
const filled = (buckets: Buckets | null): number[] =>
  buckets === null ? [] : Array.from(buckets.count.keys()).filter((index) => buckets.count[index] !== 0);

function gapsOf({ channel, buckets }: SummaryRow, from: number, known: number) {
  const stretches = filled(buckets).map((index): [number, number] => [
    (buckets as Buckets).firstAt[index] as number,
    (buckets as Buckets).lastAt[index] as number,
  ]);
  return findGaps(stretches, from, known, defaultGapAllowanceMs(channel.intervalMs));
}
