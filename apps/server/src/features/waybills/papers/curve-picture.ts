import { timeTicks, valueScale } from '@isotherm/domain/readings/axis-scale';
import { sliceSeries } from '@isotherm/domain/readings/series';
import { thinCurve } from '@isotherm/domain/waybills/thin-curve';
import type { TripPart } from '@isotherm/domain/waybills/verdict';
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

export interface CurveInput {
  /** Readings of each probe, leg by leg; the first probe is the one that the verdict is about. */
  probes: readonly (readonly TripPart[])[];
  from: number;
  to: number;
  low: number;
  high: number;
  /** Beginning of each leg after the first one. */
  transshipments: readonly number[];
  excursions: readonly { from: number; to: number }[];
  gaps: readonly { from: number; to: number }[];
  width: number;
  height: number;
  zone: string;
  language: Language;
  words: { upper: string; lower: string };
}

/**
 * Draws the temperatures of a trip as SVG: the band of the limits, each probe, gaps as gaps, excursions with their numbers,
 * and a line for each transshipment.
 */
export function curvePicture(input: CurveInput): string {
  const { probes, from, to, low, high, width, height, zone, language, words } = input;
  const right = width - RIGHT;
  const bottom = height - BOTTOM;
  const scale = valueScale([low, high, ...probes.flatMap(extremes)], 5);
  const x = (at: number) => LEFT + ((at - from) / Math.max(1, to - from)) * (right - LEFT);
  const y = (value: number) => bottom - ((value - scale.min) / (scale.max - scale.min)) * (bottom - TOP);
  const inside = (at: number) => Math.min(right, Math.max(LEFT, x(at)));

  const values: number[] = [];
  for (let value = scale.min; value <= scale.max + scale.step / 2; value += scale.step) values.push(value);
  const decimals = scale.step < 1 ? 1 : 0;
  const { ticks } = timeTicks(from, to, (right - LEFT) * 1.4, zone);
  const columnMs = Math.max(1, ((to - from) * COLUMN) / (right - LEFT));
  const curves = probes.map((parts) =>
    parts.flatMap((part) =>
      thinCurve(part, columnMs).map((points) => points.map(([at, value]) => ({ x: x(at), y: y(value) }))),
    ),
  );
  const [main = [], ...others] = curves;

  return element('svg', { width, height, viewBox: `0 0 ${width} ${height}` }, [
    element('rect', {
      x: LEFT,
      y: y(high),
      width: right - LEFT,
      height: Math.max(0, y(low) - y(high)),
      fill: PAPER_INK.band,
    }),
    ...values.flatMap((value) => [
      line(LEFT, y(value), right, y(value), { stroke: PAPER_INK.grid }),
      textElement(fixed(value, decimals, language), { x: LEFT - 6, y: y(value) + 2.5, anchor: 'end' }),
    ]),
    ...[high, low].map((value) =>
      line(LEFT, y(value), right, y(value), { stroke: PAPER_INK.quiet, 'stroke-dasharray': '2.5 2.5' }),
    ),
    textElement(words.upper, { x: LEFT + 4, y: y(high) - 3 }),
    textElement(words.lower, { x: LEFT + 4, y: y(low) + 9 }),
    ...input.gaps.flatMap((gap) => hatched(inside(gap.from), inside(gap.to), TOP, bottom)),
    ...input.excursions.flatMap((excursion, at) => {
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
    ...input.transshipments.map((at) =>
      line(x(at), TOP, x(at), bottom, { stroke: PAPER_INK.text, 'stroke-dasharray': '1 2' }),
    ),
    // The probe of the verdict is drawn last, on the others.
    ...others.reverse().map((curve) => path(pathOf(curve), PAPER_INK.other, 0.6)),
    path(pathOf(main), PAPER_INK.curve, 1.1),
    path(outsideOf(main, y(high), y(low)), PAPER_INK.alarm, 1.3),
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

/** The lowest and highest reading of a probe while the goods were on its asset. */
function extremes(parts: readonly TripPart[]): number[] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const { series, from, to } of parts)
    for (const value of sliceSeries(series, from, to).value) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  return low <= high ? [low, high] : [];
}

interface Point {
  x: number;
  y: number;
}

const move = (letter: 'M' | 'L', point: Point) => `${letter}${point.x.toFixed(1)} ${point.y.toFixed(1)}`;

const pathOf = (stretches: readonly (readonly Point[])[]) =>
  stretches.flatMap((points) => points.map((point, at) => move(at === 0 ? 'M' : 'L', point))).join('');

/** The parts of a curve above the line of the upper limit, or below that of the lower one. */
function outsideOf(stretches: readonly (readonly Point[])[], upper: number, lower: number): string {
  let d = '';
  const cut = (a: Point, b: Point, y: number): Point => ({
    x: a.x + ((y - a.y) / (b.y - a.y)) * (b.x - a.x),
    y,
  });
  for (const points of stretches)
    for (let i = 1; i < points.length; i++) {
      const [a, b] = [points[i - 1] as Point, points[i] as Point];
      for (const [limit, isOut] of [
        [upper, (point: Point) => point.y < upper],
        [lower, (point: Point) => point.y > lower],
      ] as const) {
        if (!isOut(a) && !isOut(b)) continue;
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

const path = (d: string, stroke: string, width: number) =>
  d === ''
    ? ''
    : element('path', { d, fill: 'none', stroke, 'stroke-width': width, 'stroke-linejoin': 'round' });
