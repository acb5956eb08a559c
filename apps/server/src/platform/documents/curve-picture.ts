import { timeTicks, valueScale } from '@isotherm/domain/readings/axis-scale';
import type { CurvePoint } from '@isotherm/domain/waybills/thin-curve';
import { fixed } from '@isotherm/i18n/figures';
import type { Language } from '@isotherm/i18n/languages';
import { momentWords } from '@isotherm/i18n/moments';
import { element, PAPER_INK, textElement } from './picture.ts';

const TOP = 16;
const LEFT = 30;
const RIGHT = 4;
const BOTTOM = 20;
/** Width of a column of readings of which only the lowest and highest are drawn, in pt. */
const COLUMN = 0.4;
const HATCH_EVERY = 5;
const LABEL_ROOM = 12;
/** Limits that were in force for less than this, in pt, have no label. */
const LIMIT_LABEL_FROM = 90;
/** Narrowest mark of what is outside the limits, in pt. */
const THINNEST = 0.8;

/** Lowest and highest value around a point of time, epoch ms. */
export type EnvelopePoint = readonly [at: number, min: number, max: number];

export interface PictureCurve {
  /** Stretches without gaps. */
  stretches: readonly (readonly CurvePoint[])[];
  /** Lowest and highest values, where the line is a mean; stretches without gaps. Only that of the first curve is drawn as an area. */
  envelope?: readonly (readonly EnvelopePoint[])[];
  /** Dashes of the line, so that curves can be told apart in black and white. */
  dashes?: string;
  ink?: string;
}

/** Limits and when they were in force; null: there was none. */
export interface PictureLimits {
  from: number;
  to: number;
  low: number | null;
  high: number | null;
}

export interface CurveInput {
  /** The first one is drawn last, on the others. */
  curves: readonly PictureCurve[];
  from: number;
  to: number;
  limits: readonly PictureLimits[];
  /** Beginning of each leg of a trip after the first one. */
  transshipments?: readonly number[];
  /** Periods with a number. */
  excursions?: readonly { from: number; to: number }[];
  gaps: readonly { from: number; to: number }[];
  width: number;
  height: number;
  zone: string;
  language: Language;
  words: { upper(limit: number): string; lower(limit: number): string };
}

/** Length of a column of readings in ms, of which only the lowest and highest are drawn (`thinCurve`). */
export const columnMsOf = ({ from, to, width }: Pick<CurveInput, 'from' | 'to' | 'width'>): number =>
  Math.max(1, ((to - from) * COLUMN) / (width - LEFT - RIGHT));

/**
 * Draws curves as SVG: the band of the limits, gaps as gaps, what is outside the limits in the colour of alarms, excursions with
 * their numbers, and a line for each transshipment.
 */
export function curvePicture(input: CurveInput): string {
  const { curves, from, to, limits, width, height, zone, language, words } = input;
  const right = width - RIGHT;
  const bottom = height - BOTTOM;
  const scale = valueScale(
    [...limits.flatMap(({ low, high }) => [low, high]), ...curves.flatMap(extremes)].filter(
      (value) => value !== null,
    ),
    5,
  );
  const x = (at: number) => LEFT + ((at - from) / Math.max(1, to - from)) * (right - LEFT);
  const y = (value: number) => bottom - ((value - scale.min) / (scale.max - scale.min)) * (bottom - TOP);
  const inside = (at: number) => Math.min(right, Math.max(LEFT, x(at)));
  const plot: Plot = { x, y };

  const values: number[] = [];
  for (let value = scale.min; value <= scale.max + scale.step / 2; value += scale.step) values.push(value);
  const decimals = scale.step < 1 ? 1 : 0;
  const { ticks } = timeTicks(from, to, (right - LEFT) * 1.4, zone);
  const spans = limits.map((each) => ({ ...each, left: inside(each.from), right: inside(each.to) }));
  const [main, ...others] = curves;

  return element('svg', { width, height, viewBox: `0 0 ${width} ${height}` }, [
    ...spans.flatMap(({ left, right: end, low, high }) => {
      if (low === null && high === null) return [];
      const top = high === null ? TOP : y(high);
      const foot = low === null ? bottom : y(low);
      const look = { width: end - left, height: Math.max(0, foot - top), fill: PAPER_INK.band };
      return [element('rect', { x: left, y: top, ...look })];
    }),
    ...values.flatMap((value) => [
      line(LEFT, y(value), right, y(value), { stroke: PAPER_INK.grid }),
      textElement(fixed(value, decimals, language), { x: LEFT - 6, y: y(value) + 2.5, anchor: 'end' }),
    ]),
    ...spans.flatMap(({ left, right: end, low, high }) => {
      const isWide = end - left >= LIMIT_LABEL_FROM || limits.length === 1;
      const edge = (value: number) =>
        line(left, y(value), end, y(value), { stroke: PAPER_INK.quiet, 'stroke-dasharray': '2.5 2.5' });
      return [
        ...(high === null ? [] : [edge(high)]),
        ...(low === null ? [] : [edge(low)]),
        ...(high === null || !isWide
          ? []
          : [textElement(words.upper(high), { x: left + 4, y: y(high) - 3 })]),
        ...(low === null || !isWide ? [] : [textElement(words.lower(low), { x: left + 4, y: y(low) + 9 })]),
      ];
    }),
    ...(main?.envelope ?? []).map((points) => area(points, plot)),
    ...input.gaps.flatMap((gap) => hatched(inside(gap.from), inside(gap.to), TOP, bottom)),
    ...(input.excursions ?? []).flatMap((excursion, at) => {
      const begin = inside(excursion.from);
      const wide = Math.max(1.2, inside(excursion.to) - begin);
      return [
        element('rect', {
          x: begin,
          y: TOP,
          width: wide,
          height: bottom - TOP,
          fill: PAPER_INK.alarm,
          'fill-opacity': 0.08,
        }),
        element('rect', { x: begin, y: TOP - 3, width: wide, height: 3, fill: PAPER_INK.alarm }),
        textElement(String(at + 1), {
          x: begin + wide / 2,
          y: TOP - 5,
          anchor: 'middle',
          ink: PAPER_INK.alarm,
          bold: true,
        }),
      ];
    }),
    ...(input.transshipments ?? []).map((at) =>
      line(x(at), TOP, x(at), bottom, { stroke: PAPER_INK.text, 'stroke-dasharray': '1 2' }),
    ),
    ...others
      .reverse()
      .flatMap((curve) => [
        drawn(curve, plot, PAPER_INK.other, 0.6),
        curve.envelope ? outside(curve, plot, limits) : '',
      ]),
    ...(main ? [drawn(main, plot, PAPER_INK.curve, 1.1), outside(main, plot, limits)] : []),
    ...ticks.flatMap(({ at, midnight }) => [
      line(x(at), bottom, x(at), bottom + 3, { stroke: PAPER_INK.quiet }),
      textElement(momentWords(at, midnight ? 'day' : 'time', language, zone), {
        x: x(at),
        y: bottom + 12,
        // A label at the right edge would be cut off.
        anchor: x(at) > right - LABEL_ROOM ? 'end' : 'middle',
        bold: midnight,
      }),
    ]),
  ]);
}

interface Plot {
  x(at: number): number;
  y(value: number): number;
}

/** The lowest and highest value of a curve. */
function extremes({ stretches, envelope = [] }: PictureCurve): number[] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const points of stretches)
    for (const [, value] of points) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  for (const points of envelope)
    for (const [, min, max] of points) {
      low = Math.min(low, min);
      high = Math.max(high, max);
    }
  return low <= high ? [low, high] : [];
}

function drawn({ stretches, ink, dashes }: PictureCurve, plot: Plot, usual: string, width: number): string {
  const look: Record<string, string> = dashes === undefined ? {} : { 'stroke-dasharray': dashes };
  return path(pathOf(stretches, plot), ink ?? usual, width, look);
}

function area(points: readonly EnvelopePoint[], { x, y }: Plot): string {
  const top = points.map(([at, , max]) => pair(x(at), y(max)));
  const foot = points.map(([at, min]) => pair(x(at), y(min))).reverse();
  return element('path', { d: `M${[...top, ...foot].join('L')}Z`, fill: PAPER_INK.envelope });
}

const pair = (x: number, y: number) => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** A point alone is drawn as a short line. */
const pathOf = (stretches: readonly (readonly CurvePoint[])[], { x, y }: Plot) =>
  stretches
    .flatMap((points) => [
      ...points.map(([at, value], index) => `${index === 0 ? 'M' : 'L'}${pair(x(at), y(value))}`),
      points.length === 1 ? `h${THINNEST}` : '',
    ])
    .join('');

/** What of a curve is above the upper or below the lower limit of its time. */
function outside(
  { stretches, envelope }: PictureCurve,
  plot: Plot,
  limits: readonly PictureLimits[],
): string {
  const d = envelope ? envelopeOutside(envelope, plot, limits) : lineOutside(stretches, plot, limits);
  return path(d, PAPER_INK.alarm, 1.3);
}

const limitsAt = (limits: readonly PictureLimits[], at: number): PictureLimits | undefined =>
  limits.find(({ from, to }) => at >= from && at < to) ?? limits.at(-1);

/** A bar from the limit to the extreme, for each point with an extreme outside. */
function envelopeOutside(
  envelope: readonly (readonly EnvelopePoint[])[],
  { x, y }: Plot,
  limits: readonly PictureLimits[],
): string {
  let d = '';
  for (const points of envelope)
    for (const [at, min, max] of points) {
      const { low = null, high = null } = limitsAt(limits, at) ?? {};
      if (high !== null && max > high) d += `M${pair(x(at), y(Math.max(min, high)))}L${pair(x(at), y(max))}`;
      if (low !== null && min < low) d += `M${pair(x(at), y(Math.min(max, low)))}L${pair(x(at), y(min))}`;
    }
  return d;
}

/** The parts of a line outside the limits. */
function lineOutside(
  stretches: readonly (readonly CurvePoint[])[],
  { x, y }: Plot,
  limits: readonly PictureLimits[],
): string {
  let d = '';
  const cut = (a: CurvePoint, b: CurvePoint, value: number): CurvePoint => [
    a[0] + ((value - a[1]) / (b[1] - a[1])) * (b[0] - a[0]),
    value,
  ];
  const move = (letter: 'M' | 'L', [at, value]: CurvePoint) => `${letter}${pair(x(at), y(value))}`;
  for (const points of stretches)
    for (let i = 1; i < points.length; i++) {
      const [a, b] = [points[i - 1] as CurvePoint, points[i] as CurvePoint];
      const { low = null, high = null } = limitsAt(limits, a[0]) ?? {};
      for (const [limit, isOut] of [
        [high, ([, value]: CurvePoint) => value > (high as number)],
        [low, ([, value]: CurvePoint) => value < (low as number)],
      ] as const) {
        if (limit === null || (!isOut(a) && !isOut(b))) continue;
        d += move('M', isOut(a) ? a : cut(a, b, limit)) + move('L', isOut(b) ? b : cut(a, b, limit));
      }
    }
  return d;
}

function hatched(left: number, right: number, top: number, bottom: number): string[] {
  const lines: string[] = [];
  const wide = Math.max(1, right - left);
  for (let y = top; y < bottom; y += HATCH_EVERY)
    lines.push(
      line(left, Math.min(bottom, y + HATCH_EVERY), left + wide, y, {
        stroke: PAPER_INK.hatch,
        'stroke-width': 0.8,
      }),
    );
  return lines;
}

const line = (x1: number, y1: number, x2: number, y2: number, look: Record<string, string | number>) =>
  element('line', { x1, y1, x2, y2, 'stroke-width': 0.5, ...look });

const path = (d: string, stroke: string, width: number, look: Record<string, string> = {}) =>
  d === ''
    ? ''
    : element('path', {
        d,
        fill: 'none',
        stroke,
        'stroke-width': width,
        'stroke-linejoin': 'round',
        ...look,
      });
